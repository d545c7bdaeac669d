// The metrics of the process, under the names that all clients of Prometheus give them: dashboards for
// Meilisearch draw its processor time and memory from these. Called by metrics.ts.
import { readdir, readFile } from "node:fs/promises";
import type { Registry } from "prom-client";
import { metricSetters, type Prometheus } from "./metricsetters.ts";

const PROCESS_PREFIX = "process_";
/** Where Linux tells of this process; other systems have no such folder. */
const FOLDER = "/proc/self";

export async function addProcessGauges(prometheus: Prometheus, registry: Registry): Promise<void> {
  const { gauge, counter } = metricSetters(prometheus, registry, PROCESS_PREFIX);
  const { user, system } = process.cpuUsage();
  counter("cpu_seconds_total", "Processor time of all threads", (user + system) / 1e6);
  gauge("resident_memory_bytes", "Memory of the process", process.memoryUsage.rss());
  gauge("start_time_seconds", "Time of the start, in Unix seconds", performance.timeOrigin / 1000);
  const [status, limits, files] = await Promise.all([
    readFile(`${FOLDER}/status`, "utf8").catch(() => ""),
    readFile(`${FOLDER}/limits`, "utf8").catch(() => ""),
    readdir(`${FOLDER}/fd`).catch(() => []),
  ]);
  const figures: [name: string, help: string, value: number][] = [
    ["virtual_memory_bytes", "Address space of the process", numberIn(status, /^VmSize:\s+(\d+)/m) * 1024],
    ["threads", "Threads of the process", numberIn(status, /^Threads:\s+(\d+)/m)],
    ["open_fds", "Open files", files.length],
    ["max_fds", "Most files that may be open", numberIn(limits, /^Max open files\s+(\d+)/m)],
  ];
  for (const [name, help, value] of figures) if (value > 0) gauge(name, help, value);
}

/** 0 when it is not there. */
function numberIn(text: string, pattern: RegExp): number {
  return Number(pattern.exec(text)?.[1] ?? 0);
}

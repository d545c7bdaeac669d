// The machine of a benchmark: figures can be compared only with it. Called by results.ts.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";

export interface Machine {
  processor: string;
  cores: number;
  memoryBytes: number;
  node: string;
  platform: string;
  /** Load average over the minute before the run: near 0 on a quiet machine. */
  load: number;
  /** Time of a sha256 over 256 MiB, to compare machines by. */
  calibrationMs: number;
}

const CALIBRATION_BYTES = 2 ** 28;

export function describeMachine(): Machine {
  const load = Number(loadavg()[0].toFixed(2));
  const begin = performance.now();
  createHash("sha256").update(Buffer.alloc(CALIBRATION_BYTES)).digest();
  return {
    processor: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    load,
    calibrationMs: Math.round(performance.now() - begin),
  };
}

/** The commit of the working folder, with `-changed` if files differ from it. */
export function commitName(): string {
  const git = (...args: string[]) => spawnSync("git", args, { encoding: "utf8" });
  const { status, stdout } = git("rev-parse", "--short=12", "HEAD");
  if (status !== 0) return "unknown";
  const isChanged = git("status", "--porcelain", "--untracked-files=no").stdout !== "";
  return `${stdout.trim()}${isChanged ? "-changed" : ""}`;
}

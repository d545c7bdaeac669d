// The figures of the instance as they are when somebody asks for the metrics. Called by metrics.ts.
import type { Registry } from "prom-client";
import type { Instance, InstanceStats } from "../tasks/instance.ts";
import type { QueueFigures } from "../tasks/queuefigures.ts";
import { shortDurationMs } from "../tasks/time.ts";
import type { SearchQueue } from "./searchqueue.ts";

/** Of the library, which is not loaded before somebody asks. */
export type Prometheus = typeof import("prom-client");

/** Names that dashboards know. */
export const METRIC_PREFIX = "meilisearch_";
/** Ended batches whose steps are told. */
const TRACED_BATCHES = 10;

/** Sets a gauge: one value, or one for each set of labels. */
type Set = (
  name: string,
  help: string,
  values: number | [labels: Record<string, string>, value: number][],
) => void;

interface Watched {
  instance: Instance;
  stats: InstanceStats;
  queue: QueueFigures;
  searches: SearchQueue;
  /** Searches since the start that were not wholly ranked. */
  degraded: number;
}

export function addGauges(
  { Gauge }: Prometheus,
  registry: Registry,
  { instance, stats, queue, searches, degraded }: Watched,
): void {
  const set: Set = (name, help, values) => {
    if (typeof values !== "number" && values.length === 0) return;
    const labelNames = typeof values === "number" ? [] : Object.keys(values[0][0]);
    const gauge = new Gauge({ name: METRIC_PREFIX + name, help, labelNames, registers: [registry] });
    if (typeof values === "number") gauge.set(values);
    else for (const [labels, value] of values) gauge.set(labels, value);
  };
  addIndexGauges(set, stats);
  addQueueGauges(set, queue);
  addBatchGauges(set, instance);
  set("degraded_search_requests", "Searches whose time ran out before all was ranked", degraded);
  set("search_queue_size", "Searches that may wait", searches.waitingMax);
  set("searches_running", "Searches at work", searches.running);
  set("searches_waiting_to_be_processed", "Searches that wait", searches.waiting);
}

function addIndexGauges(set: Set, { databaseBytes, indexes }: InstanceStats): void {
  const all = [...indexes];
  set("db_size_bytes", "Bytes of the database", databaseBytes);
  set("used_db_size_bytes", "Bytes of the database in use", databaseBytes);
  set("index_count", "Indexes", indexes.size);
  const documents = all.map(([index, { description }]): [Record<string, string>, number] => [
    { index },
    description.numberOfDocuments,
  ]);
  set("index_docs_count", "Documents of an index", documents);
  const updates = all.map(([, { updatedAt }]) => Math.floor(Date.parse(updatedAt) / 1000));
  set("last_update", "Time of the last update, in Unix seconds", Math.max(0, ...updates));
}

function addQueueGauges(set: Set, queue: QueueFigures): void {
  const { statuses, types, indexes, oldestWaiting, bytes, bytesMax } = queue;
  const counts = Object.entries({ statuses, types, indexes }).flatMap(([kind, values]) =>
    [...values].map(([value, count]): [Record<string, string>, number] => [{ kind, value }, count]),
  );
  set("nb_tasks", "Tasks by status, type and index", counts);
  const latency = oldestWaiting === null ? 0 : Math.max(0, Date.now() / 1000 - oldestWaiting / 1e6);
  set("task_queue_latency_seconds", "Age of the oldest task that waits or runs", latency);
  set("task_queue_max_size", "Most bytes of the task queue", bytesMax);
  set("task_queue_used_size", "Bytes of the task queue", bytes);
  const left = Math.max(0, bytesMax - bytes);
  set("task_queue_size_until_stop_registering", "Bytes left before tasks are refused", left);
}

function addBatchGauges(set: Set, instance: Instance): void {
  const paging = { limit: TRACED_BATCHES + 1, from: null, reverse: false };
  const { results } = instance.batches({}, paging, null);
  const running = results.filter(({ finishedAt }) => finishedAt === null);
  set("is_indexing", "1 while a batch runs", running.length > 0 ? 1 : 0);
  const steps = running.flatMap(({ uid, progress }) =>
    (progress?.steps ?? []).map(({ currentStep, finished, total }): [Record<string, string>, number] => [
      { batch_uid: String(uid), step_name: currentStep },
      total === 0 ? 0 : finished / total,
    ]),
  );
  set("batch_running_progress_trace", "How far the steps of the running batch are, 0 to 1", steps);
  const ended = results.filter(({ finishedAt }) => finishedAt !== null).slice(0, TRACED_BATCHES);
  const traces = ended.flatMap(({ uid, stats }) =>
    Object.entries(stats.progressTrace ?? {}).map(([step, text]): [Record<string, string>, number] => [
      { batch_uid: String(uid), step_name: step },
      shortDurationMs(text),
    ]),
  );
  set("last_finished_batches_progress_trace_ms", "Time of the steps of the last batches", traces);
}

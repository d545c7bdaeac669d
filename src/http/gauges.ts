// The metrics of the instance, read when somebody asks for them. Called by metrics.ts.
import type { Registry } from "prom-client";
import type { Instance } from "../tasks/instance.ts";
import type { InstanceStats } from "../tasks/instanceinterface.ts";
import type { QueueFigures } from "../tasks/queuefigures.ts";
import { shortDurationMs } from "../tasks/time.ts";
import type { BatchView } from "../tasks/views.ts";
import { type LabelledValues, metricSetters, type Prometheus } from "./metricsetters.ts";
import type { SearchQueue } from "./searchqueue.ts";

/** The prefix of names that dashboards know. */
export const METRIC_PREFIX = "meilisearch_";
/** How many ended batches have the durations of their steps shown. */
const TRACED_BATCHES = 10;

type Gauge = ReturnType<typeof metricSetters>["gauge"];

interface Watched {
  instance: Instance;
  stats: InstanceStats;
  queue: QueueFigures;
  searches: SearchQueue;
  /** Number of searches since the start whose ranking was cut short. */
  degraded: number;
}

export function addGauges(
  prometheus: Prometheus,
  registry: Registry,
  { instance, stats, queue, searches, degraded }: Watched,
): void {
  const { gauge } = metricSetters(prometheus, registry, METRIC_PREFIX);
  addIndexGauges(gauge, stats);
  addQueueGauges(gauge, queue);
  addBatchGauges(gauge, instance);
  gauge("degraded_search_requests", "Searches whose time ran out before all was ranked", degraded);
  gauge("search_queue_size", "Searches that may wait", searches.waitingMax);
  gauge("searches_running", "Searches at work", searches.running);
  gauge("searches_waiting_to_be_processed", "Searches that wait", searches.waiting);
}

function addIndexGauges(gauge: Gauge, { databaseBytes, indexes }: InstanceStats): void {
  const all = [...indexes];
  gauge("db_size_bytes", "Bytes of the database", databaseBytes);
  gauge("used_db_size_bytes", "Bytes of the database in use", databaseBytes);
  gauge("index_count", "Indexes", indexes.size);
  const documents = all.map(([index, { description }]): LabelledValues[number] => [
    { index },
    description.numberOfDocuments,
  ]);
  gauge("index_docs_count", "Documents of an index", documents);
  const updates = all.map(([, { updatedAt }]) => Math.floor(Date.parse(updatedAt) / 1000));
  gauge("last_update", "Time of the last update, in Unix seconds", Math.max(0, ...updates));
}

function addQueueGauges(gauge: Gauge, queue: QueueFigures): void {
  const { statuses, types, indexes, oldestWaiting, bytes, bytesMax } = queue;
  const counts = Object.entries({ statuses, types, indexes }).flatMap(([kind, values]) =>
    [...values].map(([value, count]): LabelledValues[number] => [{ kind, value }, count]),
  );
  gauge("nb_tasks", "Tasks by status, type and index", counts);
  const latency = oldestWaiting === null ? 0 : Math.max(0, Date.now() / 1000 - oldestWaiting / 1e6);
  gauge("task_queue_latency_seconds", "Age of the oldest task that waits or runs", latency);
  gauge("task_queue_max_size", "Most bytes of the task queue", bytesMax);
  gauge("task_queue_used_size", "Bytes of the task queue", bytes);
  const left = Math.max(0, bytesMax - bytes);
  gauge("task_queue_size_until_stop_registering", "Bytes left before tasks are refused", left);
}

function addBatchGauges(gauge: Gauge, instance: Instance): void {
  const paging = { limit: TRACED_BATCHES + 1, from: null, reverse: false };
  const { results } = instance.batches({}, paging, null);
  const running = results.filter(({ finishedAt }) => finishedAt === null);
  gauge("is_indexing", "1 while a batch runs", running.length > 0 ? 1 : 0);
  const steps = running.flatMap(({ uid, progress }) =>
    (progress?.steps ?? []).map(({ currentStep, finished, total }): LabelledValues[number] => [
      { batch_uid: String(uid), step_name: currentStep },
      total === 0 ? 0 : finished / total,
    ]),
  );
  gauge("batch_running_progress_trace", "How far the steps of the running batch are, 0 to 1", steps);
  const ended = results.filter(({ finishedAt }) => finishedAt !== null).slice(0, TRACED_BATCHES);
  const traces = ended.flatMap(({ uid, stats }) =>
    Object.entries(stats.progressTrace ?? {}).map(([step, text]): LabelledValues[number] => [
      { batch_uid: String(uid), step_name: step },
      shortDurationMs(text),
    ]),
  );
  gauge("last_finished_batches_progress_trace_ms", "Time of the steps of the last batches", traces);
  addIndexingGauges(gauge, ended);
}

function addIndexingGauges(gauge: Gauge, ended: readonly BatchView[]): void {
  const additions = ended.filter(({ details }) => typeof details.indexedDocuments === "number");
  const ofEach = (figure: (batch: BatchView) => number) =>
    additions.flatMap((batch) =>
      Object.keys(batch.stats.indexUids).map((index): LabelledValues[number] => [
        { batch_uid: String(batch.uid), index },
        figure(batch),
      ]),
    );
  const documents = ofEach(({ details }) => details.indexedDocuments as number);
  gauge("last_indexed_documents_count", "Documents that the last batches have indexed", documents);
  const times = ofEach(({ startedAt, finishedAt }) => Date.parse(finishedAt!) - Date.parse(startedAt));
  gauge("last_indexed_documents_duration_ms", "Time that the last batches took to index documents", times);
}

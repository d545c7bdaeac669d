// The metrics that only this server has, under names of its own: segments, merges, caches, threads and the
// syncs of the journal. Called by metrics.ts; docs/operations.md lists them.
import type { Metric, Registry } from "prom-client";
import type { EngineFigures } from "../engine/figures.ts";
import type { DurationFigures } from "../tasks/durations.ts";
import { type LabelledValues, metricSetters, type Prometheus } from "./metricsetters.ts";

const OWN_PREFIX = "tarsier_";

/** `segments`: number of segments by index uid. */
interface OwnFigures extends Omit<EngineFigures, "segments" | "degradedSearches"> {
  segments: ReadonlyMap<string, number>;
  syncs: DurationFigures;
  /** Writes that other servers have not accepted yet. */
  outgoingWrites: number;
}

export function addEngineGauges(prometheus: Prometheus, registry: Registry, figures: OwnFigures): void {
  const { segments, merges, caches, answers, threads, syncs } = figures;
  const { gauge, counter } = metricSetters(prometheus, registry, OWN_PREFIX);
  gauge("index_segments", "Segments of an index", labelled("index", segments, Number));
  gauge("merges_running", "Merges of segments at work", merges.running);
  gauge("merges_waiting", "Indexes that wait for merges", merges.waiting);
  counter("merges_done_total", "Merges that ended well", merges.done);
  counter("merges_failed_total", "Merges that failed", merges.failed);
  counter("merge_read_bytes_total", "Bytes of the segments that were merged", merges.bytesRead);
  counter("merge_written_bytes_total", "Bytes of the segments that merges made", merges.bytesWritten);
  const cache = (read: (one: { bytes: number; bytesMax: number; hits: number; misses: number }) => number) =>
    labelled("thread", caches, read);
  const kept = "Parts of segments that a search thread keeps in memory";
  gauge(
    "segment_cache_bytes",
    `${kept}, in bytes`,
    cache(({ bytes }) => bytes),
  );
  gauge(
    "segment_cache_max_bytes",
    `${kept}, at most`,
    cache(({ bytesMax }) => bytesMax),
  );
  counter(
    "segment_cache_hits_total",
    "Parts that were in memory",
    cache(({ hits }) => hits),
  );
  counter(
    "segment_cache_misses_total",
    "Parts that were read from disk",
    cache(({ misses }) => misses),
  );
  gauge("answer_cache_entries", "Answers that are kept for the same search", answers.entries);
  gauge("answer_cache_bytes", "Bytes of these answers", answers.bytes);
  gauge("answer_cache_max_bytes", "Most bytes of these answers", answers.bytesMax);
  counter("answer_cache_hits_total", "Searches that were answered from there", answers.hits);
  counter("answer_cache_misses_total", "Searches whose answer was not there", answers.misses);
  const roles = new Map(Object.entries(threads));
  gauge(
    "engine_threads",
    "Threads of the engine that run",
    labelled("role", roles, ({ running }) => running),
  );
  gauge(
    "engine_max_threads",
    "Threads that may run",
    labelled("role", roles, ({ max }) => max),
  );
  gauge(
    "engine_calls",
    "Calls at work or waiting in threads",
    labelled("role", roles, ({ calls }) => calls),
  );
  gauge("outgoing_writes", "Writes that wait for other servers", figures.outgoingWrites);
  const help = "Time until records of tasks were durable";
  registry.registerMetric(histogramOf(`${OWN_PREFIX}journal_sync_seconds`, help, syncs));
}

function labelled<Key, T>(
  label: string,
  values: ReadonlyMap<Key, T>,
  read: (value: T) => number,
): LabelledValues {
  return [...values].map(([key, value]) => [{ [label]: String(key) }, read(value)]);
}

/**
 * The library can fill its histograms only with single values; this object has just what it needs of a
 * metric.
 */
function histogramOf(name: string, help: string, figures: DurationFigures): Metric {
  const bucket = (le: number | string, value: number) => ({
    metricName: `${name}_bucket`,
    labels: { le },
    value,
  });
  const { bounds, counts, count, seconds } = figures;
  const values = [
    ...bounds.map((bound, i) => bucket(bound, counts[i])),
    bucket("+Inf", count),
    { metricName: `${name}_sum`, labels: {}, value: seconds },
    { metricName: `${name}_count`, labels: {}, value: count },
  ];
  const get = async () => ({ name, help, type: "histogram", values, aggregator: "sum" });
  return { name, get } as unknown as Metric;
}

// Embeds the texts of many documents, in calls of the size that a source takes, with many calls at once.
// Called by modelembedder.ts.
import { setMaxListeners } from "node:events";
import { TarsierError } from "../errors.ts";
import { isRefusal } from "./calls.ts";
import type { EmbedderOptions, EmbedOptions } from "./embedder.ts";
import { WIDTH_MAX } from "./lane.ts";
import type { SourceOptions, VectorSource } from "./source.ts";

interface BatchJob {
  source: VectorSource;
  complaint: SourceOptions["complaint"];
  dimensions: SourceOptions["dimensions"];
  shared: Pick<EmbedderOptions, "failureModes" | "log">;
}

type Vector = Float32Array | null;

/** One vector per text, in their order; equal texts are embedded once. */
export async function embedInBatches(
  job: BatchJob,
  texts: readonly string[],
  options: EmbedOptions,
): Promise<Vector[]> {
  const stop = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
  // All calls that wait for a place listen to it: more than ten are no leak, of which Node would warn.
  setMaxListeners(0, signal);
  const places = placesOf(texts);
  const batches = inBatches([...places.keys()], job.source.batchLength);
  const vectors: Vector[] = new Array(texts.length).fill(null);
  let next = 0;
  let embedded = 0;
  const work = async () => {
    while (next < batches.length) {
      const batch = batches[next++];
      const found = await embedBatch(job, batch, places, { ...options, signal });
      for (const [index, text] of batch.entries()) {
        const positions = places.get(text) ?? [];
        for (const position of positions) vectors[position] = found[index];
        embedded += positions.length;
      }
      options.progress?.(embedded, texts.length);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(WIDTH_MAX, batches.length) }, work));
    return vectors;
  } finally {
    // After the first failure the results of the others are not needed.
    stop.abort();
  }
}

/** Text -> the positions that need its vector. */
type Places = ReadonlyMap<string, readonly number[]>;

function placesOf(texts: readonly string[]): Places {
  const places = new Map<string, number[]>();
  for (const [position, text] of texts.entries()) {
    const known = places.get(text);
    if (known) known.push(position);
    else places.set(text, [position]);
  }
  return places;
}

function inBatches(texts: readonly string[], length: number): string[][] {
  const count = Math.ceil(texts.length / length);
  return Array.from({ length: count }, (_, index) => texts.slice(index * length, (index + 1) * length));
}

/**
 * A refused batch is tried text by text: the other texts pass, and the message names the one that does not.
 */
async function embedBatch(
  job: BatchJob,
  batch: readonly string[],
  places: Places,
  options: EmbedOptions,
): Promise<Vector[]> {
  try {
    const { complaint, dimensions } = job;
    return await job.source.embed(batch, { ...options, complaint, dimensions, deadline: null });
  } catch (error) {
    if (batch.length > 1 && isRefusal(error)) {
      const vectors: Vector[] = [];
      for (const text of batch) vectors.push(...(await embedBatch(job, [text], places, options)));
      return vectors;
    }
    if (!(error instanceof TarsierError)) throw error;
    const named =
      batch.length === 1 ? withPlace(error, options.describe?.(places.get(batch[0])?.[0] ?? 0)) : error;
    if (!job.shared.failureModes.includes("ignore_embedder_failures")) throw named;
    job.shared.log(named.message);
    return batch.map(() => null);
  }
}

function withPlace(error: TarsierError, place: string | undefined): TarsierError {
  if (place === undefined) return error;
  return new TarsierError(error.code, { message: `${error.message} (${place})` });
}

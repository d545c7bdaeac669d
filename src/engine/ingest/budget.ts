// How the memory for building indexes (`--max-indexing-memory`) is divided inside the writing thread. Used by
// writethread.ts and mergethread.ts: the merging thread has the same amount for spool and graphs, of its own.
//
//   | words of a run | their dictionary | ids of a batch | cache of what is there | graphs | spool | rest |
//     a quarter        a sixteenth        up to a sixth    a seventh                a fifth  1/50
//
// The rest is for structures that grow with the documents of a batch, and for fixed buffers.
import { SMALL_PROCESS_BYTES_MAX } from "../../limits.ts";
import type { BuildingLimits } from "../../segment/builder.ts";

/** Parts of the core's memory, in bytes. */
export interface IndexingBudget extends BuildingLimits {
  /** For words and occurrences that are gathered before a segment is written. */
  inverterBytes: number;
  /** First region for the ids that a batch names: it grows when a batch has very many documents. */
  idBytes: number;
  /** For extents of existing segments. */
  cacheBytes: number;
  /** For short-lived bitmaps. */
  scratchBytes: number;
}

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;

const INVERTER_PART = 1 / 4;
const INVERTER_BYTES_MIN = MEBIBYTE;
const INVERTER_BYTES_MAX = 1024 * MEBIBYTE;
const ID_PART = 1 / 6;
const BATCH_ID_BYTES_MIN = 256 * KIBIBYTE;
const BATCH_ID_BYTES_MAX = 256 * MEBIBYTE;
const CACHE_PART = 0.15;
const CACHE_BYTES_MIN = 16 * MEBIBYTE;
const CACHE_BYTES_MAX = 512 * MEBIBYTE;
const SPOOL_PART = 1 / 50;
const SPOOL_BYTES_MIN = 256 * KIBIBYTE;
const SPOOL_BYTES_MAX = 16 * MEBIBYTE;
const GRAPH_PART = 1 / 5;
const GRAPH_BYTES_MIN = 16 * MEBIBYTE;
const GRAPH_BYTES_MAX = 1024 * MEBIBYTE;
const SCRATCH_PART = 1 / 16;
const SCRATCH_BYTES_MIN = 8 * MEBIBYTE;
const SCRATCH_BYTES_MAX = 256 * MEBIBYTE;

/** Divides `indexingBytes`; `threads` is the number of threads that build segments together. */
export function indexingBudget(indexingBytes: number, threads = 1): IndexingBudget {
  const part = (share: number, least: number, most: number) => partOf(indexingBytes, share, least, most);
  return {
    ...buildingBudget(indexingBytes, threads),
    inverterBytes: part(INVERTER_PART, INVERTER_BYTES_MIN, INVERTER_BYTES_MAX),
    // The core hands out powers of two.
    idBytes: 2 ** Math.floor(Math.log2(part(ID_PART, BATCH_ID_BYTES_MIN, BATCH_ID_BYTES_MAX))),
    cacheBytes: part(CACHE_PART, CACHE_BYTES_MIN, CACHE_BYTES_MAX),
    scratchBytes: part(SCRATCH_PART, SCRATCH_BYTES_MIN, SCRATCH_BYTES_MAX),
  };
}

export function buildingBudget(indexingBytes: number, threads = 1): BuildingLimits {
  return {
    // A thread takes about 10 MB.
    blockHelper: threads > 1 && indexingBytes > SMALL_PROCESS_BYTES_MAX,
    spoolBytes: partOf(indexingBytes, SPOOL_PART, SPOOL_BYTES_MIN, SPOOL_BYTES_MAX),
    graphs: { threads, bytesMax: partOf(indexingBytes, GRAPH_PART, GRAPH_BYTES_MIN, GRAPH_BYTES_MAX) },
  };
}

/** Each part has a minimum below which no work would be possible. */
const partOf = (bytes: number, share: number, least: number, most: number): number =>
  Math.min(most, Math.max(least, Math.floor((bytes * share) / 64) * 64));

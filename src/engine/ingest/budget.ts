// How the memory for building indexes (`--max-indexing-memory`) is shared out inside the writing thread. Used
// by writethread.ts, and by pool.ts for the thread that merges.
//
//   | words of a run | their dictionary | ids of a batch | cache of what is there | spool |   rest   |
//     a quarter        a sixteenth        up to a sixth    a seventh               1/50
//
// The rest is for what grows with the documents of a batch, and for fixed buffers.

/** Parts of the core's memory, in bytes. */
export interface IndexingBudget {
  /** Words and occurrences that are gathered before a segment is written. */
  inverterBytes: number;
  /** First region of the ids that a batch names: it grows for a batch of very many documents. */
  idBytes: number;
  /** Extents of segments that are there. */
  cacheBytes: number;
  /** Posting lists that wait for their turn in a segment; more of them go to a file. */
  spoolBytes: number;
  /** Bitmaps, for a moment. */
  scratchBytes: number;
}

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;

const INVERTER_PART = 1 / 4;
const INVERTER_BYTES_MIN = MEBIBYTE;
const INVERTER_BYTES_MAX = 1024 * MEBIBYTE;
const ID_PART = 1 / 6;
const ID_BYTES_MIN = 256 * KIBIBYTE;
const ID_BYTES_MAX = 256 * MEBIBYTE;
const CACHE_PART = 0.15;
const CACHE_BYTES_MIN = 32 * MEBIBYTE;
const CACHE_BYTES_MAX = 512 * MEBIBYTE;
const SPOOL_PART = 1 / 50;
const SPOOL_BYTES_MIN = 256 * KIBIBYTE;
const SPOOL_BYTES_MAX = 16 * MEBIBYTE;
const SCRATCH_PART = 1 / 16;
const SCRATCH_BYTES_MIN = 8 * MEBIBYTE;
const SCRATCH_BYTES_MAX = 256 * MEBIBYTE;

/** Shares out `indexingBytes`; a part is never so small that nothing could be done with it. */
export function indexingBudget(indexingBytes: number): IndexingBudget {
  const part = (share: number, least: number, most: number) =>
    Math.min(most, Math.max(least, Math.floor((indexingBytes * share) / 64) * 64));
  return {
    inverterBytes: part(INVERTER_PART, INVERTER_BYTES_MIN, INVERTER_BYTES_MAX),
    // A core hands out powers of two.
    idBytes: 2 ** Math.floor(Math.log2(part(ID_PART, ID_BYTES_MIN, ID_BYTES_MAX))),
    cacheBytes: part(CACHE_PART, CACHE_BYTES_MIN, CACHE_BYTES_MAX),
    spoolBytes: spoolBytes(indexingBytes),
    scratchBytes: part(SCRATCH_PART, SCRATCH_BYTES_MIN, SCRATCH_BYTES_MAX),
  };
}

/** The spool's part, which the merging thread has as well. */
export function spoolBytes(indexingBytes: number): number {
  return Math.min(
    SPOOL_BYTES_MAX,
    Math.max(SPOOL_BYTES_MIN, Math.floor((indexingBytes * SPOOL_PART) / 64) * 64),
  );
}

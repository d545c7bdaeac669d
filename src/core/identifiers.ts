// The tables of document ids (exports/identifiers.ts) as the host fills them: src/engine looks up the ids of
// a batch, src/segment writes and reads the sections.
import type { Core } from "./core.ts";
import type { Table } from "./table.ts";

/** Results of the kernels: no such id; below, no room for another one. */
export const IDENTIFIERS_NONE = -1;
export const IDENTIFIERS_FULL = -2;

/** Length of the longest id. */
export const ID_BYTES_MAX = 511;

/** Bytes of a region that certainly holds `count` ids of `idBytes` bytes in total. */
export function identifiersBytes(count: number, idBytes: number): number {
  // Slots take up to 45 % of the region and at least half of that; three quarters of them are used.
  return Math.ceil(Math.max(count * 48, (count * 12 + idBytes) / 0.54)) + 32768;
}

/**
 * Builds the ids section of a segment. `ids`: address and length of each id in ordinal order, `idBytes` bytes
 * in total. The section starts at the address that `room` returns, and is valid until that memory is used
 * again.
 */
export function buildIdSection(
  core: Core,
  room: (bytes: number) => number,
  ids: Table,
  idBytes: number,
): { pointer: number; length: number } {
  const count = ids.length;
  const most = core.exports.idSectionBytes(count, idBytes) >>> 0;
  const start = Math.ceil(most / 4) * 4;
  const pointer = room(start + count * 8);
  let pairs = pointer + start;
  ids.eachSpan((span, bytes) => {
    core.copy(pairs, span, bytes);
    pairs += bytes;
  });
  const length = core.exports.idSectionBuild(pointer, pointer + start, count) >>> 0;
  if (length > most) throw new RangeError(`ids section: ${length} bytes written, ${most} expected`);
  return { pointer, length };
}

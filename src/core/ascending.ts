// Binary search in ascending numbers. Called by points.ts, tombstones.ts and candidates.ts.

/** Place of the first number that is not below `least`; the length when all are. */
export function firstAtLeast(numbers: Uint32Array, least: number): number {
  let from = 0;
  let to = numbers.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (numbers[middle] < least) from = middle + 1;
    else to = middle;
  }
  return from;
}

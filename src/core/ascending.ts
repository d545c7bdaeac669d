// Binary search: in ascending numbers, for look-ups of docids and uids, and in lists of anything else that is
// in order.

/** The first of `count` places from which on something holds; `count` when it holds at none. */
export function firstPlace(count: number, holds: (place: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Index of the first number in [from, to) that is not below `least`; `to` when all are below. */
export function firstAtLeast(numbers: Uint32Array, least: number, from = 0, to = numbers.length): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Place of a number in [from, to), counted from `from`; -1 when it is not there. */
export function placeOf(numbers: Uint32Array, number: number, from = 0, to = numbers.length): number {
  const index = firstAtLeast(numbers, number, from, to);
  return index < to && numbers[index] === number ? index - from : -1;
}

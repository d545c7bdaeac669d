// A set of task numbers as ascending runs: [first, last, first, last, ...], both ends included. The journal
// keeps the tasks that a cancelation or deletion matched in this form: a million neighbours take two numbers.

export type UidRanges = number[];

/** Packs strictly ascending numbers. */
export function packUids(uids: Iterable<number>): UidRanges {
  const ranges: UidRanges = [];
  for (const uid of uids) {
    if (ranges.length > 0 && ranges[ranges.length - 1] === uid - 1) ranges[ranges.length - 1] = uid;
    else ranges.push(uid, uid);
  }
  return ranges;
}

export function* unpackUids(ranges: UidRanges): Iterable<number> {
  for (let at = 0; at < ranges.length; at += 2)
    for (let uid = ranges[at]; uid <= ranges[at + 1]; uid++) yield uid;
}

export function rangesHave(ranges: UidRanges, uid: number): boolean {
  let low = 0;
  let high = ranges.length / 2;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ranges[2 * middle + 1] < uid) low = middle + 1;
    else high = middle;
  }
  return 2 * low < ranges.length && ranges[2 * low] <= uid;
}

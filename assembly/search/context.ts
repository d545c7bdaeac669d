// The index that a search is about, as the host has opened it. Set by index.ts; read throughout this folder.
// A core runs one search at a time.
import { arenaOpen } from "./arena";
import { BY_ATTRIBUTE, Setup } from "./setup";

/** Length of every bitmap in 64-bit words. */
export let bitmapWords: i32 = 0;
/** Bitmap of the live documents. */
export let live: usize = 0;
export let segmentCount: i32 = 0;
let segments: usize = 0;
export let marks: usize = 0;
/** Whether words count as near when they share a field. */
export let isByAttribute: bool = false;
/** Documents that rules leave out of all further buckets; 0 when there are none. */
export let excluded: usize = 0;

/** Begins a search. */
export function contextBegin(setup: Setup): void {
  arenaOpen(setup.arena);
  bitmapWords = setup.words;
  live = setup.live;
  segments = setup.segments;
  segmentCount = setup.segmentCount;
  marks = setup.marks;
  isByAttribute = (setup.options & BY_ATTRIBUTE) != 0;
  excluded = 0;
}

/** Sets the documents that are left out from now on. */
export function searchExclude(bitmap: usize): void {
  excluded = bitmap;
}

export function dictionaryOf(segment: i32): usize {
  return load<u32>(segments + ((<usize>segment) << 3));
}

export function tombstonesOf(segment: i32): usize {
  return load<u32>(segments + ((<usize>segment) << 3), 4);
}

// What one search is about: the index as the host has opened it. Called by index.ts; read by the files of
// this folder. A core runs one search at a time.
import { arenaOpen } from "./arena";
import { BY_ATTRIBUTE, Setup } from "./setup";

/** 64-bit words of every bitmap. */
export let bitmapWords: i32 = 0;
/** Bitmap of the documents that live. */
export let live: usize = 0;
export let segmentCount: i32 = 0;
let segments: usize = 0;
export let marks: usize = 0;
/** Words are near when they share a field. */
export let isByAttribute: bool = false;
/** Documents that rules leave out of the buckets to come; 0: none. */
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

/** Names the documents that are left out from now on. */
export function searchExclude(bitmap: usize): void {
  excluded = bitmap;
}

export function dictionaryOf(segment: i32): usize {
  return load<u32>(segments + ((<usize>segment) << 3));
}

export function tombstonesOf(segment: i32): usize {
  return load<u32>(segments + ((<usize>segment) << 3), 4);
}

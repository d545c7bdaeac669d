// What the host passes at the beginning of a search (src/engine/search/searchcore.ts). Read by context.ts,
// fields.ts and kept-words.ts.

/** Options: no typos in numbers; below, only some fields are searched; words that share a field are near. */
export const EXACT_NUMBERS: u32 = 1;
export const RESTRICTED: u32 = 2;
export const BY_ATTRIBUTE: u32 = 4;

/** Flags of a field: the search looks here; below, only exact words count here. */
export const ALLOWED: u32 = 1;
export const EXACT_ONLY: u32 = 2;

/**
 * `words`: length of every bitmap in 64-bit words. `segments`: for each segment the u32 address of its
 * dictionary and the u32 bitmap of what was deleted there, or 0. `marks`: a zeroed u64 and u32 for each word
 * of a bitmap. `fields`: for each field i32 weight, u32 flags. `kept`: room of the thread for what searches
 * leave for later ones (kept-words.ts), with its first u32 0 when it is new; `state`: a number that is unique
 * to each state of each index.
 */
@unmanaged
export class Setup {
  arena: usize;
  words: u32;
  live: usize;
  segments: usize;
  segmentCount: u32;
  marks: usize;
  fields: usize;
  fieldCount: u32;
  options: u32;
  weightMax: u32;
  kept: usize;
  keptBytes: u32;
  state: u32;
}

// How near the points of a segment are to a place, as keys for a selection (selection.ts). Called by
// src/engine/search/geosort.ts; the arrays are drawn in src/segment/points.ts.
import { bitmapHas } from "./bitmap";

const DEGREES_BYTES: usize = 16;
const DOCID_BYTES: usize = 4;

/**
 * For the points of documents that are candidates and not dead: the bits of the square of the chord to the
 * direction x, y, z as a u32 key at `keys`, the place of the point at `places`, and a number counting up from
 * `first` at `numbers`. Returns how many.
 */
export function pointKeys(
  points: usize,
  count: i32,
  x: f32,
  y: f32,
  z: f32,
  candidates: usize,
  tombstones: usize,
  words: i32,
  keys: usize,
  places: usize,
  numbers: usize,
  first: i32,
): i32 {
  const docids = points + <usize>count * DEGREES_BYTES;
  const directions = docids + <usize>count * DOCID_BYTES;
  const axis = <usize>count << 2;
  let found = 0;
  for (let place = 0; place < count; place++) {
    const docid = load<i32>(docids + (<usize>place << 2));
    if (!bitmapHas(candidates, words, docid) || (tombstones && bitmapHas(tombstones, words, docid))) continue;
    const at = directions + (<usize>place << 2);
    const dx = load<f32>(at) - x;
    const dy = load<f32>(at + axis) - y;
    const dz = load<f32>(at + axis + axis) - z;
    store<u32>(keys, reinterpret<u32>(dx * dx + dy * dy + dz * dz));
    store<i32>(places, place);
    store<i32>(numbers, first + found);
    keys += 4;
    places += 4;
    numbers += 4;
    found++;
  }
  return found;
}

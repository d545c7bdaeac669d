// The points of a segment: their distances to a place, as keys for a selection (selection.ts), and those
// around a place or in a box. Called by src/engine/search/geosort.ts and src/engine/filter/geo.ts; the arrays
// are drawn in src/segment/points.ts.
import { bitmapHas, bitmapSet } from "./bitmap";

const DEGREES_BYTES: usize = 16;
const DOCID_BYTES: usize = 4;

/**
 * For the points of documents that are candidates and not deleted, writes the bits of the squared chord to
 * the direction x, y, z as a u32 key to `keys`, the place of the point to `places`, and a number counting up
 * from `first` to `numbers`. Returns how many.
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
    store<u32>(keys, reinterpret<u32>(square(directions + (<usize>place << 2), axis, x, y, z)));
    store<i32>(places, place);
    store<i32>(numbers, first + found);
    keys += 4;
    places += 4;
    numbers += 4;
    found++;
  }
  return found;
}

/**
 * Adds to a bitmap the documents whose squared chord to the direction x, y, z is at most `sure`; writes the
 * places of those that are farther, but not beyond `most`, to `doubtful` (a u32 for each point). Deleted
 * documents are left out. Returns how many are doubtful.
 */
export function pointsNear(
  points: usize,
  count: i32,
  x: f32,
  y: f32,
  z: f32,
  sure: f32,
  most: f32,
  tombstones: usize,
  words: i32,
  bitmap: usize,
  doubtful: usize,
): i32 {
  const docids = points + <usize>count * DEGREES_BYTES;
  const xs = docids + <usize>count * DOCID_BYTES;
  const axis = <usize>count << 2;
  const ys = xs + axis;
  const zs = ys + axis;
  const allX = f32x4.splat(x);
  const allY = f32x4.splat(y);
  const allZ = f32x4.splat(z);
  const limit = f32x4.splat(most);
  const start = doubtful;
  for (let place = 0; place < count; place += 4) {
    const at = <usize>place << 2;
    if (place + 4 <= count) {
      const dx = f32x4.sub(v128.load(xs + at), allX);
      const dy = f32x4.sub(v128.load(ys + at), allY);
      const dz = f32x4.sub(v128.load(zs + at), allZ);
      const squares = f32x4.add(f32x4.add(f32x4.mul(dx, dx), f32x4.mul(dy, dy)), f32x4.mul(dz, dz));
      if (!v128.any_true(f32x4.le(squares, limit))) continue;
    }
    for (let one = place, end = min(place + 4, count); one < end; one++) {
      const from = <usize>one << 2;
      const chord = square(xs + from, axis, x, y, z);
      const docid = load<i32>(docids + from);
      if (chord > most || (tombstones && bitmapHas(tombstones, words, docid))) continue;
      if (chord <= sure) bitmapSet(bitmap, docid);
      else {
        store<i32>(doubtful, one);
        doubtful += 4;
      }
    }
  }
  return <i32>((doubtful - start) >> 2);
}

/**
 * Adds to a bitmap the documents whose latitude is from `bottom` to `top`, and whose longitude is from `left`
 * to `right`. Deleted documents are left out.
 */
export function pointsInBox(
  points: usize,
  count: i32,
  top: f64,
  right: f64,
  bottom: f64,
  left: f64,
  tombstones: usize,
  words: i32,
  bitmap: usize,
): void {
  const lngs = points + (<usize>count << 3);
  const docids = points + <usize>count * DEGREES_BYTES;
  for (let place: usize = 0; place < <usize>count; place++) {
    const lat = load<f64>(points + (place << 3));
    if (lat > top || lat < bottom) continue;
    const lng = load<f64>(lngs + (place << 3));
    if (lng < left || lng > right) continue;
    const docid = load<i32>(docids + (place << 2));
    if (!tombstones || !bitmapHas(tombstones, words, docid)) bitmapSet(bitmap, docid);
  }
}

/** Square of the chord between two directions: x of one is at `at`, its y and z are `axis` bytes apart. */
function square(at: usize, axis: usize, x: f32, y: f32, z: f32): f32 {
  const dx = load<f32>(at) - x;
  const dy = load<f32>(at + axis) - y;
  const dz = load<f32>(at + axis + axis) - z;
  return dx * dx + dy * dy + dz * dz;
}

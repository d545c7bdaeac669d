// The second cache of the walker (json-walker.ts): numbers of sets of top-level names, by the sum of the
// names' hashes plus 1 for each name. Documents of one payload have few such sets; the host is asked once for
// each. Region, SHAPES_BYTES:
//
//   0          16
//   | used u32 | slot x 2048: sum u64, shape + 1 as u32, 0 u32 |      slots of 16 bytes
import { shape } from "./env";

const SLOTS: u32 = 2048;
const SLOTS_USED_MAX: u32 = SLOTS / 2;
const SLOT_BYTES: usize = 16;

/** Size of the region. */
export const SHAPES_BYTES: usize = 16 + <usize>SLOTS * SLOT_BYTES;

/** Empties the cache. */
export function shapesReset(shapes: usize): void {
  memory.fill(shapes, 0, SHAPES_BYTES);
}

/** Number of the shape of a document whose names sum to `sum`. */
export function shapeOf(shapes: usize, sum: u64, json: usize, length: i32): i32 {
  let index = <u32>(sum >> 32) & (SLOTS - 1);
  for (;;) {
    const slot = slotAt(shapes, index);
    const kept = load<i32>(slot, 8);
    if (kept && load<u64>(slot) == sum) return kept - 1;
    if (!kept) break;
    index = (index + 1) & (SLOTS - 1);
  }
  const asked = shape(json, length);
  if (load<u32>(shapes) == SLOTS_USED_MAX) {
    shapesReset(shapes);
    index = <u32>(sum >> 32) & (SLOTS - 1);
  }
  store<u64>(slotAt(shapes, index), sum);
  store<i32>(slotAt(shapes, index), asked + 1, 8);
  store<u32>(shapes, load<u32>(shapes) + 1);
  return asked;
}

function slotAt(shapes: usize, index: u32): usize {
  return shapes + 16 + <usize>index * SLOT_BYTES;
}

// The scratch memory of one search, as a stack that the host and the core share: taking memory moves the top,
// which is stored at the start. src/core/scratch.ts is the host's side; this side is used throughout this
// folder.
//
//   arena   | u32 top | u32 end | ... 64 bytes | taken ... | free ... |
import { exhausted } from "../env";

const ALIGNMENT: usize = 64;
const RECORD_ALIGNMENT: usize = 16;

let arena: usize = 0;

export function arenaOpen(at: usize): void {
  arena = at;
}

/** Room for kernels, with undefined bytes; kernels may read and write a little beyond it. */
export function alloc(bytes: usize): usize {
  return take(bytes, ALIGNMENT, ALIGNMENT);
}

export function allocZeroed(bytes: usize): usize {
  const pointer = alloc(bytes);
  memory.fill(pointer, 0, bytes);
  return pointer;
}

/** Like alloc, for a sum of sizes that may exceed the address space. */
export function allocSum(bytes: u64): usize {
  if (bytes > <u64>i32.MAX_VALUE) exhausted(i32.MAX_VALUE);
  return alloc(<usize>bytes);
}

/** Zeroed room for a record, beyond which nothing is written. */
export function allocRecord(bytes: usize): usize {
  const pointer = take(bytes, RECORD_ALIGNMENT, 0);
  memory.fill(pointer, 0, bytes);
  return pointer;
}

/** A place to return to with arenaRelease. */
export function arenaMark(): usize {
  return load<u32>(arena);
}

export function arenaRelease(mark: usize): void {
  store<u32>(arena, <u32>mark);
}

function take(bytes: usize, alignment: usize, slack: usize): usize {
  const pointer = (<usize>load<u32>(arena) + alignment - 1) & ~(alignment - 1);
  const top = pointer + bytes + slack;
  // Does not return: the host throws.
  if (top > <usize>load<u32>(arena, 4) || top < pointer) exhausted(bytes);
  store<u32>(arena, <u32>top);
  return pointer;
}

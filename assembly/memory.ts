// Fills and copies inside linear memory for the host: its own fill over shared memory stores byte by byte,
// which is about ten times slower. Called by src/core/core.ts.

/** Sets `bytes` bytes to `value`. */
export function memoryFill(at: usize, value: u32, bytes: usize): void {
  memory.fill(at, <u8>value, bytes);
}

/** Copies bytes between places that may overlap. */
export function memoryCopy(to: usize, from: usize, bytes: usize): void {
  memory.copy(to, from, bytes);
}

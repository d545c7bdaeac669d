// The flag that ends a batch or a merge in another thread: not 0 once it is to end. Made by pool.ts and
// mergeschedule.ts, looked at by the threads.

/** Pages without isolation headers have no shared memory, nor threads that would need it. */
export function newStop(): Int32Array {
  const bytes = Int32Array.BYTES_PER_ELEMENT;
  return new Int32Array(
    typeof SharedArrayBuffer === "undefined" ? new ArrayBuffer(bytes) : new SharedArrayBuffer(bytes),
  );
}

// The flag that ends a batch or a merge in another thread: anything but 0 means stop. Made by pool.ts and
// mergeschedule.ts, checked by the threads.

/** A page without isolation headers has no shared memory, but then no other threads that would need it. */
export function newStop(): Int32Array {
  const bytes = Int32Array.BYTES_PER_ELEMENT;
  return new Int32Array(
    typeof SharedArrayBuffer === "undefined" ? new ArrayBuffer(bytes) : new SharedArrayBuffer(bytes),
  );
}

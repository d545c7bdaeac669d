// Primitives for kernels that work in several threads over one memory, each thread in an instance of its own.
// In the build for one thread these are plain reads and writes. No thread sleeps here: one that finds a lock
// taken tries again, since locks are held for a few microseconds only. Used by graph-*.ts.

/** Adds to a number and returns its previous value. */
export function fetchAdd(at: usize, amount: u32): u32 {
  if (ASC_FEATURE_THREADS) return atomic.add<u32>(at, amount);
  const value = load<u32>(at);
  store<u32>(at, value + amount);
  return value;
}

/** Locks a cell, or gives up when `stop` is set: then nobody will use the result. */
export function lock(cell: usize, stop: usize): void {
  if (!ASC_FEATURE_THREADS) return;
  while (atomic.cmpxchg<u32>(cell, 0, 1)) {
    while (atomic.load<u32>(cell)) if (atomic.load<u32>(stop)) return;
  }
}

export function unlock(cell: usize): void {
  if (ASC_FEATURE_THREADS) atomic.store<u32>(cell, 0);
}

// Counts the helpers at work on a graph: a cell in memory of its own, which stays valid when the graph's
// memory is reused. Used by graphhelpers.ts and graphthread.ts.
//
//   cell   | 1 bit closed | 1 bit failed | 30 bits helpers at work |

const CLOSED = 1 << 31;
const FAILED = 1 << 30;
/** Longest sleep until the cell is looked at again. */
const WAIT_MS = 100;

export const newAttendance = (): Int32Array => new Int32Array(new SharedArrayBuffer(4));

/** False when the graph is finished or given up: its memory may already be in use for something else. */
export function enter(attendance: Int32Array): boolean {
  for (;;) {
    const state = Atomics.load(attendance, 0);
    if ((state & CLOSED) !== 0) return false;
    if (Atomics.compareExchange(attendance, 0, state, state + 1) === state) return true;
  }
}

export function leave(attendance: Int32Array, isWell: boolean): void {
  if (!isWell) Atomics.or(attendance, 0, FAILED);
  Atomics.sub(attendance, 0, 1);
  Atomics.notify(attendance, 0);
}

/** Lets no more helpers in, and waits until all have left. False when one of them failed. */
export function awaitLeaving(attendance: Int32Array): boolean {
  Atomics.or(attendance, 0, CLOSED);
  for (;;) {
    const state = Atomics.load(attendance, 0);
    if ((state & ~(CLOSED | FAILED)) === 0) return (state & FAILED) === 0;
    Atomics.wait(attendance, 0, state, WAIT_MS);
  }
}

// Work of the write thread that may have to wait for others, such as embedders. It is a generator that yields
// what it waits for. Work that waits for nothing is finished when `complete` returns.
import { TarsierError } from "../errors.ts";

/** Something to wait for; the wait is given up when the signal fires. */
export type Wait = (signal: AbortSignal) => Promise<void>;

export type Work<T> = Generator<Wait, T, void>;

/** Waits for a value. */
export function* waitFor<T>(ask: (signal: AbortSignal) => Promise<T>): Work<T> {
  let answer: { value: T } | null = null;
  yield async (signal) => {
    answer = { value: await ask(signal) };
  };
  return answer!.value;
}

const STOP_INTERVAL_MS = 50;

/**
 * `stop`: when its element is not 0, the wait is given up and the work ends with `aborted`. `beat`: called
 * now and then during a wait, and at its end.
 */
export function complete<T>(work: Work<T>, stop: Int32Array | null, beat: () => void): T | Promise<T> {
  const step = work.next();
  return step.done ? step.value : resume(work, step.value, stop, beat);
}

async function resume<T>(work: Work<T>, first: Wait, stop: Int32Array | null, beat: () => void): Promise<T> {
  for (let wait = first; ; ) {
    const step = await attempt(wait, stop, beat).then(
      () => work.next(),
      (error) => work.throw(error),
    );
    if (step.done) return step.value;
    wait = step.value;
  }
}

async function attempt(wait: Wait, stop: Int32Array | null, beat: () => void): Promise<void> {
  const abort = new AbortController();
  const isStopped = () => stop !== null && Atomics.load(stop, 0) !== 0;
  const timer = setInterval(() => {
    if (isStopped()) abort.abort();
    beat();
  }, STOP_INTERVAL_MS);
  try {
    if (!isStopped()) await wait(abort.signal);
  } catch (error) {
    if (!isStopped()) throw error;
  } finally {
    clearInterval(timer);
    beat();
  }
  if (isStopped()) throw new TarsierError("aborted");
}

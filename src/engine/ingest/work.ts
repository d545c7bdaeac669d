// Work of the write thread that may have to wait for others: embedders answer when they answer. It is a
// generator that gives out what it waits for. Work that waits for nothing is done when `complete` returns.
import { TarsierError } from "../../errors.ts";

/** Something to wait for, given up when the signal fires. */
export type Wait = (signal: AbortSignal) => Promise<void>;

export type Work<T> = Generator<Wait, T, void>;

const STOP_INTERVAL_MS = 50;

/**
 * `stop`: what is waited for is given up, and the work ends with `aborted`, when its element is not 0.
 * `beat`: called now and then while something is waited for, and when that has ended.
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

// The loop for repeated attempts, shared by everything that calls other servers. Only the caller knows which
// failures are worth another attempt, and how long to wait for it.
import { setTimeout as sleep } from "node:timers/promises";

/** Outcome of one attempt. */
export type Outcome<Result, Failure> = { result: Result } | { failure: Failure };

/**
 * Repeats the attempt until it has a result, or until `waitMs`, given the number of attempts so far, returns
 * null. Then, or when the signal fires during a pause, the outcome is the last failure.
 */
export async function retried<Result, Failure>(
  attempt: () => Promise<Outcome<Result, Failure>>,
  waitMs: (failure: Failure, tries: number) => number | null,
  signal?: AbortSignal,
): Promise<Outcome<Result, Failure>> {
  for (let tries = 1; ; tries++) {
    const outcome = await attempt();
    if ("result" in outcome) return outcome;
    const milliseconds = waitMs(outcome.failure, tries);
    if (milliseconds === null) return outcome;
    await pause(milliseconds, signal);
    if (signal?.aborted) return outcome;
  }
}

/** Fulfilled after a time, or as soon as the signal fires. */
async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}

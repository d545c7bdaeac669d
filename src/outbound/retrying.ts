// Trying again: the one loop of all who call other servers. What is worth another try, and how long to wait
// for it, only the caller knows.
import { setTimeout as sleep } from "node:timers/promises";

/** What a try came to. */
export type Outcome<Result, Failure> = { result: Result } | { failure: Failure };

/**
 * Tries until there is a result, or until `waitMs` (after so many tries) says that there is no other try:
 * null. Then, and when the signal fires during a wait, the last failure is what it came to.
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

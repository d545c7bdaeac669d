// What the suites use of node:test, for pages: tests are gathered, then run one after the other by `runAll`.

type Run = (context: TestContext) => unknown;

export interface TestContext {
  after(cleanup: () => unknown): void;
}

export interface Outcome {
  name: string;
  /** Null: it passed. */
  error: string | null;
}

interface Registered {
  name: string;
  run: Run;
}

const tests: Registered[] = [];
const cleanups: (() => unknown)[] = [];
const groups: string[] = [];

export function test(name: string, first: Run | object, second?: Run): void {
  tests.push({ name: [...groups, name].join(": "), run: second ?? (first as Run) });
}

export const it = test;

export function describe(name: string, body: () => void): void {
  groups.push(name);
  body();
  groups.pop();
}

/** When all tests have run. */
export function after(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

export async function runAll(): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { name, run } of tests.splice(0)) {
    const ends: (() => unknown)[] = [];
    let error: string | null = null;
    try {
      await run({ after: (cleanup) => ends.push(cleanup) });
      for (const end of ends.reverse()) await end();
    } catch (cause) {
      error = cause instanceof Error ? `${cause.message}\n${cause.stack}` : String(cause);
    }
    outcomes.push({ name, error });
  }
  for (const cleanup of cleanups.splice(0)) await cleanup();
  return outcomes;
}

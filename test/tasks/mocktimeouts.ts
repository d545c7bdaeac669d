// `setTimeout` under the hand of a test. Called by tests of what waits.
import type { TestContext } from "node:test";

/** Node before 20.17 lets no mocked `clearTimeout` have nothing to clear. */
export function mockTimeouts({ mock }: TestContext): void {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { clearTimeout } = globalThis;
  mock.method(globalThis, "clearTimeout", (timer?: NodeJS.Timeout) => {
    if (timer !== undefined) clearTimeout(timer);
  });
}

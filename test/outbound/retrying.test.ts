// Trying again: until a result, until the caller has had enough, or until it is told to stop.
import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import { type Outcome, retried } from "../../src/outbound/retrying.ts";

test("it is tried until there is a result, with the waits that the caller asks for", async () => {
  const asked: [failure: string, tries: number][] = [];
  let tries = 0;
  const outcome = await retried(
    async (): Promise<Outcome<string, string>> =>
      ++tries < 4 ? { failure: `failure ${tries}` } : { result: "there" },
    (failure, tried) => {
      asked.push([failure, tried]);
      return 1;
    },
  );
  deepEqual(outcome, { result: "there" });
  deepEqual(asked, [
    ["failure 1", 1],
    ["failure 2", 2],
    ["failure 3", 3],
  ]);
});

test("without another wait the last failure is what it came to", async () => {
  let tries = 0;
  const outcome = await retried(
    async () => ({ failure: ++tries }),
    (_, tried) => (tried < 3 ? 0 : null),
  );
  deepEqual([outcome, tries], [{ failure: 3 }, 3]);
});

test("a signal ends the wait, and there is no other try", async () => {
  const stop = new AbortController();
  let tries = 0;
  const waiting = retried(
    async () => ({ failure: ++tries }),
    () => 3_600_000,
    stop.signal,
  );
  setImmediate(() => stop.abort());
  deepEqual(await waiting, { failure: 1 });
  equal(tries, 1);
});

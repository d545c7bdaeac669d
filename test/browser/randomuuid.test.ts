// Random uids where the browser makes none.
import { deepEqual, equal, match } from "node:assert/strict";
import { test } from "node:test";
import { ensureRandomUuid, randomUuid } from "../../src/browser/randomuuid.ts";

test("random uids have the form of those that browsers make, and differ", () => {
  const uids = Array.from({ length: 100 }, randomUuid);
  for (const uid of uids) match(uid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  equal(new Set(uids).size, uids.length);
});

test("uids are made only where the browser makes none", (t) => {
  const { crypto } = globalThis;
  t.after(() => Object.defineProperty(globalThis, "crypto", { value: crypto, configurable: true }));
  const own = () => "own";
  const outcomes = [{ randomUUID: own }, {}].map((scope) => {
    Object.defineProperty(globalThis, "crypto", { value: scope, configurable: true });
    ensureRandomUuid();
    return (scope as { randomUUID?: unknown }).randomUUID;
  });
  deepEqual(outcomes, [own, randomUuid]);
});

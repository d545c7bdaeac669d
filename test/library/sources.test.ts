// Sources of additions: they end with the store, and many at once cost no more than one by one.
import { equal, ok, rejects } from "node:assert/strict";
import { test } from "node:test";
import { open } from "../../src/index.ts";
import { Sources } from "../../src/operations/sources.ts";

test("a store that closes waits for no documents that have not come", async () => {
  const store = await open();
  const silent = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
  const additions = Array.from({ length: 20 }, () => store.index("teas").add(silent));
  const refused = additions.map((addition) => rejects(addition, { code: "aborted" }));
  await store.close();
  await Promise.all(refused);
});

test("additions are no listeners of one target, which compares each with all others", async (context) => {
  const store = await open();
  const { mock } = context.mock.method(EventTarget.prototype, "addEventListener");
  await Promise.all(Array.from({ length: 20 }, (_, id) => store.index("teas").add({ id })));
  const targets = mock.calls.map((call) => call.this);
  // A batch has some of its own, and each addition may run in one.
  const most = Math.max(...targets.map((target) => targets.filter((other) => other === target).length));
  ok(most < 20, `${most} listeners of one target`);
  await store.close();
});

test("a source that has ended is not kept; one that begins after the stop is not read", async () => {
  let toldCount = 0;
  const sources = new Sources(() => new Error(`stopped ${++toldCount}`));
  async function* pieces() {
    yield new Uint8Array(1);
  }
  for await (const piece of sources.read(pieces())) equal(piece.length, 1);
  sources.stop();
  equal(toldCount, 0);
  await rejects(sources.read(pieces()).next(), /stopped 1/);
});

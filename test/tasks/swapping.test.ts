// Swaps and renames, and what they do to the history.
import assert from "node:assert/strict";
import { test } from "node:test";
import { add, create, openFixture, rename, reopen, settings, swap, uids } from "./setup.ts";

test("a swap exchanges the indexes and the task history, and undoes itself", async () => {
  const fixture = await openFixture();
  await add(fixture.instance, "red", [{ id: 1 }, { id: 2 }]);
  await add(fixture.instance, "white", [{ sku: 1 }], { primaryKey: "sku" });
  await fixture.instance.idle();
  const before = fixture.instance.index("red");
  await fixture.instance.register(swap(["red", "white"]));
  await fixture.instance.idle();
  const { instance } = await reopen(fixture);
  assert.deepEqual([instance.task(0, null).indexUid, instance.task(1, null).indexUid], ["white", "red"]);
  assert.deepEqual(uids(instance, { indexUids: ["red"] }), [1]);
  assert.deepEqual(instance.index("white"), { ...before, uid: "white" });
  assert.equal(instance.index("red").primaryKey, "sku");
  assert.deepEqual(instance.task(2, null).details, { swaps: [{ indexes: ["red", "white"], rename: false }] });
  await instance.register(swap(["white", "red"]));
  await instance.idle();
  assert.deepEqual(uids(instance, { indexUids: ["red"] }), [0]);
  assert.deepEqual(instance.task(2, null).details, { swaps: [{ indexes: ["white", "red"], rename: false }] });
  assert.deepEqual(instance.task(3, null).details, { swaps: [{ indexes: ["white", "red"], rename: false }] });
});

test("one missing index fails all pairs of a swap", async () => {
  const { instance } = await openFixture();
  for (const uid of ["red", "white", "rose"]) await instance.register(create(uid, uid));
  await instance.register(swap(["red", "white"], ["rose", "green"]));
  await instance.idle();
  assert.equal(instance.task(3, null).error?.code, "index_not_found");
  assert.match(instance.task(3, null).error!.message, /green/);
  assert.equal(instance.index("red").primaryKey, "red");
  await instance.register(swap(["red", "white"]));
  await instance.register(swap());
  await instance.idle();
  assert.equal(instance.index("red").primaryKey, "white");
  assert.deepEqual(instance.task(5, null).details, { swaps: [] });
});

test("a swap with rename needs a free name", async () => {
  const { instance } = await openFixture();
  await instance.register(create("red", "id"));
  await instance.register(create("white"));
  const pair = (a: string, b: string) => {
    return { type: "indexSwap" as const, swaps: [{ indexes: [a, b] as [string, string], rename: true }] };
  };
  await instance.register(pair("red", "white"));
  await instance.register(pair("nowhere", "somewhere"));
  await instance.register(pair("red", "crimson"));
  await instance.idle();
  assert.equal(instance.task(2, null).error?.code, "index_already_exists");
  assert.equal(instance.task(3, null).error?.code, "index_not_found");
  assert.deepEqual(
    instance.indexes(0, 9, null).results.map(({ uid }) => uid),
    ["crimson", "white"],
  );
  assert.equal(instance.task(0, null).indexUid, "crimson");
});

test("a rename takes the history along, its own task keeps the old name", async () => {
  const fixture = await openFixture();
  await add(fixture.instance, "teas", [{ id: 1 }]);
  await fixture.instance.register(settings("teas"));
  await fixture.instance.register(rename("teas", "infusions"));
  await fixture.instance.register(rename("teas", "other"));
  await fixture.instance.register(create("coffees"));
  await fixture.instance.register(rename("coffees", "infusions"));
  await fixture.instance.idle();
  const { instance } = await reopen(fixture);
  assert.deepEqual(
    [0, 1, 2].map((uid) => instance.task(uid, null).indexUid),
    ["infusions", "infusions", "teas"],
  );
  assert.deepEqual(instance.task(2, null).details, {
    primaryKey: null,
    oldIndexUid: "teas",
    newIndexUid: "infusions",
  });
  assert.equal(instance.task(3, null).error?.code, "index_not_found");
  assert.equal(instance.task(5, null).error?.code, "index_already_exists");
  assert.deepEqual(uids(instance, { indexUids: ["infusions"] }), [0, 1, 2, 5]);
});

test("a key and a new name can be given together; renaming to the same name changes nothing", async () => {
  const { instance } = await openFixture();
  await instance.register(create("teas"));
  await instance.idle();
  const before = instance.index("teas");
  await instance.register(rename("teas", "teas"));
  await instance.idle();
  assert.deepEqual(instance.index("teas"), before);
  await instance.register({
    type: "indexUpdate",
    indexUid: "teas",
    primaryKey: "sku",
    newIndexUid: "infusions",
  });
  await instance.idle();
  assert.equal(instance.index("infusions").primaryKey, "sku");
  assert.ok(instance.index("infusions").updatedAt > before.updatedAt);
});

test("what a rename tells of itself stays when its indexes are renamed later", async () => {
  const fixture = await openFixture();
  await fixture.instance.register(create("teas"));
  await fixture.instance.register(create("cups"));
  await fixture.instance.register(rename("teas", "infusions"));
  await fixture.instance.register(rename("infusions", "drinks"));
  await fixture.instance.register(swap(["drinks", "cups"]));
  await fixture.instance.idle();
  const { instance } = await reopen(fixture);
  const names = (uid: number) => {
    const { oldIndexUid, newIndexUid } = instance.task(uid, null).details!;
    return [oldIndexUid, newIndexUid];
  };
  assert.deepEqual(names(2), ["teas", "infusions"]);
  assert.deepEqual(names(3), ["infusions", "drinks"]);
  // The tasks themselves are found by the names of today.
  assert.deepEqual(uids(instance, { indexUids: ["cups"] }), [0, 2, 3]);
});

test("many pairs at once exchange what earlier swaps and tasks tell, each by its own", async () => {
  const fixture = await openFixture();
  const names = ["a", "b", "c", "d", "e"];
  for (const name of names) await fixture.instance.register(create(name));
  await fixture.instance.register(swap(["a", "b"], ["d", "e"]));
  await fixture.instance.register(swap(["a", "c"], ["b", "d"]));
  await fixture.instance.idle();
  const { instance } = await reopen(fixture);
  // As one pair after the other would: a -> b -> d, b -> a -> c, c -> a, d -> e, e -> d -> b.
  assert.deepEqual(
    names.map((_, uid) => instance.task(uid, null).indexUid),
    ["d", "c", "a", "e", "b"],
  );
  const swaps = [
    ["c", "d"],
    ["b", "e"],
  ].map((indexes) => ({ indexes, rename: false }));
  assert.deepEqual(instance.task(5, null).details, { swaps });
});

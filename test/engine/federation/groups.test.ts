// Which search thread gets which indexes of a federated search.
import { deepEqual, ok } from "node:assert/strict";
import { test } from "node:test";
import { groupsOf } from "../../../src/engine/federation/groups.ts";

test("a thread gets all of its indexes in one call", () => {
  deepEqual(groupsOf(["a", "b", "a", "b", "a"]), [
    { thread: "a", orders: [0, 2, 4] },
    { thread: "b", orders: [1, 3] },
  ]);
  deepEqual(groupsOf([]), []);
});

test("of many indexes a thread gets several calls, each index in one of them", () => {
  const groups = groupsOf(Array.from({ length: 100 }, (_, i) => i % 2));
  const orders = groups.flatMap((group) => group.orders).sort((a, b) => a - b);
  deepEqual(
    orders,
    Array.from({ length: 100 }, (_, i) => i),
  );
  for (const group of groups) {
    ok(group.orders.length <= 16);
    ok(group.orders.every((order) => order % 2 === group.thread));
  }
});

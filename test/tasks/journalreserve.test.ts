// The space that is set aside for a journal: what has been taken of it is known, and a journal that was
// rewritten has it again.
import { ok, rejects } from "node:assert/strict";
import { test } from "node:test";
import { SPACE_RESERVE_BYTES } from "../../src/limits.ts";
import { Journal } from "../../src/tasks/journal.ts";
import type { JournalRecord } from "../../src/tasks/records.ts";
import { SpaceReserve } from "../../src/tasks/spacereserve.ts";
import { SmallDisk } from "../storage/smalldisk.ts";

const FULL = { code: "no_space_left_on_device" };
const KIBIBYTE = 1024;

const value = (bytes: number): JournalRecord => {
  return { type: "put", kind: "keys", key: "a", value: "x".repeat(bytes) };
};

test("all that is set aside is there for tasks that make room, except for an end", async () => {
  const storage = new SmallDisk();
  // As a process before this one leaves it.
  new SpaceReserve(storage).restore();
  const journal = Journal.open(storage, new SpaceReserve(storage));
  storage.leaveFree(0);
  const before = journal.bytes;
  await rejects(async () => {
    for (;;) await journal.write(value(100), "task");
  }, FULL);
  const taken = journal.bytes - before;
  ok(taken > SPACE_RESERVE_BYTES - 2 * KIBIBYTE, `${taken} bytes`);
  await journal.write(value(400), "end");
  await journal.close();
});

test("a journal that was rewritten has its room at once", async () => {
  const storage = new SmallDisk({ keepsRoom: true });
  const journal = Journal.open(storage);
  await journal.write(value(100));
  await journal.compactNow();
  storage.leaveFree(0);
  await journal.write(value(100), "task");
  await journal.close();
});

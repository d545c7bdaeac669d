// A journal that is rewritten while others write to it, ask for another rewrite, or close it.
import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { test } from "node:test";
import { JOURNAL_GARBAGE_BYTES_MIN } from "../../src/limits.ts";
import { Journal } from "../../src/tasks/journal.ts";
import type { TaskKind } from "../../src/tasks/kinds.ts";
import { Payloads } from "../../src/tasks/payloads.ts";
import { Registrar } from "../../src/tasks/registrar.ts";
import type { SpaceReserve } from "../../src/tasks/spacereserve.ts";
import { Clock } from "../../src/tasks/time.ts";
import { FaultyStorage } from "../storage/faulty.ts";
import { deleteIds } from "./setup.ts";

test("what is long and written while the journal is rewritten is found in its new place", async () => {
  const storage = new FaultyStorage();
  const journal = Journal.open(storage);
  const registrar = new Registrar(journal, new Payloads(storage), new Clock());
  // Not kept in memory.
  const longId = (uid: number) => `${uid}`.padEnd(2000, ".");
  let count = 0;
  const write = async () => {
    for (let turn = 0; turn < 20; turn++) {
      const id = longId(count++);
      await registrar.register(deleteIds("ferns", id));
    }
  };
  const writing = Promise.all([write(), write(), write()]);
  let rewrites = 0;
  let isWritten = false;
  void writing.then(() => (isWritten = true));
  for (; !isWritten; rewrites++) await journal.compactNow();
  ok(rewrites > 1);
  const idOf = (kind: TaskKind) =>
    kind.type === "documentDeletion" && kind.by === "ids" ? kind.ids[0] : null;
  const ids = ({ state }: Journal) =>
    Array.from({ length: count }, (_, uid) => idOf(state.tasks.get(uid)!.kind));
  const expected = Array.from({ length: count }, (_, uid) => longId(uid));
  deepEqual(ids(journal), expected);
  await journal.close();
  const again = Journal.open(storage);
  deepEqual(ids(again), expected);
  await again.close();
  equal(storage.openFiles, 0);
});

test("rewrites asked for at once are one or follow one another, and a close waits for them", async () => {
  const storage = new FaultyStorage();
  const journal = Journal.open(storage);
  const value = "x".repeat(JOURNAL_GARBAGE_BYTES_MIN / 2);
  for (let round = 0; round < 3; round++)
    await journal.write({ type: "put", kind: "keys", key: "a", value: value + round });
  const renames = () => storage.trace.filter(({ kind }) => kind === "rename").length;
  const before = renames();
  await Promise.all([journal.compact(), journal.compact()]);
  equal(renames(), before + 1);
  await Promise.all([journal.compactNow(), journal.compactNow()]);
  equal(renames(), before + 3);
  const last = journal.compactNow();
  await journal.close();
  await last;
  equal(storage.openFiles, 0);
});

test("a reserve that cannot be made for another reason than space is no reason to end tasks", async () => {
  const failing = (code: string): SpaceReserve => {
    const storage = new FaultyStorage();
    storage.rule = () => ({ code: code as "EIO", effect: "none" });
    const restore = () => storage.create("reserve");
    return { isWhole: true, restore } as unknown as SpaceReserve;
  };
  const full = Journal.open(new FaultyStorage(), failing("ENOSPC"));
  equal(full.restoreReserve()?.code, "no_space_left_on_device");
  const broken = Journal.open(new FaultyStorage(), failing("EIO"));
  throws(() => broken.restoreReserve(), { code: "io_error" });
});

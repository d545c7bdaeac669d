// Registration of writes that have a payload, go to other servers, or come from one: what is kept of them,
// and what is not when they are refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  OUTGOING_BYTES_MAX,
  OUTGOING_INLINE_BYTES_MAX,
  OUTGOING_WRITES_MAX,
  PAYLOAD_INLINE_BYTES_MAX,
} from "../../src/limits.ts";
import { JOURNAL_NAME } from "../../src/segment/journalfile.ts";
import { Journal } from "../../src/tasks/journal.ts";
import { type OutgoingDraft, type OutgoingWrite, OutgoingWrites } from "../../src/tasks/outgoing.ts";
import { PAYLOADS_FOLDER, Payloads } from "../../src/tasks/payloads.ts";
import { Registrar } from "../../src/tasks/registrar.ts";
import { Clock } from "../../src/tasks/time.ts";
import { FaultyStorage } from "../storage/faulty.ts";
import { add, create, openFixture, openOver, reopen, statuses } from "./setup.ts";

const LONG = "x".repeat(PAYLOAD_INLINE_BYTES_MAX);
const outgoing: OutgoingDraft = {
  method: "PATCH",
  path: "/indexes/ferns/settings",
  self: "a",
  members: ["a", "b"],
  waiting: ["b"],
  json: JSON.stringify(LONG),
  hasBody: true,
};
const waiting: OutgoingWrite = {
  ...outgoing,
  id: "",
  taskUid: 0,
  contentType: null,
  inline: null,
  payload: null,
  payloadBytes: 0,
};

test("a write that may be on disk although its sync failed keeps its payload", async () => {
  const fixture = await openOver(new FaultyStorage(), { batchTasksMax: 0 });
  const { storage, instance } = fixture;
  storage.rule = (kind, name) =>
    kind === "sync" && name === JOURNAL_NAME ? { code: "EIO", effect: "none" } : null;
  await assert.rejects(add(instance, "ferns", [{ id: 1, LONG }]), { code: "io_error" });
  storage.rule = null;
  const again = await reopen(fixture);
  await again.instance.idle();
  assert.deepEqual(statuses(again.instance), ["0 succeeded"]);
  assert.deepEqual(storage.list(PAYLOADS_FOLDER), []);
});

test("a write for other servers that finds no space leaves no body behind", async () => {
  for (const full of [JOURNAL_NAME, PAYLOADS_FOLDER]) {
    const { storage, instance } = await openOver(new FaultyStorage(), { batchTasksMax: 0 });
    storage.rule = (kind, name) =>
      kind === "write" && name.startsWith(full) ? { code: "ENOSPC", effect: "none" } : null;
    const refusal = { code: "no_space_left_on_device" };
    await assert.rejects(instance.register({ ...create("ferns"), outgoing }), refusal);
    assert.deepEqual(storage.list(PAYLOADS_FOLDER), [], full);
    storage.rule = null;
    await instance.register({ ...create("ferns"), outgoing });
    assert.equal(storage.list(PAYLOADS_FOLDER).length, 1);
  }
});

test("while too much waits for other servers, writes for them are refused, and no others", async () => {
  const journal = Journal.open(new FaultyStorage());
  const box = new OutgoingWrites();
  const full = Object.create(journal, { state: { value: { outgoing: box } }, bytes: { value: 0 } });
  const registrar = new Registrar(full, new Payloads(new FaultyStorage()), new Clock());
  const deliverAll = () => {
    for (const { taskUid } of [...box])
      box.deliver({ taskUid, remote: "b", outcome: { task_uid: 0 }, isFinal: true });
  };
  const inline = new Uint8Array(OUTGOING_INLINE_BYTES_MAX);
  for (const last of [
    { payloadBytes: OUTGOING_BYTES_MAX },
    { inline },
    { taskUid: OUTGOING_WRITES_MAX - 1 },
  ]) {
    if (last.taskUid)
      for (let taskUid = 0; taskUid < last.taskUid; taskUid++) box.add({ ...waiting, taskUid });
    box.refuseFull();
    box.add({ ...waiting, ...last });
    await assert.rejects(registrar.register({ ...create("ferns"), outgoing }), {
      code: "no_space_left_on_device",
      message: /wait to be sent to the remotes `b`/,
    });
    deliverAll();
    box.refuseFull();
  }
  await journal.close();
});

test("a write that another server sends twice at once is one task with one payload", async () => {
  const { storage, instance } = await openFixture({ batchTasksMax: 0 });
  const receive = (writeId: string) => {
    const payload = instance.draftPayload();
    payload.append(Buffer.from(JSON.stringify({ id: 1, LONG })));
    return instance.register({
      type: "documentAdditionOrUpdate",
      indexUid: "ferns",
      method: "replace",
      primaryKey: null,
      documentsCount: 1,
      payload,
      allowIndexCreation: true,
      skipCreation: false,
      origin: { remoteName: "b", writeId },
    });
  };
  const tasks = await Promise.all(["1", "1", "2", "2"].map(receive));
  const [first, again, other, otherAgain] = tasks.map(({ taskUid }) => taskUid);
  assert.deepEqual([again, otherAgain], [first, other]);
  assert.notEqual(first, other);
  assert.equal(storage.list(PAYLOADS_FOLDER).length, 2);
});

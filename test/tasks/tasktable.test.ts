// What the table of tasks keeps in memory: small payloads, lists of ids and settings only while their tasks
// wait.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pack, unpack } from "../../src/tasks/codec.ts";
import type { TaskBody, TaskRecord } from "../../src/tasks/task.ts";
import { TaskTable } from "../../src/tasks/tasktable.ts";
import { waitingRecord } from "./waitingrecord.ts";

const PAYLOAD_BYTES = 50_000;

const payloadOf = (uid: number) => new Uint8Array(PAYLOAD_BYTES).fill(uid);

function record(uid: number): TaskRecord {
  return waitingRecord({
    uid,
    kind: "documentAdditionOrUpdate",
    shown: "films",
    body: pack({ kind: { type: "documentAdditionOrUpdate", indexUid: "films" }, uid }),
    inline: payloadOf(uid),
  });
}

test("payloads of tasks that ended are let go, those of tasks that wait stay", () => {
  const table = new TaskTable();
  const end = { status: "succeeded", canceledBy: null, outcome: pack({ error: null }) } as const;
  for (let uid = 0; uid < 200; uid++) {
    table.add(record(uid));
    if (uid % 10 !== 0) table.finish(uid, end);
  }
  assert.ok(table.arenas.passing.length < 60 * PAYLOAD_BYTES, `${table.arenas.passing.length} bytes`);
  for (let uid = 0; uid < 200; uid++)
    assert.deepEqual(table.inlinePayload(uid), uid % 10 === 0 ? payloadOf(uid) : null);
});

test("a snapshot tells of the payloads that were there when it was taken", () => {
  const table = new TaskTable();
  for (let uid = 0; uid < 100; uid++) table.add(record(uid));
  const snapshot = table.snapshot();
  for (let uid = 0; uid < 100; uid++)
    table.finish(uid, { status: "failed", canceledBy: null, outcome: pack({ error: null }) });
  const inlines = [...snapshot].map(({ inline }) => inline);
  assert.deepEqual(
    inlines,
    Array.from({ length: 100 }, (_, uid) => payloadOf(uid)),
  );
});

test("ids of deletions that ended are let go, those of deletions that wait stay", () => {
  const table = new TaskTable();
  const ids = Array.from({ length: 5000 }, (_, id) => `document-${id}`);
  const kind = { type: "documentDeletion", by: "ids", indexUid: "films", ids } as const;
  const body = pack({ kind });
  for (let uid = 0; uid < 200; uid++) {
    table.add({ ...record(uid), kind: "documentDeletion", body, inline: null });
    if (uid === 100) table.startProcessing([uid], 7, 1);
    if (uid % 10 !== 0) table.finish(uid, { status: "succeeded", canceledBy: null, outcome: null });
  }
  const { lasting, passing } = table.arenas;
  assert.ok(passing.length < 60 * body.length, `${passing.length} bytes`);
  assert.equal(lasting.garbage, 0);
  assert.ok(lasting.length < 200 * body.length * 0.01, `${lasting.length} bytes`);
  const kept = [...table.snapshot()].map(({ body }) => unpack<TaskBody>(body).kind);
  for (let uid = 0; uid < 200; uid++) {
    const expected = uid % 10 === 0 ? kind : { ...kind, ids: [] };
    assert.deepEqual(kept[uid], expected);
    assert.deepEqual(table.get(uid)?.kind, expected);
  }
});

test("a waiting deletion is told of without its ids, and run with them", () => {
  const table = new TaskTable();
  const kind = { type: "documentDeletion", by: "ids", indexUid: "films", ids: ["1", "2"] } as const;
  table.add({ ...record(1), kind: "documentDeletion", body: pack({ kind }), inline: null });
  const network = { origin: { remoteName: "there", taskUid: 5 } };
  assert.deepEqual(table.brief(1)?.kind, { ...kind, ids: [] });
  table.setNetwork(1, network);
  assert.deepEqual(table.brief(1), { ...table.get(1), kind: { ...kind, ids: [] }, network });
  assert.deepEqual(table.get(1)?.kind, kind);
  table.finish(1, { status: "succeeded", canceledBy: null, outcome: null });
  assert.deepEqual(table.get(1), table.brief(1));
  assert.deepEqual(table.get(1)?.network, network);
});

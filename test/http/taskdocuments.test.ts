// GET /tasks/{uid}/documents: what an addition brought, as long as it has not ended.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { INDEX, startFixture } from "./harness.ts";

/** A server whose engine lets no addition end. */
async function startStalled() {
  const fixture = await startFixture();
  const { app, code, engine } = fixture;
  await code("PATCH /experimental-features", { getTaskDocumentsRoute: true });
  engine.hold();
  const read = (taskUid: number) => app.inject({ method: "GET", url: `/tasks/${taskUid}/documents` });
  return { ...fixture, read };
}

test("the documents of a task are read line by line until it ends", async () => {
  const { app, code, read } = await startStalled();
  const large = [{ id: 3, text: "x".repeat(90_000) }];
  for (const documents of [[{ id: 1 }, { id: 2, a: [1] }], large, []]) {
    await app.inject({ method: "POST", url: `/indexes/${INDEX}/documents`, payload: documents });
  }
  const small = await read(1);
  assert.equal(small.statusCode, 200);
  assert.equal(small.headers["content-type"], "application/x-ndjson");
  assert.equal(small.body, '{"id":1}\n{"id":2,"a":[1]}\n');
  assert.equal((await read(2)).body, `${JSON.stringify(large[0])}\n`);
  assert.equal((await read(3)).body, "");
  assert.deepEqual(await code("GET /tasks/0/documents"), [404, "task_file_not_found"]);
});

test("the file of the documents is closed once they were sent, or asked for by HEAD", async () => {
  const { app, code, read, storage } = await startStalled();
  const open = storage.open.bind(storage);
  const [opened, closed]: [string[], string[]] = [[], []];
  await code(`POST /indexes/${INDEX}/documents`, [{ id: 1, text: "x".repeat(90_000) }]);
  storage.open = (name) => {
    const file = open(name);
    const close = file.close.bind(file);
    opened.push(name);
    file.close = () => {
      closed.push(name);
      close();
    };
    return file;
  };
  await read(1);
  await app.inject({ method: "HEAD", url: "/tasks/1/documents" });
  await setImmediate();
  assert.equal(opened.length, 2);
  assert.deepEqual(closed, opened);
});

test("a task that brings no documents has none to read", async () => {
  const { code } = await startStalled();
  await code(`POST /indexes/${INDEX}/documents`, [{ id: 1 }]);
  await code(`DELETE /indexes/${INDEX}/documents`);
  assert.deepEqual(await code("GET /tasks/2/documents"), [404, "task_file_not_found"]);
  assert.deepEqual(await code("GET /tasks/9/documents"), [404, "task_not_found"]);
  assert.deepEqual(await code("GET /tasks/x/documents"), [400, "invalid_task_uids"]);
});

test("documents of tasks are read with the feature for it only", async () => {
  const { code } = await startFixture();
  for (const taskUid of ["0", "x"])
    assert.deepEqual(await code(`GET /tasks/${taskUid}/documents`), [400, "feature_not_enabled"]);
});

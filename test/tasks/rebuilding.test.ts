// What takes long in the background: a rebuild after a change of settings, and an edit that never ends. The
// rest goes on meanwhile, and what is canceled leaves nothing behind.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openThreadedEngine, type PoolEngine } from "../../src/engine/pool.ts";
import { searchQueryOf } from "../../src/schemas/search.ts";
import { FileStorage } from "../../src/storage/file.ts";
import { Instance } from "../../src/tasks/instance.ts";
import type { TaskView } from "../../src/tasks/views.ts";
import { Place } from "./copyfixture.ts";

const MEBIBYTE = 2 ** 20;
const SIZES = { threads: 1, indexingBytes: 96 * MEBIBYTE, searchBytes: 32 * MEBIBYTE, durable: false };
const DOCUMENTS = 40_000;
/** In one step of the interpreter, which asks nobody whether it shall go on. */
const STUCK = "Array.prototype.indexOf.call({ length: 2 ** 50 }, 1)";

const place = new Place();
let engine: PoolEngine;
let instance: Instance;

before(async () => {
  const root = place.folder("data");
  engine = openThreadedEngine(root, SIZES);
  instance = await Instance.open({ storage: new FileStorage(root, false), engine });
  const draft = instance.draftPayload();
  for (let id = 0; id < DOCUMENTS; id++) {
    const words = Array.from({ length: 12 }, (_, place) => `word${(id * 7 + place * 31) % 5_000}`).join(" ");
    draft.append(Buffer.from(`{"id":${id},"title":"title${id % 100}","text":"${words}"}\n`));
  }
  await instance.register({
    type: "documentAdditionOrUpdate",
    indexUid: "i",
    method: "replace",
    primaryKey: "id",
    documentsCount: DOCUMENTS,
    payload: draft,
    allowIndexCreation: true,
    skipCreation: false,
  });
  await instance.idle();
  await engine.settled();
});

after(async () => {
  await instance.close();
  await engine.close();
  place.remove();
});

async function hits(q: string): Promise<number> {
  const query = searchQueryOf({ q }, "", null);
  return JSON.parse(Buffer.from(await engine.search(instance.handle("i"), query)).toString())
    .estimatedTotalHits;
}

async function ended(uid: number): Promise<TaskView> {
  for (;;) {
    const task = instance.task(uid, null);
    if (task.status !== "enqueued" && task.status !== "processing") return task;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test("a rebuild canceled in its midst leaves the old index and nothing else", async () => {
  const folder = join(place.folder("data"), instance.handle("i").folder);
  const files = () => readdirSync(folder).sort();
  const [before, titles] = [files(), await hits("title7")];
  ok(titles > 0);
  const patch = { searchableAttributes: ["text"] };
  const { taskUid } = await instance.register({
    type: "settingsUpdate",
    indexUid: "i",
    patch,
    shown: patch,
    isDeletion: false,
    allowIndexCreation: true,
  });
  let isUnderWay = false;
  while (!isUnderWay) {
    const { status, batchUid } = instance.task(taskUid, null);
    equal(status === "enqueued" || status === "processing", true, "the rebuild was over too soon");
    const steps = batchUid === null ? [] : (instance.batch(batchUid, null).progress?.steps ?? []);
    isUnderWay = steps.some(
      ({ currentStep, finished }) => currentStep === "extracting words" && finished > 0,
    );
    if (isUnderWay) equal(await hits("title7"), titles);
    else await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await instance.cancelTasks({ uids: [taskUid] }, null, `?uids=${taskUid}`);
  const { status, details } = await ended(taskUid);
  await instance.idle();
  deepEqual([status, details], ["canceled", patch]);
  deepEqual([await hits("title7"), files()], [titles, before]);
  deepEqual((await engine.settings(instance.handle("i"))).searchableAttributes, ["*"]);
});

test("a change of settings that is let alone takes effect in one step", async () => {
  const patch = { searchableAttributes: ["text"] };
  const titles = await hits("title7");
  const { taskUid } = await instance.register({
    type: "settingsUpdate",
    indexUid: "i",
    patch,
    shown: patch,
    isDeletion: false,
    allowIndexCreation: true,
  });
  const seen = new Set<number>();
  while (instance.task(taskUid, null).status !== "succeeded") {
    seen.add(await hits("title7"));
    // An answer that is kept takes no turn of the event loop, in which the task would go on.
    await new Promise(setImmediate);
  }
  deepEqual(
    [...seen].filter((found) => found !== titles && found !== 0),
    [],
  );
  equal(await hits("title7"), 0);
});

test("an edit that is stuck fails in time; searches and other tasks go on", async () => {
  const source = `if (doc.id === 5) ${STUCK}; doc.edited = true`;
  const edit = {
    type: "documentEdition" as const,
    indexUid: "i",
    filter: null,
    context: null,
    function: source,
  };
  const { taskUid } = await instance.register(edit);
  while (instance.task(taskUid, null).status === "enqueued")
    await new Promise((resolve) => setTimeout(resolve, 5));
  ok((await hits("word7")) > 0);
  const next = await instance.register({ type: "indexCreation", indexUid: "other", primaryKey: null });
  const failed = await ended(taskUid);
  equal(failed.error?.code, "edit_documents_by_function_error");
  match(failed.error!.message, /longer than 5000 ms/);
  equal((await ended(next.taskUid)).status, "succeeded");
  const good = await instance.register({ ...edit, filter: null, function: "doc = doc.id < 10 ? doc : null" });
  const { status, details } = await ended(good.taskUid);
  deepEqual([status, details?.deletedDocuments], ["succeeded", DOCUMENTS - 10]);
});

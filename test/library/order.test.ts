// Writes of the library that nobody waits for one by one: they become tasks in the order of the calls.
import { deepEqual, equal, rejects } from "node:assert/strict";
import { test } from "node:test";
import { open } from "../../src/index.ts";
import type { Store, StoreIndex } from "../../src/library/store.ts";

interface Tea {
  id: number;
  name: string;
}

/** So many that reading them takes longer than any other write. */
const MANY: Tea[] = Array.from({ length: 5000 }, (_, id) => ({ id, name: `Oolong ${id}` }));

async function withTeas(use: (teas: StoreIndex<Tea>, store: Store) => Promise<void>): Promise<void> {
  const store = await open();
  try {
    await store.setFeatures({ editDocumentsByFunction: true });
    await use(store.index<Tea>("teas"), store);
  } finally {
    await store.close();
  }
}

test("writes become tasks in the order of the calls, however long each takes to be read", () =>
  withTeas(async (teas, store) => {
    const writes = [
      teas.updateSettings({ searchableAttributes: ["name"] }),
      teas.add(MANY),
      teas.edit({ function: "doc.name = 'Sencha'" }),
      teas.addFrom('{"id":1,"name":"Assam"}', { format: "json" }),
      teas.update({ id: 2, name: "Matcha" }),
      teas.delete(3),
      teas.resetSettings(["searchableAttributes"]),
      teas.compact(),
      store.createIndex("pots"),
      store.swapIndexes([{ indexes: ["teas", "pots"] }]),
      store.index("pots").setPrimaryKey("id"),
      store.index("pots").rename("cups"),
      teas.drop(),
    ];
    const uids = await Promise.all(writes.map(async ({ enqueued }) => (await enqueued).taskUid));
    deepEqual(
      uids,
      writes.map((_, at) => at),
    );
    await Promise.all(writes);
    const cups = store.index<Tea>("cups");
    const names = [0, 1, 2].map(async (id) => (await cups.get(id)).name);
    deepEqual(await Promise.all(names), ["Sencha", "Assam", "Matcha"]);
    await rejects(cups.get(3), { code: "document_not_found" });
  }));

test("whoever waits until all is done waits for writes that have just been called", () =>
  withTeas(async (teas, store) => {
    teas.add(MANY);
    teas.delete([1, 2]);
    await store.tasks.idle();
    equal((await teas.stats()).numberOfDocuments, MANY.length - 2);
    teas.deleteAll();
    await store.tasks.idle();
    equal((await teas.stats()).numberOfDocuments, 0);
  }));

test("tasks are canceled and deleted among those of all earlier calls, and of no later one", () =>
  withTeas(async (teas, store) => {
    const many = teas.add(MANY);
    const canceled = store.tasks.cancel({ indexUids: ["teas"] });
    const one = teas.add(MANY[0]);
    const deleted = store.tasks.delete({ uids: [0, 1, 2, 3] });
    const uids = [many, canceled, one, deleted].map(async ({ enqueued }) => (await enqueued).taskUid);
    deepEqual(await Promise.all(uids), [0, 1, 2, 3]);
    equal((await canceled).details?.matchedTasks, 1);
    equal((await deleted).details?.matchedTasks, 3);
  }));

test("documents that come one by one hold up no other write: they may wait for it", () =>
  withTeas(async (teas, store) => {
    const first = (async function* () {
      yield MANY[0];
      await teas.add(MANY[1]);
      await store.tasks.idle();
      yield MANY[2];
    })();
    await teas.add(first);
    const last = (async function* () {
      await teas.delete(2);
      yield new TextEncoder().encode(JSON.stringify(MANY[3]));
    })();
    await teas.addFrom(last, { format: "json" });
    const stream = new ReadableStream<Tea>({
      pull: async (controller) => {
        await teas.delete(1);
        controller.enqueue(MANY[4]);
        controller.close();
      },
    });
    // Also where a stream has nothing but its reader.
    await teas.add({ locked: false, getReader: () => stream.getReader() } as never);
    const { results } = await teas.fetch();
    deepEqual(results.map(({ id }) => id).toSorted(), [0, 3, 4]);
  }));

test("a write that is refused lets the next ones pass", () =>
  withTeas(async (teas) => {
    const circular = { id: 1, name: "Oolong", self: {} };
    circular.self = circular;
    const refused = [
      rejects(teas.add([...MANY, circular]), { code: "malformed_payload" }),
      rejects(teas.edit({ function: "doc." }), { code: "bad_request" }),
      rejects(teas.deleteByFilter("("), { code: "invalid_document_filter" }),
    ];
    equal((await teas.add(MANY[1])).uid, 0);
    await Promise.all(refused);
  }));

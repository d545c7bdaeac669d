// The library over files that tsc writes: what each call does, and what is refused with which code.
import { deepEqual, equal, match, rejects, throws } from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { open, TarsierError } from "../../src/index.ts";
import type { Store } from "../../src/library/store.ts";
import { JSON_DEPTH_MAX } from "../../src/schemas/depth.ts";
import { settings as settingsHold } from "./types.ts";

interface Tea {
  id: number;
  name: string;
  grams?: number;
}

async function withStore(use: (store: Store) => Promise<void>): Promise<void> {
  const store = await open();
  try {
    await use(store);
  } finally {
    await store.close();
  }
}

test("the types of the library are tried by the compiler", () => equal(settingsHold, true));

test("a write is a promise of the end of its task, and of its beginning", () =>
  withStore(async (store) => {
    const teas = store.index<Tea>("teas");
    const pending = teas.add([{ id: 1, name: "Oolong" }], { customMetadata: "first" });
    const enqueued = await pending.enqueued;
    deepEqual([enqueued.status, enqueued.indexUid, enqueued.taskUid], ["enqueued", "teas", 0]);
    const task = await pending;
    deepEqual([task.uid, task.status, task.customMetadata], [0, "succeeded", "first"]);
    deepEqual(await store.tasks.get(0), task);
    deepEqual((await store.tasks.list({ statuses: ["succeeded"], indexUids: undefined })).total, 1);
  }));

test("a task that failed rejects, with its code; who only waits for the beginning is not told", () =>
  withStore(async (store) => {
    const teas = store.index<Tea>("teas");
    await rejects(teas.add({ id: "no id" } as never), { code: "invalid_document_id" });
    await teas.add({ id: "no id" } as never).enqueued;
    await store.tasks.idle();
    await rejects(store.tasks.wait(1), { code: "invalid_document_id" });
    await rejects(store.tasks.wait(9), { code: "task_not_found" });
    for (const wrong of [undefined, null, 5, "x"])
      await rejects(teas.add(wrong as never), { code: "malformed_payload" });
  }));

test("an error of the caller's own iterator is the cause of the refusal", () =>
  withStore(async (store) => {
    const thrown = new RangeError("no more tea");
    const failing = (function* () {
      yield { id: 1, name: "Oolong" };
      throw thrown;
    })();
    await rejects(store.index<Tea>("teas").add(failing), (error: TarsierError) => {
      deepEqual([error.code, error.cause], ["bad_request", thrown]);
      match(error.message, /no more tea/);
      return true;
    });
  }));

test("documents come one by one, as lists, from generators, and as bytes in three formats", () =>
  withStore(async (store) => {
    const teas = store.index<Tea>("teas");
    await teas.add({ id: 1, name: "Oolong" });
    await teas.add(
      (function* () {
        yield { id: 2, name: "Sencha" };
      })(),
    );
    await teas.add(
      (async function* () {
        for (let id = 10; id < 5000; id++) yield { id, name: `Tea ${id}` };
      })(),
    );
    await teas.addFrom('{"id":3,"name":"Assam"}\n', { format: "ndjson" });
    await teas.updateFrom(Buffer.from("id:number;grams:number\n3;20\n"), {
      format: "csv",
      csvDelimiter: ";",
    });
    await teas.add([]);
    const { total } = await teas.fetch();
    equal(total, 4993);
    deepEqual(await teas.get(3), { id: 3, name: "Assam", grams: 20 });
    await teas.delete([1, "2"]);
    await teas.deleteAll();
    equal((await teas.stats()).numberOfDocuments, 0);
  }));

describe("what is refused has the code of the HTTP API", () => {
  const refusals: Record<string, [code: string, ask: (store: Store) => Promise<unknown>]> = {
    "an unknown index": ["index_not_found", (store) => store.index("none").search("x")],
    "a bad parameter": ["invalid_search_limit", (store) => store.index("teas").search({ limit: -1 })],
    "an unknown parameter": ["bad_request", (store) => store.index("teas").search({ size: 1 } as never)],
    "a filter that does not parse": [
      "invalid_search_filter",
      (store) => store.index("teas").search({ filter: "(" }),
    ],
    "a document that is none": ["malformed_payload", (store) => store.index("teas").add([3 as never])],
    "a document without JSON": ["malformed_payload", (store) => store.index("teas").add({ id: 1n })],
    "a bad setting": [
      "invalid_settings_ranking_rules",
      (store) => store.index("teas").updateSettings({ rankingRules: ["no rule"] }),
    ],
    "a deletion by an empty filter": [
      "invalid_document_filter",
      (store) => store.index("teas").deleteByFilter(""),
    ],
    "a delimiter without CSV": [
      "invalid_document_csv_delimiter",
      (store) => store.index("teas").addFrom("[]", { format: "json", csvDelimiter: ";" }),
    ],
    "a query of a multi-search": [
      "index_not_found",
      (store) => store.multiSearch({ queries: [{ indexUid: "none" }] }),
    ],
    "a task filter": ["invalid_task_statuses", (store) => store.tasks.list({ statuses: ["done" as never] })],
    "a cancelation of everything": ["missing_task_filters", (store) => store.tasks.cancel({})],
    "a feature that is off": [
      "feature_not_enabled",
      (store) => store.index("teas").edit({ function: "doc.x = 1" }),
    ],
    "an unknown setting to reset": [
      "bad_request",
      (store) => store.index("teas").resetSettings(["none" as never]),
    ],
  };
  for (const [what, [code, ask]] of Object.entries(refusals)) {
    test(what, () =>
      withStore(async (store) => {
        await store.createIndex("teas", { primaryKey: "id" });
        await rejects(ask(store), (error: TarsierError) => {
          equal(error instanceof TarsierError, true);
          equal(error.code, code);
          match(error.link, new RegExp(`#${code}$`));
          return true;
        });
      }),
    );
  }

  test("the uid of an index", () =>
    withStore(async (store) => {
      throws(() => store.index("a b"), { code: "invalid_index_uid" });
    }));

  test("options", async () => {
    await rejects(open({ threads: 1 }), { code: "bad_request", message: /threads/ });
    await rejects(open({ maxSearchMemory: "much" }), {
      code: "bad_request",
      message: /maxSearchMemory.*much/,
    });
    await rejects(open({ path: "x" } as never), { code: "bad_request", message: /path/ });
    for (const wrong of [null, 5, "./data"]) await rejects(open(wrong as never), { code: "bad_request" });
    for (const folder of [null, 5, ""])
      await rejects(open({ folder } as never), { code: "bad_request", message: /`folder`/ });
  });
});

test("settings, facets, federation, swaps and switches", () =>
  withStore(async (store) => {
    const teas = store.index<Tea>("teas");
    await teas.updateSettings({ filterableAttributes: ["name"], synonyms: { chai: ["tea"] } });
    deepEqual((await teas.settings()).filterableAttributes, ["name"]);
    await teas.resetSettings(["synonyms"]);
    deepEqual((await teas.settings()).synonyms, {});
    await teas.add([
      { id: 1, name: "Oolong" },
      { id: 2, name: "Olong" },
    ]);
    const { facetHits } = await teas.facetSearch({ facetName: "name", facetQuery: "oo" });
    deepEqual(facetHits[0], { value: "Oolong", count: 1 });
    await store.index("more").add({ id: 1, name: "Oolong too" });
    const queries = [
      { indexUid: "teas", q: "oolong" },
      { indexUid: "more", q: "oolong" },
    ];
    const merged = await store.multiSearch({ queries, federation: { limit: 2 } });
    deepEqual(new Set(merged.hits.map(({ _federation }) => _federation.indexUid)), new Set(["teas", "more"]));
    await store.swapIndexes([{ indexes: ["teas", "more"] }]);
    equal((await teas.stats()).numberOfDocuments, 1);
    equal((await store.setFeatures({ containsFilter: true })).containsFilter, true);
    deepEqual(
      (await store.indexes()).results.map(({ uid }) => uid),
      ["more", "teas"],
    );
    await teas.drop();
    deepEqual(Object.keys((await store.stats()).indexes), ["more"]);
  }));

test("a folder is open once at a time, and keeps what was written", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tarsier-store-"));
  try {
    const store = await open({ folder, threads: 0, maxSearchMemory: "32 MiB" });
    await rejects(open({ folder, threads: 0 }), { code: "folder_in_use", message: /already, here or in/ });
    await store.index<Tea>("teas").add({ id: 1, name: "Oolong" }).enqueued;
    const waiting = store.tasks.wait(0).then(
      () => "succeeded",
      (error: TarsierError) => error.code,
    );
    await store.close();
    equal(await waiting, "aborted");
    const again = await open({ folder, threads: 0 });
    await again.tasks.idle();
    equal((await again.index<Tea>("teas").search("oolong")).hits[0].id, 1);
    await again.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("what is asked of a closed store, or still on its way when it closes, is aborted", async () => {
  const store = await open();
  const teas = store.index<Tea>("teas");
  await teas.add({ id: 1, name: "Oolong" });
  const late = teas.add({ id: 2, name: "Assam" }).then(
    () => "succeeded",
    (error: TarsierError) => error.code,
  );
  // Who waits for no end is not told, and the process goes on.
  void teas.add({ id: 4, name: "Matcha" });
  await store.close();
  equal(await late, "aborted");
  await rejects(teas.add({ id: 3, name: "Sencha" }), { code: "aborted" });
  await rejects(teas.search("oolong"), { code: "aborted" });
});

test("documents that come slowly are no longer asked for once the store is closed", async () => {
  const store = await open();
  let isEnded = false;
  async function* slowly() {
    try {
      for (let id = 1; ; id++) {
        await setTimeout(10);
        yield { id, name: "Sencha" };
      }
    } finally {
      isEnded = true;
    }
  }
  const late = rejects(store.index("teas").add(slowly()), { code: "aborted" });
  await setTimeout(20);
  await store.close();
  await late;
  while (!isEnded) await setTimeout(10);
});

test("a source that never ends is told to stop when the store closes", async () => {
  const store = await open();
  const teas = store.index<Tea>("teas");
  let taken = 0;
  let isStopped = false;
  const endless = (async function* () {
    try {
      for (; ; taken++) yield { id: taken, name: "Oolong ".repeat(1000) };
    } finally {
      isStopped = true;
    }
  })();
  const silent = (async function* () {
    yield { id: 1, name: "Oolong" };
    await new Promise(() => {});
  })();
  const pending = [teas.add(endless), teas.add(silent)].map((write) =>
    rejects(write, { code: "aborted", message: "The store is closed" }),
  );
  while (taken < 100) await new Promise((resolve) => setImmediate(resolve));
  await store.close();
  await Promise.all(pending);
  const before = taken;
  await setTimeout(20);
  equal(isStopped, true);
  equal(taken, before);
});

test("parameters that are nested too deeply, or hold themselves, are refused", async () => {
  const store = await open();
  await store.setFeatures({ editDocumentsByFunction: true });
  const teas = store.index<Tea>("teas");
  let deep: unknown = 1;
  for (let level = 0; level <= JSON_DEPTH_MAX; level++) deep = [deep];
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  for (const context of [{ deep }, circle]) {
    const message = /nested deeper than \d+ levels/;
    const code = "invalid_document_edition_context";
    await rejects(teas.edit({ function: "doc.a = 1", context }), { code, message });
    const change = { embedders: { e: { request: context } } };
    await rejects(teas.updateSettings(change), { code: "invalid_settings_embedders", message });
  }
  await store.close();
});

test("what is asked with or answered is nobody else's to change", async () => {
  const store = await open();
  const teas = store.index<Tea>("teas");
  await teas.add([{ id: 1, name: "Oolong", grams: 5 }]);
  await teas.updateSettings({ filterableAttributes: ["grams"] });
  const answered = await teas.settings();
  (answered.filterableAttributes as string[]).length = 0;
  equal((await teas.search("", { filter: "grams = 5" })).hits.length, 1);
  const change = { stopWords: ["of"] };
  const pending = teas.updateSettings(change);
  change.stopWords.push("in", 5 as never);
  deepEqual((await pending).details, { stopWords: ["of"] });
  deepEqual((await teas.settings()).stopWords, ["of"]);
  const collected = [2, 3].map((id) => ({ id, name: "Sencha", grams: 5 }));
  const handedOver = teas.add(collected);
  collected.length = 0;
  deepEqual((await handedOver).details, { receivedDocuments: 2, indexedDocuments: 2 });
  await store.close();
});

test("a closed store answers nothing, and closes once however often it is asked to", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tarsier-library-"));
  try {
    const store = await open({ folder, threads: 0 });
    const teas = store.index<Tea>("teas");
    const { uid } = await teas.add({ id: 1, name: "Oolong" });
    void store.close();
    await store.close();
    const again = await open({ folder, threads: 0 });
    await again.close();
    for (const asked of [() => store.stats(), () => store.indexes(), () => store.tasks.wait(uid)])
      await rejects(asked(), { code: "aborted" });
    await rejects(teas.search("oolong"), { code: "aborted" });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("what programs without types pass is refused with words", async () => {
  await rejects(open({ folder: "a\0b" }), { code: "bad_request" });
  await rejects(open({ path: "./data" } as never), { message: /`path`: expected one of folder, threads, / });
  const store = await open();
  const any = (value: unknown) => value as never;
  for (const uid of [undefined, null, 5, Symbol("teas")])
    throws(() => store.index(any(uid)), { code: "invalid_index_uid" });
  const teas = store.index("teas");
  await teas.add({ id: 1 });
  for (const value of [undefined, null, 1n, Symbol("id"), () => 1, {}]) {
    await rejects(teas.delete(any(value)), { code: "bad_request" });
    await rejects(teas.search("x", { filter: any(value ?? 1) }), { code: "invalid_search_filter" });
    await rejects(teas.addFrom(any(value), { format: "json" }), {
      code: "malformed_payload",
      message: /expected bytes/,
    });
  }
  await store.setFeatures({ editDocumentsByFunction: true });
  await rejects(teas.edit({ function: "", context: { value: 1n } }), {
    code: "invalid_document_edition_context",
    message: /no JSON: .*BigInt/,
  });
  for (const uid of [Symbol("uid"), Object.create(null), "1"])
    await rejects(store.tasks.get(any(uid)), { code: "bad_request" });
  for (const limit of [NaN, [NaN]])
    await rejects(teas.search("x", { limit: any(limit) }), {
      message: /`\.limit`: .* found .*: `\[?NaN\]?`/,
    });
  for (const id of [undefined, null, Symbol("id"), Object.create(null), ["1"]]) {
    await rejects(teas.get(any(id)), { code: "bad_request", message: /The id of a document: expected/ });
    throws(() => store.index(any(id)), { code: "invalid_index_uid" });
  }
  const never = { afterEnqueuedAt: new Date(Number.NaN) };
  await rejects(store.tasks.list(never), { code: "bad_request" });
  await rejects(store.tasks.cancel(never), { code: "bad_request" });
  for (const threads of [Symbol("threads"), Object.create(null)])
    await rejects(open({ threads: any(threads) }), { code: "bad_request" });
  await rejects(open(any([])), { code: "bad_request" });
  for (const value of [undefined, null]) {
    await rejects(store.multiSearch(any(value)), { code: "bad_request" });
    await rejects(store.tasks.cancel(any(value)), { code: "bad_request" });
  }
  await store.close();
});

test("settings are refused whose JSON is of another kind than they are", async () => {
  const store = await open({ threads: 0 });
  const teas = store.index("teas");
  const date = new Date(0) as never;
  await rejects(teas.updateSettings({ synonyms: date }), { code: "invalid_settings_synonyms" });
  await rejects(teas.updateSettings(date), { code: "bad_request" });
  await store.close();
});

test("parameters that hold themselves, or are endlessly deep, are refused with words", async () => {
  const store = await open();
  const teas = store.index("teas");
  await store.setFeatures({ editDocumentsByFunction: true });
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  circle.again = [circle, circle];
  const ring: unknown[] = [];
  ring.push(ring, ring);
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level++) deep = { deep };
  for (const value of [circle, ring, deep] as never[]) {
    const rest = { source: "rest", url: "http://localhost:9", request: value, response: value };
    const refused: [string, () => Promise<unknown>][] = [
      ["invalid_search_filter", () => teas.search("x", { filter: value })],
      ["invalid_search_limit", () => teas.search("x", { limit: value })],
      ["bad_request", () => teas.search(value)],
      ["bad_request", () => teas.delete(value)],
      ["bad_request", () => store.multiSearch(value)],
      ["malformed_payload", () => teas.add({ value })],
      ["invalid_settings_ranking_rules", () => teas.updateSettings({ rankingRules: value })],
      ["invalid_settings_embedders", () => teas.updateSettings({ embedders: { rest } as never })],
      ["invalid_document_edition_context", () => teas.edit({ function: "", context: { value } })],
    ];
    for (const [code, ask] of refused) await rejects(ask(), { code });
  }
  await store.close();
});

test("documents come from streams that can only be read, too", async () => {
  const store = await open();
  const teas = store.index("teas");
  const readable = (stream: ReadableStream) =>
    ({ locked: stream.locked, getReader: () => stream.getReader() }) as never;
  const streamOf = (values: unknown[]) =>
    new ReadableStream<unknown>({
      pull: (controller) => (values.length > 0 ? controller.enqueue(values.shift()) : controller.close()),
    });
  const lines = ['{"id":1}\n', '{"id":2}\n'].map((line) => new TextEncoder().encode(line));
  await teas.addFrom(readable(streamOf(lines)), { format: "ndjson" });
  await teas.add(readable(streamOf([{ id: 3 }, { id: 4 }])));
  // A document may have a field of that name.
  await teas.add({ id: 5, getReader: "x" });
  equal((await teas.stats()).numberOfDocuments, 5);
  // One that is refused is left, and can be read by others.
  let isLeft = false;
  const texts = new ReadableStream<unknown>({
    pull: (controller) => controller.enqueue("text"),
    cancel: () => {
      isLeft = true;
    },
  });
  await rejects(teas.addFrom(readable(texts), { format: "ndjson" }), { message: /expected bytes/ });
  deepEqual([isLeft, texts.locked], [true, false]);
  const failing = new ReadableStream({ pull: () => Promise.reject(new Error("the line is dead")) });
  await rejects(teas.addFrom(readable(failing), { format: "ndjson" }), { message: /the line is dead/ });
  equal(failing.locked, false);
  await store.close();
});

test("what is no document is refused with words", async () => {
  const store = await open();
  const teas = store.index("teas");
  for (const [wrong, found] of [
    [null, "null"],
    ["x", 'a string: `"x"`'],
    [1, "a positive integer: `1`"],
  ] as const) {
    const message = new RegExp(`expected documents, but found ${found}`);
    await rejects(teas.add(wrong as never), { code: "malformed_payload", message });
  }
  await store.close();
});

test("a document with a method of a stream is a document", async () => {
  class Copy {
    id = 1;
    getReader(): string {
      return "Anna";
    }
  }
  const store = await open();
  const copies = store.index<Copy>("copies");
  await copies.add(new Copy());
  equal((await copies.stats()).numberOfDocuments, 1);
  await store.close();
});

test("pieces that are no bytes are refused with words", async () => {
  const store = await open();
  const message = /expected bytes, or what yields them, but found a string: `"\[\]"`/;
  const added = store.index("teas").addFrom(["[]"] as never, { format: "json" });
  await rejects(added, { code: "malformed_payload", message });
  await store.close();
});

// Editions of an index: which documents change, how exactly, and that a failure changes nothing.
import { deepEqual, equal, match } from "node:assert/strict";
import { test } from "node:test";
import type { Operation, OperationResult } from "../../src/engine/engine.ts";
import { SearchThread } from "../../src/engine/searchthread.ts";
import { WriteThread } from "../../src/engine/writethread.ts";
import { EDITED_DOCUMENTS_NAME } from "../../src/segment/manifestfiles.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";

const FOLDER = "index";
const MEBIBYTE = 2 ** 20;

class Index {
  readonly storage = new MemoryStorage();
  readonly writer = new WriteThread(this.storage, 16 * MEBIBYTE);
  readonly searcher = new SearchThread(this.storage, MEBIBYTE);
  #tasks = 0;

  add(...documents: string[]): Promise<OperationResult> {
    const file = this.storage.create("payload");
    file.append(Buffer.from(documents.map((text) => `${text}\n`).join("")));
    file.close();
    return this.run({
      kind: "add",
      payload: "payload",
      method: "replace",
      primaryKey: null,
      skipCreation: false,
    });
  }

  async edit(source: string, filter: unknown = null, context: Record<string, unknown> | null = null) {
    const { taskUid: _, ...result } = await this.run({ kind: "edit", source, filter, context });
    equal(this.storage.exists(`${FOLDER}/${EDITED_DOCUMENTS_NAME}`), false);
    return { ...result, error: result.error && `${result.error.code}: ${result.error.message}` };
  }

  async run(
    operation: Operation extends infer One ? (One extends unknown ? Omit<One, "taskUid"> : never) : never,
  ) {
    const operations = [{ ...operation, taskUid: ++this.#tasks } as Operation];
    const batch = { folder: FOLDER, indexUid: "i", operations };
    return (await this.writer.run(batch, null, () => {})).results[0];
  }

  get version(): number {
    return this.writer.describe(FOLDER).version;
  }

  /** The documents as they are stored, in order. */
  texts(q: string | null = null): string {
    const query = {
      offset: 0,
      limit: 1000,
      fields: null,
      ids: null,
      retrieveVectors: false,
      filter: q,
      sort: null,
    };
    const handle = { folder: FOLDER, indexUid: "i", version: this.version };
    const answer = Buffer.from(this.searcher.documents(handle, query)).toString();
    return answer.slice('{"results":'.length, answer.lastIndexOf(',"offset"'));
  }
}

test("changed documents keep their place, and the digits of what the function left alone", async () => {
  const index = new Index();
  await index.add(
    '{"id":9007199254740993,"big":12345678901234567890,"n":1}',
    '{"id":2,"n":2.50}',
    '{"id":3,"n":3}',
  );
  const result = await index.edit("if (doc.n < 3) doc.n += 0.5");
  deepEqual(result, { error: null, deletedDocuments: 0, editedDocuments: 3 });
  const [first, second, third] = [
    '{"id":9007199254740993,"big":12345678901234567890,"n":1.5}',
    '{"id":2,"n":3}',
    '{"id":3,"n":3}',
  ];
  equal(index.texts(), `[${first},${second},${third}]`);
});

test("documents are deleted and edited in one step, also very many of them", async () => {
  const index = new Index();
  const ids = Array.from({ length: 730 }, (_, id) => id);
  await index.add(...ids.map((id) => `{"id":${id}}`));
  const { deletedDocuments, editedDocuments } = await index.edit(
    "if (doc.id % 3 == 0) doc = (); else doc.t = `t${doc.id}`",
  );
  deepEqual([deletedDocuments, editedDocuments], [244, 730]);
  const left = ids.filter((id) => id % 3 !== 0).map((id) => `{"id":${id},"t":"t${id}"}`);
  equal(index.texts(), `[${left.join(",")}]`);
});

test("only what the filter lets through is edited", async () => {
  const index = new Index();
  await index.run({ kind: "settings", patch: { filterableAttributes: ["n"] } });
  await index.add('{"id":1,"n":1}', '{"id":2,"n":2}');
  equal((await index.edit("doc.x = context.y", "n > 1", { y: "z" })).editedDocuments, 1);
  equal(index.texts(), '[{"id":1,"n":1},{"id":2,"n":2,"x":"z"}]');
  equal((await index.edit("doc.x = 1", "n > 5")).editedDocuments, 0);
  match((await index.edit("doc.x = 1", "id = 1")).error!, /^invalid_document_filter/);
});

test("a failure on any document leaves all of them as they were", async () => {
  const index = new Index();
  await index.add('{"id":1,"n":1}', '{"id":2,"n":2}', '{"id":3,"n":3}');
  const [texts, version] = [index.texts(), index.version];
  const failures: [source: string, error: RegExp][] = [
    ["doc.x = 1; if (doc.id == 3) throw new Error('no')", /^edit_documents_by_function_error: .*`3`.*no/],
    ["doc.id += 10", /^edit_documents_by_function_error: .*`1`.*primary key/],
    ["doc.id = 'not an id!'", /^edit_documents_by_function_error/],
    ["delete doc.id", /^missing_document_id/],
    ["doc = {}", /^missing_document_id/],
    ["doc = 5", /^edit_documents_by_function_error/],
    ["doc.", /^edit_documents_by_function_error: .*compile/],
  ];
  for (const [source, error] of failures) {
    match((await index.edit(source)).error!, error, source);
    deepEqual([index.texts(), index.version], [texts, version], source);
  }
});

test("what the function does not change is not written again", async () => {
  const index = new Index();
  await index.add('{"id":1,"n":1}');
  const { version } = index;
  deepEqual(await index.edit("doc.n = 1"), { error: null, deletedDocuments: 0, editedDocuments: 1 });
  equal(index.version, version);
});

test("vectors are not seen, and stay unless new ones are set", async () => {
  const index = new Index();
  await index.add('{"id":1,"_vectors":{"e":[0.10]}}');
  await index.edit("doc.seen = '_vectors' in doc");
  const stored = () => Buffer.concat(index.storage.list(FOLDER).map((name) => readAll(index.storage, name)));
  equal(index.texts(), '[{"id":1,"seen":false}]');
  equal(stored().includes('{"id":1,"seen":false,"_vectors":{"e":[0.10]}}'), true);
  await index.edit("doc._vectors = #{e: [0.5]}");
  equal(stored().includes('"_vectors":{"e":[0.5]}'), true);
});

test("an index without documents has nothing to edit", async () => {
  const index = new Index();
  deepEqual(await index.edit("throw 1"), { error: null, deletedDocuments: 0, editedDocuments: 0 });
});

function readAll(storage: MemoryStorage, name: string): Buffer {
  const file = storage.open(`${FOLDER}/${name}`);
  const bytes = Buffer.alloc(file.size);
  file.readInto(bytes, 0);
  file.close();
  return bytes;
}

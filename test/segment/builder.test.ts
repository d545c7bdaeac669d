// Segments built in little memory: several instead of one, with the same contents; documents of every shape
// and size.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { BatchResult, Operation } from "../../src/engine/engine.ts";
import { addition, TestIndex } from "../engine/index.ts";
import { noise } from "./sections.ts";

const MEBIBYTE = 1024 * 1024;
const LARGE_MEMORY_BYTES = 512 * MEBIBYTE;

/** Some text of so many words, most of them rare. */
function text(words: number, seed: number): string {
  return Array.from({ length: words }, (_, i) => `w${((i + seed) * 7919) % 5003}`).join(" ");
}

const fields = (count: number): string => Array.from({ length: count }, (_, i) => `"f${i}":"v${i}"`).join();

describe("segments built in a megabyte of memory", () => {
  const documents = Array.from({ length: 1800 }, (_, i) => `{"id":"doc-${i}","text":"${text(40, i * 13)}"}`);

  it("are several, and hold what one would hold", () => {
    const index = new TestIndex(1);
    index.run([addition(documents)]);
    assert.ok(index.state.segments.length >= 2, `${index.state.segments.length} segments`);
    index.compare();
    index.close();
  });

  it("are merged into one with the same contents", () => {
    const index = new TestIndex(1);
    index.run([addition(documents)]);
    const { segments } = index.state;
    const job = { folder: index.folder, name: "segment-merge-1.tmp", entries: segments };
    index.writer.commitMerge(job, index.merge(job));
    assert.equal(index.state.segments.length, 1);
    index.compare();
    index.close();
  });

  it("are several after a rebuild, too", () => {
    const index = new TestIndex(1);
    index.run([addition(documents)]);
    index.run([{ kind: "settings", patch: { stopWords: ["w1", "w2", "w3"] } }]);
    assert.ok(index.state.segments.length >= 2);
    index.compare();
    index.close();
  });
});

describe("a document", () => {
  const opaque = Buffer.from(noise(7_500)).toString("base64");
  const unusual: Record<string, string> = {
    "of 3 MB": `{"id":1,"text":"${"longwordsoftext ".repeat(190_000)}"}`,
    "of 20 MB, most of it not searchable": `{"id":1,"other":[${`"${opaque}",`.repeat(2000)}0],"text":"a b"}`,
    "with thousands of fields": `{"id":1,${fields(4000)}}`,
    "that is deeply nested": `{"id":1,"a":${'{"b":['.repeat(300)}"x"${"]}".repeat(300)}}`,
    "with empty parts": '{"id":1,"a":{},"b":[],"c":"","d":null,"e":[[],{}],"f":{"g":{}}}',
    "with more words than positions": `{"id":1,"text":"${text(70_000, 3)}"}`,
    "with as many values as positions": `{"id":1,"text":[${'"a b",'.repeat(9_000)}"c"]}`,
    "with the longest id": `{"id":"${"x".repeat(511)}","a":1}`,
    "with the largest id": '{"id":18446744073709551615,"a":1}',
    "with the smallest id": '{"id":-9223372036854775808,"a":1}',
  };

  for (const [name, document] of Object.entries(unusual)) {
    it(`${name} is kept and indexed among others`, () => {
      const index = new TestIndex(LARGE_MEMORY_BYTES);
      index.run([
        { kind: "settings", patch: { searchableAttributes: ["id", "text", "a", "b", "e", "f", "f7"] } },
      ]);
      index.run([addition(['{"id":"before","text":"red"}', document, '{"id":"behind","text":"blue"}'])]);
      index.compare();
      assert.equal(index.document("before")!.length, 2);
      const docid = 1;
      assert.deepEqual(index.document(index.model.documents.get(docid)!.id), index.shown(docid));
      index.run([addition([document.replace('"a":', '"z":')]), { kind: "deleteIds", ids: ["before"] }]);
      index.compare();
      index.close();
    });
  }

  it("that finds no room is refused, and nothing of its task is kept", () => {
    const index = new TestIndex(1);
    index.run([addition(['{"id":1}'])]);
    const files = index.storage.list(index.folder);
    const large = `{"id":2,"text":"${Array.from({ length: 100_000 }, (_, i) => `word${i}`).join(" ")}"}`;
    const payload = Buffer.from(`{"id":3,"text":"a"}\n${large}\n`);
    const how = { method: "replace", primaryKey: null, skipCreation: false } as const;
    const refused: Operation = { kind: "add", taskUid: 1000, payload, ...how };
    const batch = { folder: index.folder, indexUid: "i", operations: [refused] };
    const { results, changed } = index.writer.run(batch, null, () => {}) as BatchResult;
    assert.match(results[0].error!.message, /max-indexing-memory/);
    assert.equal(changed, false);
    assert.deepEqual(index.storage.list(index.folder), files);
    assert.equal(index.state.numberOfDocuments, 1);
    index.run([addition(['{"id":4,"text":"b"}'])]);
    index.compare();
    index.close();
  });
});

describe("documents of tens of thousands of different shapes", () => {
  it("are counted field by field", () => {
    const index = new TestIndex(LARGE_MEMORY_BYTES);
    index.run([{ kind: "settings", patch: { searchableAttributes: ["id"] } }]);
    const documents = Array.from({ length: 70_000 }, (_, i) => `{"id":${i},"f${i}":0}`);
    index.run([addition(documents)]);
    index.run([{ kind: "deleteIds", ids: ["0", "65535", "65536", "69999"] }]);
    const { fieldDistribution } = index.state;
    assert.equal(Object.keys(fieldDistribution).length, 70_000 - 4 + 1);
    assert.equal(fieldDistribution.f65537, 1);
    assert.equal(fieldDistribution.f65536, undefined);
    index.close();
  });
});

describe("documents of many shapes", () => {
  it("each keep their own, as many as a byte can tell apart, and one more", () => {
    for (const count of [256, 257]) {
      const index = new TestIndex();
      index.run([addition(Array.from({ length: count }, (_, id) => `{"id":${id},"only${id}":1}`))]);
      index.run([{ kind: "deleteIds", ids: [String(count - 1)] }]);
      index.compare();
      index.close();
    }
  });
});

// Documents that come as they are in the index: they stay in their segment, and nothing else tells so.
import { deepEqual, equal, notEqual } from "node:assert/strict";
import { test } from "node:test";
import { addition, type Change, TestIndex } from "../index.ts";

const text = (id: number, word = "same") => `{"id":${id},"text":"${word} n${id}","rank":${id % 7}}`;
const texts = (count: number, word?: string) => Array.from({ length: count }, (_, id) => text(id, word));

/** An index with so many documents in one segment. */
function indexOf(count: number): TestIndex {
  const index = new TestIndex();
  index.run([addition(texts(count))]);
  return index;
}

/** Documents of each segment, and how many of them are deleted. */
const segmentsOf = ({ state }: TestIndex) =>
  state.segments.map(({ documents, tombstones }) => [documents, tombstones?.count ?? 0]);

test("documents that come again are not written again, and their tasks are like others", () => {
  for (const method of ["replace", "update", "complete"] as const) {
    const index = indexOf(20);
    const { segments, version, ...before } = index.state;
    index.run([addition(texts(20), method), addition([text(3), text(4)], method)]);
    const { segments: after, version: next, ...rest } = index.state;
    deepEqual(after, segments);
    notEqual(next, version);
    deepEqual({ ...rest, lastBatch: null }, { ...before, lastBatch: null });
    index.compare();
    index.close();
  }
});

test("of many documents only those that have changed are written", () => {
  const index = indexOf(20);
  const came = texts(22).map((document, id) => (id === 5 || id === 11 ? text(id, "other") : document));
  index.run([addition(came)]);
  deepEqual(segmentsOf(index), [
    [20, 2],
    [4, 0],
  ]);
  index.compare();
  index.run([addition(['{"id":2,"rank":2}', '{"id":3,"rank":9}'], "update")]);
  deepEqual(segmentsOf(index).at(-1), [1, 0]);
  index.compare();
  index.mergeAll("whole");
  index.compare();
  index.close();
});

test("what comes in several pieces is compared as a whole", () => {
  const index = indexOf(20);
  const update = (...documents: string[]) => addition(documents, "update");
  index.run([update('{"id":1,"rank":5}', '{"id":2,"rank":5}'), update('{"id":1,"rank":1}', '{"id":3}')]);
  deepEqual(segmentsOf(index), [
    [20, 1],
    [1, 0],
  ]);
  index.compare();
  // A document that is deleted and comes again, alone or in pieces.
  index.run([{ kind: "deleteIds", ids: ["4", "5"] }, addition([text(4)]), update(text(5))]);
  index.run([addition(['{"id":6}']), update(text(6))]);
  deepEqual(segmentsOf(index), [
    [20, 1],
    [1, 0],
  ]);
  index.compare();
  index.close();
});

test("after everything was deleted, documents are written though they were there before", () => {
  const index = indexOf(20);
  index.run([{ kind: "clear" }, addition(texts(20))]);
  deepEqual(segmentsOf(index), [[20, 0]]);
  index.compare();
  // Also those that came before it in the same batch.
  index.run([addition([text(0)]), { kind: "clear" }, addition(texts(20))]);
  deepEqual(segmentsOf(index), [[20, 0]]);
  index.compare();
  index.close();
});

test("a change of the settings indexes documents anew that come unchanged with it", () => {
  const index = indexOf(20);
  const [{ name }] = index.state.segments;
  const settings: Change = { kind: "settings", patch: { searchableAttributes: ["text"] } };
  index.run([settings, addition(texts(10))]);
  notEqual(index.state.segments[0].name, name);
  equal(index.state.numberOfDocuments, 20);
  index.compare();
  index.close();
});

test("where documents have changed, the others are looked at from time to time", () => {
  const index = indexOf(4000);
  const first = texts(1024, "other");
  index.run([addition([...first, ...texts(4000).slice(1024)])]);
  deepEqual(segmentsOf(index), [
    [4000, 1024],
    [1024, 0],
  ]);
  const { name } = index.state.segments[1];
  // After the first ones of a round, nothing is compared any more.
  index.run([addition([...texts(64), ...first.slice(64), ...texts(4000).slice(1024)])]);
  deepEqual(segmentsOf(index), [
    [4000, 1024],
    [1024, 0],
  ]);
  notEqual(index.state.segments[1].name, name);
  index.compare();
  index.close();
});

test("what was found in one round decides nothing but the length of the next", () => {
  const came = (isOther: (id: number) => boolean) =>
    texts(4000).map((document, id) => (isOther(id) ? text(id, "other") : document));
  const rounds: [isOther: (id: number) => boolean, written: number][] = [
    // The second round is as long as the first, since documents were unchanged in that.
    [(id) => id >= 1024 && id < 1024 + 64, 1024],
    // It is twice as long, since none were; what is not looked at counts as changed.
    [(id) => id < 2048 || (id >= 2048 + 64 && id < 3072), 3072],
  ];
  for (const [isOther, written] of rounds) {
    const index = indexOf(4000);
    index.run([addition(came(isOther))]);
    deepEqual(segmentsOf(index), [
      [4000, written],
      [written, 0],
    ]);
    index.compare();
    index.close();
  }
});

test("a document that is a part of the one before is another one", () => {
  const index = new TestIndex();
  index.run([addition(['{"id":1,"inner":{"id":1}}'])]);
  index.run([addition(['{"id":1}'])]);
  index.compare();
  index.run([addition(['{"id":1,"inner":{"id":1}}'])]);
  index.compare();
  index.close();
});

test("a document that comes in pieces after its end has nothing of the one before", () => {
  const index = indexOf(20);
  const update = (...documents: string[]) => addition(documents, "update");
  index.run([{ kind: "deleteIds", ids: ["7"] }, update('{"id":7,"a":1}'), update('{"id":7,"b":2}')]);
  index.run([addition(['{"id":8,"a":1}']), update('{"id":8,"b":2}')]);
  index.run([update('{"id":9,"a":1}'), addition(['{"id":9,"b":2}']), update('{"id":9,"c":3}')]);
  index.compare();
  index.close();
});

test("a document whose names have escapes gets all pieces that come for it", () => {
  const index = indexOf(20);
  index.run([addition(['{"id":10,"\\u0061":1}'])]);
  index.run([addition(['{"id":10,"b":2}', '{"id":10,"c":3}'], "update")]);
  index.compare();
  index.close();
});

test("a document with a name twice has it once, with the last value, whatever it is laid over", () => {
  const index = indexOf(20);
  const twice = (id: number) => `{"id":${id},"a":1,"b":2,"a":3}`;
  index.run([addition([twice(1), twice(2), twice(30)], "update")]);
  index.run([addition([twice(3)]), addition(['{"id":3,"c":4}', twice(2)], "update")]);
  index.compare();
  index.close();
});

test("a long document that is laid over a long one has room for both", () => {
  const index = new TestIndex();
  const long = (name: string) => [`{"id":1,"${name}":"${name.repeat(2_000_000)}"}`];
  index.run([addition(long("a"))]);
  index.run([addition(long("b"), "update")]);
  index.compare();
  index.close();
});

test("the pieces of a document may be far apart in what came", () => {
  const index = indexOf(20);
  const far = texts(4000).slice(2000);
  index.run([addition(['{"id":30,"a":1}', ...far, '{"id":30,"b":2}', ...far, '{"id":30,"a":3}'], "update")]);
  index.run([addition(['{"id":3,"a":1}', ...far, '{"id":3,"b":2}', ...far, '{"id":3,"a":3}'], "update")]);
  index.compare();
  index.close();
});

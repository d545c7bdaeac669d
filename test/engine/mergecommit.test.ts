// What happens to the segments of a merge while it runs.
import { equal } from "node:assert/strict";
import { test } from "node:test";
import { addition, TestIndex } from "./index.ts";

/** Merges four segments of two documents each, with a deletion in between. */
function mergeWhile(deleted: string[]): TestIndex {
  const index = new TestIndex();
  for (const id of [0, 1, 2, 3]) index.run([addition([`{"id":${id}}`, `{"id":${id + 10}}`])]);
  const job = index.writer.beginMerge(index.folder, "usual")!;
  equal(job.entries.length, 4);
  const merged = index.merge(job);
  index.run([{ kind: "deleteIds", ids: deleted }]);
  index.writer.commitMerge(job, merged);
  index.compare();
  return index;
}

test("a merge is in vain when one of its segments is gone: the documents of that do not come back", () => {
  const index = mergeWhile(["2", "12"]);
  equal(index.state.segments.length, 3);
  index.close();
});

test("documents that are deleted during a merge are deleted in what it makes", () => {
  const index = mergeWhile(["2", "13"]);
  equal(index.state.segments.length, 1);
  index.close();
});

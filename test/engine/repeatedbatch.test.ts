// Batches whose tasks were done before a crash, in part or all of them, but not noted as done.
import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import type { BatchResult, Operation } from "../../src/engine/engine.ts";
import { listed, TestIndex } from "./index.ts";

const addition = (taskUid: number, id: number): Operation => {
  const payload = Buffer.from(`{"id":${id}}\n`);
  return { kind: "add", taskUid, method: "replace", primaryKey: null, skipCreation: false, payload };
};

test("a task that is done already keeps its result, and those behind it are done", () => {
  const index = new TestIndex();
  const run = (operations: Operation[]) => {
    const batch = { folder: index.folder, indexUid: "i", operations };
    const { results, changed } = index.writer.run(batch, null, () => {}) as BatchResult;
    return [results, changed];
  };
  run([addition(1, 9)]);
  const deletion: Operation = { kind: "deleteIds", taskUid: 2, ids: ["8", "9"] };
  const done = { taskUid: 2, error: null, deletedDocuments: 1, distinctIds: 2 };
  deepEqual(run([deletion]), [[done], true]);
  index.reopen();
  const { version } = index.state;
  deepEqual(run([deletion]), [[done], true]);
  equal(index.state.version, version, "nothing is committed anew");
  deepEqual(run([deletion, addition(3, 4)]), [
    [done, { taskUid: 3, error: null, indexedDocuments: 1 }],
    true,
  ]);
  deepEqual(listed(index, {}), [4]);
  index.close();
});

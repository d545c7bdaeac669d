// A reader that follows an index: what is kept for its settings stays as long as they do.
import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import { IndexReader } from "../../src/engine/reader.ts";
import { openReaderShare } from "../../src/engine/searchthread.ts";
import { addition, TestIndex } from "./index.ts";

const BYTES = 2 ** 24;

test("the settings are the same object until they change", () => {
  const index = new TestIndex();
  index.run([{ kind: "settings", patch: { synonyms: { a: ["b"] } } }]);
  const share = openReaderShare(index.storage, BYTES, BYTES);
  const reader = new IndexReader(share, index.folder);
  reader.refresh(index.version);
  const { settings } = reader;
  deepEqual(settings.synonyms, { a: ["b"] });
  index.run([addition(['{"id":1}'])]);
  reader.refresh(index.version);
  equal(reader.state.numberOfDocuments, 1);
  equal(reader.settings, settings);
  index.run([{ kind: "settings", patch: { synonyms: { a: ["c"] } } }]);
  reader.refresh(index.version);
  deepEqual(reader.settings.synonyms, { a: ["c"] });
  reader.close();
  index.close();
});

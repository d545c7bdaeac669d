// Writes a small data folder with today's file formats to test/formats, where it stays: later versions must
// open it (test/segment/formats.test.ts). Run it after a build, once for each new file format:
//
//   node tools/formats.mjs
import * as fs from "node:fs";
import { join } from "node:path";
import { openLocalEngine } from "../build/src/engine/pool.js";
import { FORMAT_VERSION as SEGMENT } from "../build/src/segment/format.js";
import { MANIFEST_FORMAT as MANIFEST } from "../build/src/segment/manifeststate.js";
import { Tombstones } from "../build/src/segment/tombstones.js";
import { FileStorage } from "../build/src/storage/file.js";
import { Instance } from "../build/src/tasks/instance.js";

const MEMORY = { threads: 0, indexingBytes: 32 * 2 ** 20, searchBytes: 8 * 2 ** 20 };
const root = join("test", "formats", `segment${SEGMENT}-manifest${MANIFEST}`);
if (fs.existsSync(root))
  throw new Error(`${root} is there already: formats that were written once stay as they are`);

const storage = new FileStorage(root);
const engine = openLocalEngine(storage, MEMORY);
let instance = await Instance.open({ storage, engine });
const kinds = ["almond", "birch", "cactus"];
const documents = Array.from({ length: 60 }, (_, id) => ({
  id,
  title: `${kinds[id % 3]} ${id}`,
  year: 1900 + id,
  ...(id % 4 === 0 && { _geo: { lat: id / 10, lng: -id / 10 } }),
  _vectors: { own: id % 2 === 0 ? [id, 60 - id] : null },
}));
await settings({
  filterableAttributes: ["year", "_geo"],
  sortableAttributes: ["year"],
  embedders: { own: { source: "userProvided", dimensions: 2 } },
});
await instance.idle();
await add(documents);
await instance.idle();
await add([{ id: 7, title: "daisy 7", year: 1950, extra: { deep: [1, "two"] }, _vectors: { own: [1, 0] } }]);
await instance.register({ type: "documentDeletion", indexUid: "teas", by: "ids", ids: ["5", "11"] });
await instance.idle();
await engine.settled();
const failed = instance.tasks(
  { statuses: ["failed"] },
  { limit: 9, from: null, reverse: false },
  null,
).results;
if (failed.length > 0) throw new Error(JSON.stringify(failed));
await instance.close();
// A waiting task, with its documents in the journal.
instance = await Instance.open({ storage, engine, batchTasksMax: 0 });
await add([{ id: 1000, title: "waiting", year: 2000, _vectors: { own: null } }]);
await instance.close();
await engine.close();
storage.removeFolder("payloads");
fs.writeFileSync(join(root, "VERSION"), JSON.parse(fs.readFileSync("package.json", "utf8")).version);
fs.writeFileSync(join(root, "deltas.del"), Tombstones.of([3, 4, 900, 70_000]).encode());
fs.writeFileSync(
  join(root, "bitmap.del"),
  Tombstones.of(Array.from({ length: 90 }, (_, i) => 5 + i + (i >> 3))).encode(),
);
console.log(`${root}: ${fs.readdirSync(root, { recursive: true }).join(", ")}`);

function settings(patch) {
  const more = { shown: patch, isDeletion: false, allowIndexCreation: true };
  return instance.register({ type: "settingsUpdate", indexUid: "teas", patch, ...more });
}

function add(list) {
  const payload = instance.draftPayload();
  for (const document of list) payload.append(new TextEncoder().encode(`${JSON.stringify(document)}\n`));
  const work = { method: "replace", primaryKey: null, allowIndexCreation: true, skipCreation: false };
  const about = { indexUid: "teas", documentsCount: list.length, payload };
  return instance.register({ type: "documentAdditionOrUpdate", ...about, ...work });
}

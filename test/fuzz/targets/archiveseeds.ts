// The archives that archives.ts changes: a dump of each version, and a snapshot, as files by name.
import { join } from "node:path";
import { unpackArchive } from "../../../src/storage/archivereader.ts";
import { FileStorage } from "../../../src/storage/file.ts";
import { MemoryStorage } from "../../../src/storage/memory.ts";
import type { Storage } from "../../../src/storage/storage.ts";
import { dumpExecutor } from "../../../src/tasks/dumps/dump.ts";
import { putDefaultKeys } from "../../../src/tasks/keys.ts";
import { snapshotExecutor } from "../../../src/tasks/snapshots.ts";
import { bytesOf } from "../../crash/bitrot.ts";
import { closeFixture, openFixture } from "../../crash/localfixture.ts";
import { Place, VERSION } from "../../tasks/copyfixture.ts";
import { add, deleteIds, settings, swap } from "../../tasks/setup.ts";

export type DumpFiles = Record<string, string>;

const DATE = "2022-10-07T11:38:54.004402239Z";
const UUID = "78be64a3-cae1-449e-b7ed-13e77c9a8a0c";
const TEAS = lines({ sku: 2, name: "green" }, { sku: 1, name: "black" });
const META = JSON.stringify({
  settings: { rankingRules: ["words", "desc(fame)"], stopWords: ["a"], synonyms: { a: ["b"] } },
  primary_key: "sku",
});
const ENDED = { status: "processed", processedAt: DATE, enqueuedAt: DATE, startedProcessingAt: DATE };

const V1: DumpFiles = {
  "metadata.json": JSON.stringify({
    indexes: [{ name: "teas", uid: "teas", createdAt: DATE, updatedAt: DATE, primaryKey: "sku" }],
    dumpVersion: "V1",
  }),
  "teas/documents.jsonl": TEAS,
  "teas/settings.json": JSON.stringify({
    rankingRules: ["typo", "asc(price)"],
    attributesForFaceting: ["name"],
  }),
  "teas/updates.jsonl": lines(
    { ...ENDED, duration: 1.5, type: { name: "DocumentsAddition", number: 2 } },
    {
      ...ENDED,
      type: { name: "Settings", settings: { ranking_rules: "Nothing", stop_words: { Update: ["a"] } } },
    },
    { status: "enqueued", type: { name: "ClearAll" }, enqueuedAt: DATE },
  ),
};

const ADDITION = { type: "DocumentsAddition", method: "UpdateDocuments", format: "Json", primary_key: null };
const V2: DumpFiles = {
  "metadata.json": JSON.stringify({ dumpVersion: "V2", dbVersion: "0.21.1" }),
  "index_uuids/data.jsonl": lines({ uid: "teas", uuid: UUID }),
  [`indexes/index-${UUID}/meta.json`]: META,
  [`indexes/index-${UUID}/documents.jsonl`]: TEAS,
  [`updates/update_files/update_${UUID}`]: JSON.stringify([{ sku: 2, price: 3 }]),
  "updates/data.jsonl": lines(
    {
      uuid: UUID,
      update: { status: "enqueued", enqueuedAt: DATE, updateId: 0, meta: ADDITION, content: UUID },
    },
    {
      uuid: UUID,
      update: { status: "aborted", abortedAt: DATE, meta: { type: "ClearDocuments" }, enqueuedAt: DATE },
    },
    {
      uuid: UUID,
      update: {
        ...ENDED,
        success: { DocumentDeletion: { deleted: 4 } },
        meta: { type: "DeleteDocuments", ids: ["1"] },
      },
    },
  ),
};

const V3: DumpFiles = {
  "metadata.json": JSON.stringify({ dumpVersion: "V3" }),
  "index_uuids/data.jsonl": lines({ uid: "teas", uuid: UUID }),
  [`indexes/${UUID}/meta.json`]: META,
  [`indexes/${UUID}/documents.jsonl`]: TEAS,
  [`updates/updates_files/${UUID}`]: TEAS,
  "updates/data.jsonl": lines(
    { uuid: UUID, update: { ...ENDED, success: "Other", meta: { Settings: { stopWords: ["b"] } } } },
    {
      uuid: UUID,
      update: {
        status: "processing",
        enqueuedAt: DATE,
        meta: { DocumentAddition: { primary_key: "sku", method: "ReplaceDocuments", content_uuid: UUID } },
      },
    },
  ),
};

const KEY = {
  description: "d",
  actions: ["search", "dumps.get"],
  indexes: ["*"],
  expires_at: null,
  created_at: DATE,
  updated_at: DATE,
};
const EVENTS = [{ Created: DATE }, { Processing: DATE }, { Succeded: { result: "Other", timestamp: DATE } }];
const V4: DumpFiles = {
  "metadata.json": JSON.stringify({ dumpVersion: "V4" }),
  "instance-uid": "9e15e977-f2ae-4761-943f-1eaf75fd736d",
  keys: lines({ ...KEY, id: [1, 2, 3] }),
  "index_uuids/data.jsonl": lines({ uid: "teas", index_meta: { uuid: UUID, creation_task_id: 0 } }),
  [`indexes/${UUID}/meta.json`]: META,
  [`indexes/${UUID}/documents.jsonl`]: TEAS,
  "updates/data.jsonl": lines(
    { id: 2, index_uid: "teas", content: { DocumentDeletion: { Ids: ["1"] } }, events: EVENTS.slice(0, 2) },
    {
      id: 1,
      index_uid: "teas",
      content: { SettingsUpdate: { settings: { stopWords: ["x"] } } },
      events: EVENTS,
    },
    { id: 0, index_uid: "teas", content: { IndexCreation: { primary_key: "sku" } }, events: EVENTS },
  ),
};

const V5: DumpFiles = {
  ...V4,
  "metadata.json": JSON.stringify({ dumpVersion: "V5" }),
  keys: lines({ ...KEY, uid: "192e54ae-32f8-4c61-85f5-eb2b1b255629", name: "n" }),
  [`updates/updates_files/${UUID}`]: lines({ sku: 3 }),
  "updates/data.jsonl": lines(
    { id: 1, content: { Dump: { uid: "20221004-155510279" } }, events: EVENTS },
    {
      id: 0,
      content: {
        DocumentAddition: {
          index_uid: "teas",
          content_uuid: UUID,
          merge_strategy: "ReplaceDocuments",
          primary_key: null,
          documents_count: 1,
          allow_index_creation: true,
        },
      },
      events: EVENTS.slice(0, 1),
    },
  ),
};

/** The newest twice as often: it is what is brought most. */
export async function dumpSeeds(): Promise<DumpFiles[]> {
  const newest = Object.fromEntries(
    Object.entries(await copiedFiles("dumpCreation")).map(([name, bytes]) => [
      name,
      Buffer.from(bytes).toString(),
    ]),
  );
  return [V1, V2, V3, V4, V5, newest, newest];
}

export function snapshotSeed(): Promise<Record<string, Uint8Array>> {
  return copiedFiles("snapshotCreation");
}

/** What a dump or a snapshot of a small instance unpacks to. */
async function copiedFiles(type: "dumpCreation" | "snapshotCreation"): Promise<Record<string, Uint8Array>> {
  const place = new Place();
  const storage = new MemoryStorage();
  const copies = new FileStorage(place.folder("copies"), false);
  const executors = {
    dumpCreation: dumpExecutor({ storage, dumps: copies, version: VERSION }),
    snapshotCreation: snapshotExecutor({ storage, snapshots: copies, name: "a.snapshot", version: VERSION }),
  };
  storage.makeFolder("");
  const file = storage.create("VERSION");
  file.append(Buffer.from(VERSION));
  file.close();
  const fixture = await openFixture(storage, { executors });
  const { instance } = fixture;
  await putDefaultKeys(instance);
  await instance.register(settings("teas", { stopWords: ["the"], filterableAttributes: ["sku"] } as never));
  await add(instance, "teas", [
    { sku: 1, name: "green" },
    { sku: "x", _geo: { lat: 1, lng: 2 } },
  ]);
  await add(instance, "mugs", [{ id: 7 }, { id: 8, é: "ü" }]);
  await instance.register(deleteIds("mugs", "7", "9"));
  await instance.register(swap(["teas", "mugs"]));
  await instance.idle();
  if (type === "dumpCreation") await instance.registerDump();
  else await instance.register({ type });
  await instance.idle();
  await closeFixture(fixture);
  const [name] = copies.list("");
  const unpacked = new MemoryStorage();
  unpacked.makeFolder("into");
  await unpackArchive(join(place.folder("copies"), name), unpacked, "into");
  place.remove();
  return filesIn(unpacked, "into", "");
}

function filesIn(storage: Storage, folder: string, prefix: string): Record<string, Uint8Array> {
  const files: Record<string, Uint8Array> = {};
  for (const name of storage.list(folder)) files[prefix + name] = bytesOf(storage, `${folder}/${name}`);
  for (const name of storage.listFolders(folder))
    Object.assign(files, filesIn(storage, `${folder}/${name}`, `${prefix}${name}/`));
  return files;
}

function lines(...values: unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}

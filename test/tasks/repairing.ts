// How the tests of repairs run one, and look at what it did. Shared by repair.test.ts and lostnames.test.ts.
import type { Storage } from "../../src/storage/storage.ts";
import { readJournal } from "../../src/tasks/journalreading.ts";
import type { Remedy } from "../../src/tasks/repair/remedy.ts";
import { repair } from "../../src/tasks/repair/repair.ts";
import { bytesOf } from "../crash/bitrot.ts";
import { openEngine } from "../crash/localfixture.ts";

export const VERSION = "1.2.3";

export async function remediesFor(storage: Storage, isDry: boolean): Promise<Remedy[]> {
  const now = new Date("2026-01-02T03:04:05.678Z");
  const remedies: Remedy[] = [];
  const options = { storage, version: VERSION, isDry, now, openEngine: () => openEngine(storage) };
  for await (const remedy of repair(options)) remedies.push(remedy);
  return remedies;
}

/** Every file with its bytes. */
export function contents(storage: Storage, folder = ""): Map<string, string> {
  const all = new Map<string, string>();
  const inside = (name: string) => (folder === "" ? name : `${folder}/${name}`);
  for (const name of storage.list(folder))
    all.set(inside(name), Buffer.from(bytesOf(storage, inside(name))).toString("base64"));
  for (const name of storage.listFolders(folder))
    for (const [file, bytes] of contents(storage, inside(name))) all.set(file, bytes);
  return all;
}

/** As a crash when an index has its new folder, and nothing of the old one is moved yet. */
export async function remediesKilledBeforeMoving(
  storage: Storage,
  uid: string,
  folder: string,
): Promise<void> {
  const makeFolder = storage.makeFolder.bind(storage);
  storage.makeFolder = (name) => {
    const now = readJournal(storage).state.catalog.get(uid)?.folder;
    if (name.startsWith("damaged-") && now !== undefined && now !== folder) throw new Error("killed");
    makeFolder(name);
  };
  await remediesFor(storage, false).finally(() => {
    storage.makeFolder = makeFolder;
  });
}

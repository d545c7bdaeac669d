// What a data folder holds, and what an interrupted import leaves in it; every start removes that.
import { INDEXES_FOLDER, JOURNAL_NAME } from "../segment/journalfile.ts";
import type { Storage } from "../storage/storage.ts";
import { PAYLOADS_FOLDER } from "./payloads.ts";
import { VERSION_NAME } from "./versionfile.ts";

/** Folder inside the data folder in which an import (opening.ts) builds the content. */
export const BUILDING = "import.tmp";

/** What an import brings before the journal. */
export const BROUGHT = [INDEXES_FOLDER, PAYLOADS_FOLDER, VERSION_NAME];

/** Whether a folder holds any part of a database, sound or not. */
export function isDatabase(storage: Storage): boolean {
  return [JOURNAL_NAME, BUILDING, ...BROUGHT].some((name) => storage.exists(name));
}

/**
 * Removes what is left of an import. It began in an empty folder and brings the journal last: without a
 * journal, all files of a database belong to the import. Anything else there is somebody else's and stays.
 */
export function removeUnfinished(storage: Storage): void {
  if (!storage.exists(BUILDING)) return;
  if (!storage.exists(JOURNAL_NAME)) {
    for (const name of storage.listFolders("")) if (BROUGHT.includes(name)) storage.removeFolder(name);
    for (const name of storage.list("")) if (BROUGHT.includes(name)) storage.remove(name);
    storage.syncFolder("");
  }
  storage.removeFolder(BUILDING);
}

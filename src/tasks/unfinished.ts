// What a data folder holds, and what an import that was interrupted leaves in it; the removal of that is
// looked for at every start.
import { INDEXES_FOLDER, JOURNAL_NAME } from "../segment/journalfile.ts";
import type { Storage } from "../storage/storage.ts";
import { PAYLOADS_FOLDER } from "./payloads.ts";
import { VERSION_NAME } from "./versionfile.ts";

/** Folder inside the data folder in which an import (opening.ts) builds what becomes its content. */
export const BUILDING = "import.tmp";

/** What an import brings, before the journal. */
export const BROUGHT = [INDEXES_FOLDER, PAYLOADS_FOLDER, VERSION_NAME];

/** Whether anything in a folder is of a database, sound or not. */
export function isDatabase(storage: Storage): boolean {
  return [JOURNAL_NAME, BUILDING, ...BROUGHT].some((name) => storage.exists(name));
}

/**
 * Removes what is left of an import. It began in an empty folder, and brings the journal last: without a
 * journal what there is of a database is part of it. Whatever else lies there is somebody else's.
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

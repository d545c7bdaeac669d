// What an import that was interrupted leaves in a data folder, and its removal: looked for at every start.
import { JOURNAL_NAME } from "../segment/journalfile.ts";
import type { Storage } from "../storage/storage.ts";

/** Folder inside the data folder in which an import (opening.ts) builds what becomes its content. */
export const BUILDING = "import.tmp";

/**
 * Removes what is left of an import. It began in an empty folder, and brings the journal last: without a
 * journal everything in the folder is part of it.
 */
export function removeUnfinished(storage: Storage): void {
  if (!storage.exists(BUILDING)) return;
  if (!storage.exists(JOURNAL_NAME)) {
    for (const name of storage.listFolders("")) if (name !== BUILDING) storage.removeFolder(name);
    for (const name of storage.list("")) storage.remove(name);
    storage.syncFolder("");
  }
  storage.removeFolder(BUILDING);
}

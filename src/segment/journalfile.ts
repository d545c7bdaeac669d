// The file of the journal and the folder of the indexes that it names, as far as a check of the bytes needs
// to know them. The journal is read and written by tasks/journal.ts.
import type { Damage } from "../storage/failure.ts";
import type { Storage } from "../storage/storage.ts";

/** Name of the log; below, its kind. */
export const JOURNAL_NAME = "journal.log";
export const JOURNAL_KIND = "TASK";
/** Contains one folder per index. */
export const INDEXES_FOLDER = "indexes";

/**
 * The damage when indexes exist in a folder without a journal, null otherwise. The journal is durable before
 * the first index is made: so it must have been lost, and a new one would hide the indexes.
 */
export function lostJournal(storage: Storage): Damage | null {
  if (storage.exists(JOURNAL_NAME)) return null;
  const count = storage.listFolders(INDEXES_FOLDER).length;
  if (count === 0) return null;
  const expected = `the journal that names the ${count} folders of \`${INDEXES_FOLDER}\``;
  return { file: JOURNAL_NAME, offset: 0, section: "file", expected, found: "no file" };
}

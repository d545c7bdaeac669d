// Repairs a damaged journal: every sound record is applied, in order, as if those in between had never been
// written, and the result is written as a new journal. Called by repair.ts.
import { JOURNAL_KIND, JOURNAL_NAME } from "../../segment/journalfile.ts";
import { encodeLogPieces } from "../../storage/recordformat.ts";
import type { Storage } from "../../storage/storage.ts";
import type { JournalReading } from "../journalreading.ts";
import { orphanedPayloads } from "../payloads.ts";
import { type JournalRecord, packRecord } from "../records.ts";
import type { State } from "../state.ts";
import { BUILDING } from "../unfinished.ts";
import type { Aside } from "./aside.ts";
import type { Remedy } from "./remedy.ts";

const NEW_JOURNAL = "journal.log.repaired";

/**
 * Writes the new journal. Folders that were to be removed stay, since the record that gave one to an index
 * may be lost. Payloads of lost tasks are kept, too, but moved aside.
 */
export function replaceJournal(
  storage: Storage,
  aside: Aside,
  { state, records, skipped }: JournalReading,
  isDry: boolean,
): Omit<Remedy, "findings"> {
  const indexes = state.catalog.uids();
  const place = JOURNAL_NAME;
  if (storage.exists(BUILDING) && !storage.exists(JOURNAL_NAME)) {
    const lost = "nothing: it is what is left of an import that was interrupted. The next start removes it.";
    return { place, kept: "the files of the indexes.", lost, action: null };
  }
  const orphans = orphanedPayloads(storage, state);
  if (!isDry) {
    const file = storage.create(NEW_JOURNAL);
    try {
      for (const piece of encodeLogPieces(JOURNAL_KIND, packed(state))) file.append(piece);
      file.sync();
    } finally {
      file.close();
    }
    for (const name of orphans) aside.moveFile(name);
    // Copied, not moved: after a crash, a folder without a journal could not be repaired any more.
    if (storage.exists(JOURNAL_NAME)) aside.copyFile(JOURNAL_NAME);
    storage.rename(NEW_JOURNAL, JOURNAL_NAME);
    storage.syncFolder("");
  }
  const files = `${orphans.length} files of documents that no task names any more`;
  const action = "a new journal takes the place of the old one; the old one and those files are moved aside.";
  if (records === skipped) {
    const lost = `the names of the indexes, all keys, webhooks and tasks, ${files}.`;
    return { place, kept: "the files of the indexes.", lost, action };
  }
  return {
    place,
    kept: `${records - skipped} records: ${indexes.length} indexes and ${state.tasks.size} tasks.`,
    lost: `what stood in the damaged records; ${skipped} records that need them, ${files}.`,
    action,
  };
}

function* packed(state: State): Generator<Uint8Array> {
  for (const record of state.snapshot() as Iterable<JournalRecord>)
    if (record.type !== "drop") yield packRecord(record);
}

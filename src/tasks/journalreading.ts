// Reads the journal of a folder that no server has open, as far as its records are sound; changes nothing.
// Called by `tarsier check` (catalogcheck.ts) and `tarsier repair` (repair/repair.ts).
import { attempt, type Finding } from "../segment/finding.ts";
import { JOURNAL_KIND, JOURNAL_NAME } from "../segment/journalfile.ts";
import { checkLog } from "../segment/logcheck.ts";
import type { Storage } from "../storage/storage.ts";
import { unpackRecord } from "./records.ts";
import { State } from "./state.ts";

export interface JournalReading {
  /** What the sound records say, as if those in between had never been written. */
  state: State;
  /** Sound records. */
  records: number;
  /** Sound records that make no sense, perhaps only for lack of a lost one before them. */
  skipped: number;
  /** The first of the skipped ones. */
  misfit: Finding | null;
  /** Whether no byte of the journal is damaged. */
  isSound: boolean;
}

/** The state that the sound records describe; the empty one without a journal. */
export function readJournal(storage: Storage): JournalReading {
  const reading: JournalReading = { state: new State(), records: 0, skipped: 0, misfit: null, isSound: true };
  if (!storage.exists(JOURNAL_NAME)) return reading;
  const onDamage = () => {
    reading.isSound = false;
  };
  const onMisfit = (finding: Finding) => {
    reading.skipped++;
    reading.misfit ??= { ...finding, expected: "records that fit together" };
  };
  checkLog(storage, JOURNAL_NAME, JOURNAL_KIND, onDamage, (payload, offset) => {
    reading.records++;
    attempt(() => reading.state.apply(unpackRecord(payload)), onMisfit, JOURNAL_NAME, "record", offset);
  });
  return reading;
}

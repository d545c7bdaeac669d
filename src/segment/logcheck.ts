// Checks a record log (storage/recordformat.ts) from end to end: the journal, and the manifests of indexes.
// Called by check.ts. Bytes after the last valid record that were never acknowledged are the trace of a crash
// and not damage; damage in the very last record looks the same.
import { FORMAT_SECTION } from "../storage/failure.ts";
import { RecordReader } from "../storage/recordreader.ts";
import type { Storage } from "../storage/storage.ts";
import { attempt, type Finding } from "./finding.ts";

/** Reads every record, even those after damaged ones. `kind`: four ASCII characters. */
export function checkLog(
  storage: Storage,
  name: string,
  kind: string,
  tell: (finding: Finding) => void,
  onRecord: (payload: Uint8Array, offset: number) => void = () => {},
): void {
  const file = attempt(() => storage.open(name), tell, name, "file");
  if (!file) return;
  try {
    let isUnknown = false;
    const note = (finding: Finding) => {
      isUnknown = finding.section === FORMAT_SECTION;
      tell(finding);
    };
    let reader = attempt(() => RecordReader.open(file, name, kind), note, name, "header");
    // Each record has its own checksum: of the header only the salt is needed.
    if (!reader && !isUnknown) reader = RecordReader.openDamaged(file, name, kind);
    if (reader) readOn(reader, name, tell, onRecord);
  } finally {
    file.close();
  }
}

function readOn(
  reader: RecordReader,
  name: string,
  tell: (finding: Finding) => void,
  onRecord: (payload: Uint8Array, offset: number) => void,
): void {
  do {
    for (;;) {
      const { offset } = reader;
      const payload = reader.next();
      if (!payload) break;
      attempt(() => onRecord(payload, offset), tell, name, "record", offset);
    }
    let damaged = false;
    const note = (finding: Finding) => {
      damaged = true;
      tell(finding);
    };
    attempt(() => reader.tail(), note, name, "record", reader.offset);
    if (!damaged) return;
  } while (reader.resume());
}

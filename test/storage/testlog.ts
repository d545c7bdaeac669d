// A log for tests. Used by recordlog.test.ts and logreplacement.test.ts.
import { MemoryStorage } from "../../src/storage/memory.ts";
import { RecordLog } from "../../src/storage/recordlog.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { bytes, text } from "./cases.ts";

export function open(storage: Storage, records: string[] = []): RecordLog {
  return RecordLog.open(storage, "log", "TEST", (record) => records.push(text(record)));
}

export function read(storage: Storage): string[] {
  const records: string[] = [];
  open(storage, records).close();
  return records;
}

/** A log whose every record was synced before the next was written. */
export function logOf(...records: string[]): MemoryStorage {
  const storage = new MemoryStorage();
  const log = open(storage);
  for (const record of records) {
    log.append(bytes(record));
    log.sync();
  }
  log.close();
  return storage;
}

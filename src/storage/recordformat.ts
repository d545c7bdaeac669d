// The bytes of a record log: written by recordlog.ts, read by recordreader.ts. All numbers little-endian.
//
//   log      [ header | record | record | ... ]
//
//            0        4        8          12       16                      20
//   header   [ "TLOG" | kind   | version  | salt   | CRC32C of bytes 0-15  ]
//
//            0        4        8          12                   12 + length
//   record   [ CRC32C | length | unsynced | payload ...        ]
//
// kind      four ASCII characters: which log this is, so that none is taken for another
// salt      random, per file. It seeds the CRC of the records, so that no bytes a user sends, and none of an
//           older file in the same place of the disk, can pass for a record
// CRC32C    of everything behind it in the record, seeded with the salt
// unsynced  bytes before this record that were not known to be on disk when it was written. A power loss may
//           spoil any part of what was not synced. So a bad record is the torn end of the log unless some
//           record behind it says that it had been synced: then it was acknowledged, and damaged since.
import { bytesBetween, crc32c } from "./crc32c.ts";
import { damagedFile, unknownFormat } from "./failure.ts";

export const LOG_HEADER_BYTES = 20;
export const RECORD_HEADER_BYTES = 12;
export const RECORD_BYTES_MAX = 64 * 1024 * 1024;

/** Thrown before anything is written. */
export class RecordTooLarge extends RangeError {}

/** Bytes of a log that are made at a time: few enough for other work of the thread not to wait for them. */
const PIECE_BYTES = 16 * 1024;
const FORMAT_VERSION = 1;
const MAGIC = "TLOG";
const KIND_OFFSET = 4;
const VERSION_OFFSET = 8;
const SALT_OFFSET = 12;
const CHECKSUM_OFFSET = 16;

/** Header of a new log with a fresh salt. `kind`: four ASCII characters. */
export function encodeHeader(kind: string): Uint8Array {
  const header = new Uint8Array(LOG_HEADER_BYTES);
  const view = new DataView(header.buffer);
  writeText(header, 0, MAGIC);
  writeText(header, KIND_OFFSET, kind);
  view.setUint32(VERSION_OFFSET, FORMAT_VERSION, true);
  globalThis.crypto.getRandomValues(header.subarray(SALT_OFFSET, SALT_OFFSET + 4));
  view.setUint32(CHECKSUM_OFFSET, crc32c(header, 0, CHECKSUM_OFFSET), true);
  return header;
}

/**
 * The salt of a log.
 * @throws TarsierError `invalid_store_file` when it is damaged, of another kind, or of an unknown format
 */
export function decodeHeader(header: Uint8Array, file: string, kind: string): number {
  const view = viewOf(header);
  if (header.length < LOG_HEADER_BYTES) {
    throw damagedFile({
      file,
      offset: 0,
      expected: `${LOG_HEADER_BYTES} bytes`,
      found: `${header.length} bytes`,
    });
  }
  checkHeader(header, view, file, kind);
  return view.getUint32(SALT_OFFSET, true);
}

/**
 * Likely salts of a log whose header is damaged: the stored one, and the one that follows from the checksum.
 */
export function likelySalts(header: Uint8Array, kind: string): number[] {
  const view = viewOf(header);
  const sound = encodeHeader(kind);
  const before = crc32c(sound, 0, SALT_OFFSET);
  return [view.getUint32(SALT_OFFSET, true), bytesBetween(before, view.getUint32(CHECKSUM_OFFSET, true))];
}

function checkHeader(header: Uint8Array, view: DataView, file: string, kind: string): void {
  const magic = readText(header, 0);
  if (magic !== MAGIC) throw damagedFile({ file, offset: 0, expected: MAGIC, found: JSON.stringify(magic) });
  const checksum = crc32c(header, 0, CHECKSUM_OFFSET);
  const stored = view.getUint32(CHECKSUM_OFFSET, true);
  if (stored !== checksum)
    throw damagedFile({ file, offset: 0, expected: hex(stored), found: hex(checksum) });
  const version = view.getUint32(VERSION_OFFSET, true);
  if (version !== FORMAT_VERSION) throw unknownFormat(file, version, FORMAT_VERSION, VERSION_OFFSET);
  const found = readText(header, KIND_OFFSET);
  if (found !== kind) throw damagedFile({ file, offset: KIND_OFFSET, expected: kind, found });
}

/** A record with its header. `unsynced`: see above; below 2^32. */
export function encodeRecord(payload: Uint8Array, salt: number, unsynced: number): Uint8Array {
  if (payload.length > RECORD_BYTES_MAX) {
    throw new RecordTooLarge(`a record of ${payload.length} bytes: the limit is ${RECORD_BYTES_MAX}`);
  }
  const record = new Uint8Array(RECORD_HEADER_BYTES + payload.length);
  const view = new DataView(record.buffer);
  view.setUint32(4, payload.length, true);
  view.setUint32(8, unsynced, true);
  record.set(payload, RECORD_HEADER_BYTES);
  view.setUint32(0, crc32c(record, 4, record.length, salt), true);
  return record;
}

/** A whole log with one record, for logs that are created with their first state. */
export function encodeLog(kind: string, payload: Uint8Array): Uint8Array {
  const header = encodeHeader(kind);
  const salt = decodeHeader(header, "", kind);
  const record = encodeRecord(payload, salt, 0);
  const log = new Uint8Array(header.length + record.length);
  log.set(header);
  log.set(record, header.length);
  return log;
}

/** A whole log with any number of records, piece by piece. */
export function* encodeLogPieces(kind: string, payloads: Iterable<Uint8Array>): Generator<Uint8Array> {
  const header = encodeHeader(kind);
  const salt = decodeHeader(header, "", kind);
  let pending = [header];
  let pendingBytes = header.length;
  for (const payload of payloads) {
    const record = encodeRecord(payload, salt, 0);
    pending.push(record);
    pendingBytes += record.length;
    if (pendingBytes < PIECE_BYTES) continue;
    yield Buffer.concat(pending);
    pending = [];
    pendingBytes = 0;
  }
  yield Buffer.concat(pending);
}

export function hex(checksum: number): string {
  return `checksum ${checksum.toString(16).padStart(8, "0")}`;
}

function viewOf({ buffer, byteOffset, length }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, length);
}

function writeText(target: Uint8Array, offset: number, text: string): void {
  if (!/^[ -~]{4}$/.test(text)) throw new RangeError(`not four ASCII characters: ${JSON.stringify(text)}`);
  for (let i = 0; i < text.length; i++) target[offset + i] = text.charCodeAt(i);
}

function readText(source: Uint8Array, offset: number): string {
  return String.fromCharCode(...source.subarray(offset, offset + 4));
}

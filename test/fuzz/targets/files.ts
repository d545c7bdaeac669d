// Files of a data folder. With its checksums left alone, a changed file gives the answers of the sound one or
// an error that names it. With checksums made to fit, as somebody who builds a snapshot could, anything may
// be answered, but nothing traps, hangs, or fails with something else than an error of the table.
import assert from "node:assert/strict";
import type { PoolEngine } from "../../../src/engine/pool.ts";
import { TarsierError } from "../../../src/errors.ts";
import { searchQueryOf } from "../../../src/schemas/search.ts";
import { checkStorage } from "../../../src/segment/check.ts";
import { CHUNK_BYTES, HEADER_BYTES, TRAILER_BYTES } from "../../../src/segment/format.ts";
import { JOURNAL_KIND, JOURNAL_NAME } from "../../../src/segment/journalfile.ts";
import { MANIFEST_KIND } from "../../../src/segment/manifestreader.ts";
import { crc32c } from "../../../src/storage/crc32c.ts";
import {
  encodeLog,
  encodeLogPieces,
  LOG_HEADER_BYTES,
  RECORD_HEADER_BYTES,
} from "../../../src/storage/recordformat.ts";
import { RecordLog } from "../../../src/storage/recordlog.ts";
import { checkCatalog } from "../../../src/tasks/catalogcheck.ts";
import { Journal } from "../../../src/tasks/journal.ts";
import { bytesOf, filesOf, makeFolder, type SoundFolder, withBytes } from "../../crash/bitrot.ts";
import { copyOf } from "../../crash/faultrun.ts";
import { openEngine } from "../../crash/localfixture.ts";
import type { Random } from "../../crash/random.ts";
import { type Input, isAccepted, type Subject, type Target } from "../fuzzing.ts";
import { changedBytes } from "../making.ts";

const DOCUMENTS = 60;
const UID = "00000000-0000-7000-8000-000000000000";
const QUERIES = [
  { q: "almond" },
  { q: "dasy alm", filter: "extra > 3 OR _geoRadius(10, 10, 9e6)" },
  { q: null, facets: ["*"], filter: "_geoBoundingBox([9, 99], [1, 1])", attributesToHighlight: ["*"] },
];

export const fileTargets: Target[] = [
  { name: "segment", slice: 15, open: () => damagedFolder(/^segment-\d+$/, unsigned) },
  { name: "segment-signed", slice: 15, open: () => damagedFolder(/^segment-\d+$/, signedSegment) },
  { name: "manifest", slice: 20, open: () => damagedFolder(/^manifest/, unsigned) },
  { name: "manifest-signed", slice: 20, open: () => damagedFolder(/^manifest/, signedManifest) },
  { name: "journal-signed", slice: 100, open: signedJournal },
  { name: "record-log", slice: 200, open: recordLog },
];

/** Damages files of an index whose names match. The first byte of an input says which of them. */
async function damagedFolder(
  pattern: RegExp,
  sign: (changed: Uint8Array, sound: Uint8Array, random: Random) => Uint8Array,
): Promise<Subject> {
  const sound = await makeFolder(DOCUMENTS);
  const names = filesOf(sound.storage, sound.handles.alpha, pattern);
  const expected = await readAll(sound);
  for (const answer of expected) assert.equal(typeof answer, "string", String(answer));
  return {
    make(random) {
      const file = random.between(0, names.length - 1);
      const bytes = bytesOf(sound.storage, names[file]);
      return Buffer.concat([Buffer.of(file), sign(changedBytes(random, bytes), bytes, random)]);
    },
    async take(input) {
      const name = names[(input as Uint8Array)[0] % names.length];
      const bytes = (input as Uint8Array).subarray(1);
      const isSigned = sign !== unsigned;
      const isTaken = await withBytes(sound.storage, name, bytes, async () => {
        const answers = await readAll(sound, isSigned);
        const findings = [...checkStorage(sound.storage), ...checkCatalog(sound.storage)];
        const isTold = answers.some((answer) => answer instanceof Error);
        if (isSigned) return !isTold;
        answers.forEach((answer, i) => {
          if (!(answer instanceof Error)) assert.equal(answer, expected[i]);
        });
        assert.ok(!isTold || findings.length > 0, "the check finds what the reads met");
        return !isTold;
      });
      if (isSigned) assert.deepEqual(await readAll(sound), expected, "the threads are as good as new");
      return isTaken;
    },
  };
}

const unsigned = (bytes: Uint8Array): Uint8Array => bytes;

/** Answers, or the error in their place. `mayFail`: with errors that are not of the table, too. */
async function readAll({ storage, handles }: SoundFolder, mayFail = false): Promise<(string | Error)[]> {
  const engine: PoolEngine = openEngine(storage);
  const listing = { offset: 0, limit: 1000, fields: null, retrieveVectors: true, ids: null, filter: null };
  const reads = [
    () => engine.documents(handles.alpha, { ...listing, sort: null }),
    () => engine.documents(handles.alpha, { ...listing, filter: "extra EXISTS", sort: null }),
    ...QUERIES.map((query) => () => engine.search(handles.alpha, searchQueryOf(query, UID, null))),
    () => engine.document(handles.alpha, "17", { fields: null, retrieveVectors: true }),
  ];
  try {
    const answers: (string | Error)[] = [];
    const failing = mayFail ? (error: Error) => error : tableError;
    for (const read of reads) answers.push(await read().then(textOf, failing));
    return answers;
  } finally {
    await engine.close();
  }
}

const textOf = (bytes: Uint8Array | null): string =>
  Buffer.from(bytes ?? [])
    .toString()
    .replace(/"processingTimeMs":\d+/, "");

function tableError(error: unknown): TarsierError {
  if (error instanceof TarsierError && error.code !== "internal") return error;
  throw error;
}

/** A segment whose sections are changed, with checksums that fit: sometimes the table of sections, too. */
function signedSegment(changed: Uint8Array, sound: Uint8Array, random: Random): Uint8Array {
  const trailer = Buffer.from(sound.subarray(sound.length - TRAILER_BYTES));
  const covered = trailer.readDoubleLE(0);
  const tableBytes = trailer.readUInt32LE(8);
  const body = Buffer.from(sound.subarray(0, covered));
  body.set(changed.subarray(HEADER_BYTES, covered), HEADER_BYTES);
  let table = Buffer.from(sound.subarray(sound.length - TRAILER_BYTES - tableBytes, -TRAILER_BYTES));
  if (random.chance(0.2)) table = Buffer.from(changedBytes(random, table));
  const checksums = Buffer.alloc(Math.ceil(covered / CHUNK_BYTES) * 4);
  for (let at = 0; at < covered; at += CHUNK_BYTES)
    checksums.writeUInt32LE(crc32c(body.subarray(at, at + CHUNK_BYTES)), (at / CHUNK_BYTES) * 4);
  trailer.writeUInt32LE(table.length, 8);
  trailer.writeUInt32LE(crc32c(checksums), 12);
  trailer.writeUInt32LE(crc32c(trailer, 0, 16, crc32c(table)), 16);
  return Buffer.concat([body, checksums, table, trailer]);
}

function signedManifest(_changed: Uint8Array, sound: Uint8Array, random: Random): Uint8Array {
  const payloads = recordsOf(sound);
  return encodeLog(MANIFEST_KIND, changedBytes(random, payloads[payloads.length - 1]));
}

async function signedJournal(): Promise<Subject> {
  const { storage } = await makeFolder(5);
  const records = recordsOf(bytesOf(storage, JOURNAL_NAME));
  return {
    make(random) {
      const changed = records.map((record) => (random.chance(0.1) ? changedBytes(random, record) : record));
      return Buffer.concat([...encodeLogPieces(JOURNAL_KIND, changed)]);
    },
    take: (input) =>
      withBytes(storage, JOURNAL_NAME, Buffer.from(input), () =>
        isAccepted(() => Journal.open(copyOf(storage)).close()),
      ),
  };
}

/** Payloads of the records of a sound log. */
function recordsOf(log: Uint8Array): Uint8Array[] {
  const view = new DataView(log.buffer, log.byteOffset, log.length);
  const records: Uint8Array[] = [];
  for (let at = LOG_HEADER_BYTES; at < log.length; ) {
    const length = view.getUint32(at + 4, true);
    records.push(log.slice(at + RECORD_HEADER_BYTES, at + RECORD_HEADER_BYTES + length));
    at += RECORD_HEADER_BYTES + length;
  }
  return records;
}

/** What a damaged log gives is the beginning of what it held. */
async function recordLog(): Promise<Subject> {
  const { storage } = await makeFolder(5);
  const sound = bytesOf(storage, JOURNAL_NAME);
  const records = recordsOf(sound).map((record) => Buffer.from(record).toString("base64"));
  return {
    make: (random) => changedBytes(random, sound),
    take: (input: Input) =>
      isAccepted(async () => {
        const copy = copyOf(storage);
        const found: string[] = [];
        await withBytes(copy, JOURNAL_NAME, Buffer.from(input), async () => {
          const keep = (record: Uint8Array) => void found.push(Buffer.from(record).toString("base64"));
          await RecordLog.open(copy, JOURNAL_NAME, JOURNAL_KIND, keep).close();
        });
        assert.deepEqual(found, records.slice(0, found.length));
      }),
  };
}

// Documents that are too large for the memory of a core: their task fails, saying so, and nothing else.
import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { describe, it, mock } from "node:test";
import { Core, CoreExhausted } from "../../src/core/core.ts";
import type { BatchResult, Operation, ProgressListener } from "../../src/engine/engine.ts";
import type { Piece } from "../../src/engine/ingest/changes.ts";
import { Contents } from "../../src/engine/ingest/contents.ts";
import { FIELDS_MAX } from "../../src/engine/ingest/indexing.ts";
import { forDocument } from "../../src/engine/ingest/largedocument.ts";
import { PayloadReader } from "../../src/engine/ingest/payloadreader.ts";
import { WriteThread } from "../../src/engine/writethread.ts";
import type { Settings } from "../../src/schemas/settings.ts";
import { SegmentBuilder } from "../../src/segment/builder.ts";
import { BytesFile } from "../../src/storage/bytesfile.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";

const MEBIBYTE = 2 ** 20;
const MEGABYTE = 1e6;
/** Of the core's 4 GiB it takes 2.2 GB from the beginning, which cost nothing until they are used. */
const MEMORY_BYTES_LARGE = 16 * 2 ** 30;

let tasks = 0;

const addition = (...lines: (string | Uint8Array)[]): Operation => ({
  kind: "add",
  taskUid: tasks++,
  payload: Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from("\n")])),
  method: "replace",
  primaryKey: null,
  skipCreation: false,
});

const change = (patch: Partial<Settings>): Operation => ({ kind: "settings", taskUid: tasks++, patch });

/** A document of one word, of about this many bytes. */
const long = (id: number, bytes: number): Uint8Array =>
  Buffer.concat([Buffer.from(`{"id":${id},"t":"`), Buffer.alloc(bytes, "a"), Buffer.from('"}')]);

/** A document of different words. */
function wordy(id: number, bytes: number): string {
  const words = Array.from({ length: bytes / 8 }, (_, i) => i.toString(36).padStart(7, "w"));
  return `{"id":${id},"t":"${words.join(" ")}"}`;
}

const run = (writer: WriteThread, ...operations: Operation[]): BatchResult =>
  writer.run({ folder: "i", indexUid: "i", operations }, null, () => {}) as BatchResult;

const outcomes = ({ results }: BatchResult): unknown[] =>
  results.map(({ error, indexedDocuments }) => error?.code ?? indexedDocuments);

describe("a document that is too large", () => {
  it("fails its task alone when its words need more than the memory for indexing", () => {
    const writer = new WriteThread(new MemoryStorage(), 16 * MEBIBYTE);
    const tasks = [addition('{"id":1}'), addition('{"id":2}', wordy(3, 5 * MEGABYTE)), addition('{"id":4}')];
    const result = run(writer, ...tasks);
    deepEqual(outcomes(result), [1, "document_too_large", 1]);
    match(result.results[1].error!.message, /^Document `3` of 5 MB is too large: .*`--max-indexing-memory`/);
    equal(result.index.numberOfDocuments, 2);
    deepEqual(outcomes(run(writer, addition('{"id":5}'))), [1]);
    writer.close();
  });

  it("fails its task alone when the core has no memory left, and so does each of several", () => {
    const writer = new WriteThread(new MemoryStorage(), MEMORY_BYTES_LARGE);
    const large = (id: number) => addition(long(id, 84 * MEGABYTE));
    const result = run(writer, addition('{"id":1}'), large(2), addition('{"id":3}'), large(4));
    deepEqual(outcomes(result), [1, "document_too_large", 1, "document_too_large"]);
    match(result.results[3].error!.message, /^Document `4` of 84 MB is too large: .* 4 GiB/);
    equal(result.index.numberOfDocuments, 2);
    writer.close();
  });

  it("that was in the index fails the tasks that change it, in few tries however many they are", () => {
    const storage = new MemoryStorage();
    run(new WriteThread(storage, 1024 * MEBIBYTE), addition('{"id":1}', wordy(2, 5 * MEGABYTE)));
    const writer = new WriteThread(storage, 16 * MEBIBYTE);
    const update = (line: string): Operation => ({ ...addition(line), method: "update" }) as Operation;
    const updates = Array.from({ length: 40 }, (_, i) => update(`{"id":2,"n":${i}}`));
    let tries = 0;
    const count: ProgressListener = ([{ finished }]) => {
      if (finished === 0) tries++;
    };
    const operations = [update('{"id":1,"n":1}'), ...updates, addition('{"id":3}')];
    const result = writer.run({ folder: "i", indexUid: "i", operations }, null, count) as BatchResult;
    deepEqual(outcomes(result), [1, ...updates.map(() => "document_too_large"), 1]);
    equal(result.index.numberOfDocuments, 3);
    ok(tries < 20, `${tries} tries`);
    deepEqual(outcomes(run(writer, update('{"id":2,"t":"short"}'))), [1]);
    writer.close();
  });

  it("is named when it was in the index and a change of settings indexes it anew", () => {
    const storage = new MemoryStorage();
    run(new WriteThread(storage, 1024 * MEBIBYTE), addition('{"id":1}', wordy(2, 5 * MEGABYTE)));
    const writer = new WriteThread(storage, 16 * MEBIBYTE);
    const settings: Operation = { kind: "settings", taskUid: tasks++, patch: { stopWords: ["the"] } };
    throws(() => run(writer, settings), { code: "document_too_large", message: /^Document `2` of 5 MB / });
    deepEqual(outcomes(run(writer, addition('{"id":3}'))), [1]);
    writer.close();
  });

  it("is not one that only those before have left no room for", () => {
    const writer = new WriteThread(new MemoryStorage(), MEMORY_BYTES_LARGE);
    deepEqual(outcomes(run(writer, addition(long(1, 35 * MEGABYTE)))), [1]);
    deepEqual(outcomes(run(writer, addition(long(1, 60 * MEGABYTE)))), [1]);
    deepEqual(outcomes(run(writer, addition(long(1, 70 * MEGABYTE)))), [1]);
    writer.close();
  });

  it("is one of several parts of a document: the longest part fails", () => {
    const writer = new WriteThread(new MemoryStorage(), 16 * MEBIBYTE);
    const update = (line: string): Operation => ({ ...addition(line), method: "update" }) as Operation;
    const parts = [update('{"id":1,"a":1}'), update(wordy(1, 5 * MEGABYTE)), update('{"id":1,"b":1}')];
    deepEqual(outcomes(run(writer, ...parts)), [1, "document_too_large", 1]);
    writer.close();
  });

  it("is refused beside one with too many fields", () => {
    const writer = new WriteThread(new MemoryStorage(), 64 * MEBIBYTE);
    const fields = Array.from({ length: FIELDS_MAX + 1 }, (_, i) => `"f${i}":1`);
    // Of a field, no more than 65,535 words are kept.
    const texts = Array.from({ length: 10 }, (_, i) => `"${i}":${wordy(i, 500_000).replaceAll("w", `${i}`)}`);
    const large = `{"id":2,${texts}}`;
    const tasks = [addition('{"id":1}'), addition(large), addition(`{"id":3,${fields}}`)];
    const codes = [1, "document_too_large", "max_fields_limit_exceeded"];
    deepEqual(outcomes(run(writer, ...tasks)), codes);
    writer.close();
  });

  it("has no number yet while it is read", () => {
    const { locatePiece } = Contents.prototype;
    mock.method(Contents.prototype, "locatePiece", function (this: Contents, piece: Piece) {
      return forDocument(piece.length, null, () => {
        if (piece.length > MEBIBYTE) throw new CoreExhausted(piece.length, {});
        return locatePiece.call(this, piece);
      });
    });
    const writer = new WriteThread(new MemoryStorage(), 16 * MEBIBYTE);
    try {
      const result = run(writer, addition('{"id":1}'), addition(long(2, 2 * MEBIBYTE)), addition('{"id":3}'));
      deepEqual(outcomes(result), [1, "document_too_large", 1]);
      match(result.results[1].error!.message, /^Document `2` of 2.1 MB /);
    } finally {
      mock.restoreAll();
      writer.close();
    }
  });

  it("fails its task alone whichever part of the memory for it is not there", () => {
    const storage = new MemoryStorage();
    run(new WriteThread(storage, 64 * MEBIBYTE), addition(long(2, 2 * MEBIBYTE)));
    const { take } = Core.prototype;
    const { locate } = Contents.prototype;
    /** Of the large parts that are taken while documents are written, the one of this number is missing. */
    let missing = 0;
    let left = 0;
    let isWriting = false;
    mock.method(Contents.prototype, "locate", function (this: Contents, ...given: Parameters<typeof locate>) {
      if (!isWriting) left = missing;
      isWriting = true;
      return locate.apply(this, given);
    });
    mock.method(Core.prototype, "take", function (this: Core, bytes: number) {
      if (!isWriting || bytes < MEBIBYTE || left-- > 0) return take.call(this, bytes);
      isWriting = false;
      throw new CoreExhausted(bytes, {});
    });
    const piece = Buffer.from(
      long(2, 3 * MEBIBYTE)
        .toString()
        .replace('"t"', '"u"'),
    );
    try {
      for (let isMissed = true; isMissed; missing++) {
        const writer = new WriteThread(storage, 64 * MEBIBYTE);
        const update = { ...addition(piece), method: "update" } as Operation;
        // So many that the first gives up its memory, and is read again.
        const others = Array.from({ length: 10 }, (_, i) => addition(`{"id":${10 + i}}`));
        const found = outcomes(run(writer, update, ...others));
        isMissed = found[0] !== 1;
        deepEqual(found, [isMissed ? "document_too_large" : 1, ...others.map(() => 1)], `${missing}`);
        writer.close();
        isWriting = false;
      }
    } finally {
      mock.restoreAll();
    }
    ok(missing > 3, `${missing} parts`);
  });

  it("fails its task alone when the memory only runs out at the end of its segment", () => {
    // Each is a segment.
    const lines = [wordy(1, 400_000), wordy(2, 300_000)];
    let segments = 0;
    const { finish } = SegmentBuilder.prototype;
    mock.method(SegmentBuilder.prototype, "finish", function (this: SegmentBuilder) {
      if (++segments === lines.length) throw new CoreExhausted(1, {});
      return finish.apply(this);
    });
    const writer = new WriteThread(new MemoryStorage(), 16 * MEBIBYTE);
    try {
      deepEqual(outcomes(run(writer, ...lines.map((line) => addition(line)))), [1, "document_too_large"]);
    } finally {
      mock.restoreAll();
      writer.close();
    }
  });

  it("fails the change of settings that would index it, and leaves a core that is new", () => {
    const writer = new WriteThread(new MemoryStorage(), 16 * MEBIBYTE);
    const { reservedBytes } = writer;
    run(writer, change({ searchableAttributes: ["id"] }));
    deepEqual(outcomes(run(writer, addition('{"id":1}', wordy(2, 5 * MEGABYTE)))), [2]);
    throws(() => run(writer, change({ searchableAttributes: ["*"] })), {
      code: "document_too_large",
      message: /^Document `2` of 5 MB /,
    });
    equal(writer.reservedBytes, reservedBytes);
    deepEqual(outcomes(run(writer, addition('{"id":3}'))), [1]);
    writer.close();
  });

  it("is not read further than to the limit of 256 MiB, here of one", () => {
    const line = Buffer.from('{"id":1}\n');
    const file = new BytesFile(Buffer.concat([line, long(2, 5 * MEBIBYTE), line]));
    const core = new Core();
    const reader = new PayloadReader(core, file, MEBIBYTE);
    const before = core.reservedBytes;
    throws(() => [...reader.pieces()], { code: "document_too_large", message: /byte 9 .* limit of 1 MiB$/ });
    ok(core.reservedBytes - before < 2 * MEBIBYTE);
    equal([...new PayloadReader(core, file, 8 * MEBIBYTE).pieces()].length, 2);
  });
});

it("a core says what it has no room for", () => {
  const core = new Core();
  const before = core.reservedBytes;
  throws(() => core.reserve(5 * 2 ** 30), CoreExhausted);
  equal(core.reservedBytes, before);
});

// Checks one segment file: first every chunk against its checksum; when all are sound, whether the sections
// fit together: that blocks unpack, ids are found, lists decode to documents that exist. Called by check.ts.
import type { Core } from "../core/core.ts";
import { ID_BYTES_MAX } from "../core/identifiers.ts";
import { Region } from "../core/region.ts";
import { damagedFile } from "../storage/failure.ts";
import { join, type Storage } from "../storage/storage.ts";
import { ExtentCache } from "./cache.ts";
import { ColumnCheck } from "./columncheck.ts";
import { BlockScratch } from "./documentblocks.ts";
import { SegmentFile } from "./file.ts";
import { attempt, type Finding } from "./finding.ts";
import { CHUNK_BYTES, HEADER_BYTES, headerMagic, type SectionName } from "./format.ts";
import { checkGeometries } from "./geometrycheck.ts";
import type { SegmentEntry } from "./manifeststate.ts";
import { DOCID_FACTS, Segment } from "./segment.ts";
import { POSITIONS, POSTINGS } from "./termstarts.ts";
import { checkVectors } from "./vectorcheck.ts";

type Tell = (finding: Finding) => void;

/** Chunks read at a time. */
const SPAN_CHUNKS = 64;
/** Room for the extents of one step: a whole section, or the lists of one term. */
const CACHE_BYTES = 512 * 1024 * 1024;
const SLACK_BYTES = 64;
/** Most findings of one kind in a segment; more of them tell nothing new. */
const FINDINGS_MAX = 10;

export class SegmentCheck {
  readonly #core: Core;
  readonly #storage: Storage;
  readonly #cache: ExtentCache;
  readonly #blocks: BlockScratch;
  readonly #span: number;
  readonly #columns: ColumnCheck;
  readonly #list: Region;
  readonly #id: number;

  constructor(core: Core, storage: Storage) {
    this.#core = core;
    this.#storage = storage;
    this.#span = core.reserve(SPAN_CHUNKS * CHUNK_BYTES);
    this.#id = core.reserve(ID_BYTES_MAX);
    this.#columns = new ColumnCheck(core);
    this.#list = new Region(core);
    this.#blocks = new BlockScratch(core);
    this.#cache = new ExtentCache(core, CACHE_BYTES);
  }

  /** Throws at the first byte of a segment file that is not what was written. */
  checkBytes(path: string): void {
    const fail = (finding: Finding) => {
      throw damagedFile(finding);
    };
    this.#checkChunks(path, fail);
  }

  /**
   * Reports all damage. Returns the docids of the segment, ascending; null when they cannot be determined.
   */
  check(folder: string, entry: SegmentEntry, tell: Tell): Uint32Array | null {
    const path = join(folder, entry.name);
    if (!attempt(() => this.#checkChunks(path, tell), tell, path, "file")) return null;
    const { name } = entry;
    const open = () => new Segment(this.#storage, folder, name, this.#cache, this.#blocks);
    const segment = attempt(open, tell, path, "meta");
    if (!segment) return null;
    try {
      return this.#checkStructure(segment, entry, tell);
    } finally {
      segment.close();
    }
  }

  /** True when every chunk is what was written. */
  #checkChunks(path: string, tell: Tell): boolean {
    const file = new SegmentFile(this.#storage, path);
    try {
      let sound = true;
      const chunks = file.checksums.length;
      for (let first = 0; first < chunks; first += SPAN_CHUNKS) {
        const last = Math.min(first + SPAN_CHUNKS, chunks) - 1;
        if (this.#isSound(file, first, last)) continue;
        sound = false;
        for (let chunk = first; chunk <= last; chunk++) {
          attempt(
            () => file.readChunks(this.#core, chunk, chunk, this.#span),
            tell,
            path,
            "chunk",
            chunk * CHUNK_BYTES,
          );
        }
      }
      return sound;
    } finally {
      file.close();
    }
  }

  #isSound(file: SegmentFile, first: number, last: number): boolean {
    try {
      file.readChunks(this.#core, first, last, this.#span);
      return true;
    } catch {
      return false;
    }
  }

  #checkStructure(segment: Segment, entry: SegmentEntry, tell: Tell): Uint32Array | null {
    const parts: [SectionName, () => void][] = [
      ["meta", () => this.#checkFacts(segment, entry)],
      ["documents", () => this.#checkDocuments(segment)],
      ["ids", () => this.#checkIds(segment)],
      ["shapes", () => this.#checkShapes(segment)],
      ["terms", () => this.#checkTerms(segment)],
      ["columns", () => this.#columns.checkColumns(segment)],
    ];
    for (const [name, check] of parts) {
      this.#cache.beginTurn();
      attempt(check, tell, segment.file.path, name, segment.file.section(name).offset);
    }
    const { path } = segment.file;
    this.#cache.beginTurn();
    const docids = attempt(
      () => this.#docids(segment),
      tell,
      path,
      "order",
      segment.file.section("order").offset,
    );
    if (!docids) return null;
    let findings = 0;
    const note = (finding: Finding) => {
      if (findings++ < FINDINGS_MAX) tell(finding);
    };
    const held = new Set(docids);
    this.#cache.beginTurn();
    attempt(() => this.#columns.checkPoints(segment, held), tell, path, "points");
    this.#cache.beginTurn();
    attempt(() => checkGeometries(segment, held), tell, path, "geometries");
    this.#cache.beginTurn();
    attempt(() => checkVectors(this.#core, segment, held), tell, path, "vectors");
    for (let term = 0; term < segment.meta.terms; term++) {
      this.#cache.beginTurn();
      attempt(() => this.#checkLists(segment, term, held), note, path, "postings");
    }
    return docids;
  }

  /** The manifest and the segment must agree. */
  #checkFacts(segment: Segment, entry: SegmentEntry): void {
    const { file } = segment;
    const header = this.#core.read(this.#cache.load(file, 0, HEADER_BYTES), HEADER_BYTES);
    equal(
      file,
      "header",
      0,
      Buffer.from(headerMagic(file.version)).toString("hex"),
      Buffer.from(header.subarray(0, 8)).toString("hex"),
    );
    equal(file, "trailer", file.size, entry.bytes, file.size);
    segment.checkFacts(entry, [...DOCID_FACTS, "rawDocumentBytes", "settingsHash"]);
  }

  /** Every block must unpack, and contain the documents that the table of blocks promises. */
  #checkDocuments(segment: Segment): void {
    const { file, meta } = segment;
    const blocks = file.section("blocks");
    const rows = this.#cache.load(file, blocks.offset, blocks.length) / 4;
    const last = this.#core.u32.slice(rows + blocks.length / 4 - 2, rows + blocks.length / 4);
    equal(file, "blocks", blocks.offset, `${meta.documents} documents`, `${last[0]} documents`);
    equal(file, "blocks", blocks.offset, file.section("documents").length, last[1]);
    let bytes = 0;
    for (let ordinal = 0; ordinal < meta.documents; ordinal++) {
      this.#cache.beginTurn();
      const { pointer, length } = segment.document(ordinal);
      const ends = String.fromCharCode(this.#core.u8[pointer], this.#core.u8[pointer + length - 1]);
      if (ends !== "{}") {
        const place = file.section("documents").offset;
        throw damagedFile({
          file: file.path,
          offset: place,
          expected: `document ${ordinal}`,
          found: "no object",
        });
      }
      bytes += length;
    }
    equal(file, "documents", file.section("documents").offset, meta.rawDocumentBytes, bytes);
  }

  /** Every id must lead to its document and back. */
  #checkIds(segment: Segment): void {
    const { file, meta } = segment;
    const { offset, length } = file.section("ids");
    const section = segment.load("ids");
    const { idSectionCheck, idSectionCount, idSectionFind, idSectionText } = this.#core.exports;
    equal(
      file,
      "ids",
      offset,
      "a sound table",
      idSectionCheck(section, length) ? "a sound table" : "another size",
    );
    equal(file, "ids", offset, meta.documents, idSectionCount(section));
    for (let ordinal = 0; ordinal < meta.documents; ordinal++) {
      const bytes = idSectionText(section, ordinal, this.#id);
      const found = bytes < 0 ? -1 : idSectionFind(section, this.#id, bytes);
      equal(file, "ids", offset, `document ${ordinal}`, `document ${found}`);
    }
  }

  #checkShapes(segment: Segment): void {
    const { file, meta } = segment;
    const { offset, length } = file.section("shapes");
    equal(file, "shapes", offset, meta.documents * meta.shapeBytes, length);
    for (let ordinal = 0; ordinal < meta.documents; ordinal++) {
      this.#cache.beginTurn();
      const shape = segment.shapeOf(ordinal);
      if (shape < meta.shapes.length) continue;
      const expected = `less than ${meta.shapes.length}`;
      throw damagedFile({ file: file.path, offset, section: "shapes", expected, found: String(shape) });
    }
  }

  /** The dictionary and the table of lists must belong together, and the lists must fill their sections. */
  #checkTerms(segment: Segment): void {
    const { file, meta } = segment;
    const { offset, length } = file.section("terms");
    const dictionary = segment.load("terms");
    const { dictionaryCheck, dictionaryCount } = this.#core.exports;
    equal(
      file,
      "terms",
      offset,
      "a sound dictionary",
      dictionaryCheck(dictionary, length) ? "a sound dictionary" : "another",
    );
    equal(file, "terms", offset, meta.terms, dictionaryCount(dictionary));
    this.#checkStarts(segment);
  }

  /** Lists must follow each other without gaps, and fill their sections. */
  #checkStarts({ file, meta, starts }: Segment): void {
    const { offset, length } = file.section("offsets");
    equal(file, "offsets", offset, starts.bytes, length);
    const room = this.#list.ensure(4 * (meta.terms + 1)) / 4;
    for (const [name, kind] of [
      ["postings", POSTINGS],
      ["positions", POSITIONS],
    ] as const) {
      starts.read(kind, 0, meta.terms, 4 * room);
      const found = this.#core.u32.subarray(room, room + meta.terms + 1);
      const fault = found.findIndex((start, term) => term > 0 && start < found[term - 1]);
      equal(
        file,
        "offsets",
        offset,
        "ascending starts",
        fault < 0 ? "ascending starts" : `another at ${fault}`,
      );
      equal(file, "offsets", offset, file.section(name).length, found[meta.terms]);
    }
  }

  /** Docids in order, from section `order` or from the facts. */
  #docids(segment: Segment): Uint32Array {
    const { file, meta } = segment;
    const { offset, length } = file.section("order");
    const gapless = meta.lastDocid - meta.firstDocid + 1 === meta.documents;
    equal(file, "order", offset, gapless ? 0 : meta.documents * 4, length);
    if (gapless) return Uint32Array.from({ length: meta.documents }, (_, i) => meta.firstDocid + i);
    const start = segment.load("order") / 4;
    const docids = this.#core.u32.slice(start, start + meta.documents);
    equal(file, "order", offset, meta.firstDocid, docids[0]);
    equal(file, "order", offset, meta.lastDocid, docids[docids.length - 1]);
    const fault = docids.findIndex((docid, i) => i > 0 && docid <= docids[i - 1]);
    equal(file, "order", offset + 4 * Math.max(0, fault), -1, fault);
    return docids;
  }

  /** The list of a term must name documents of this segment, in order, and each must have occurrences. */
  #checkLists(segment: Segment, term: number, held: ReadonlySet<number>): void {
    const { file } = segment;
    const list = segment.postings(term);
    const positions = segment.positions(term);
    const { postingsCount, postingsDecode, occurrencesSkip } = this.#core.exports;
    const count = list.length === 0 ? -1 : postingsCount(list.pointer, list.length);
    const offset = file.section("postings").offset;
    const damaged = (found: string) =>
      damagedFile({
        file: file.path,
        offset,
        section: "postings",
        expected: `a list for term ${term}`,
        found,
      });
    if (count < 1 || count > held.size) throw damaged(`${count} documents`);
    const out = this.#list.ensure(count * 4 + SLACK_BYTES);
    const decoded = postingsDecode(list.pointer, list.length, out, count);
    if (decoded !== count) throw damaged(`${decoded} of ${count} documents`);
    let before = -1;
    for (const docid of this.#core.u32.subarray(out / 4, out / 4 + count)) {
      if (docid <= before || !held.has(docid)) throw damaged(`document ${docid} behind ${before}`);
      before = docid;
    }
    if (positions.length === 0) return;
    const end = positions.pointer + positions.length;
    const skipped = occurrencesSkip(positions.pointer, end, count - 1);
    const whole = count === 1 || skipped < end;
    if (!whole || occurrencesSkip(positions.pointer, end, count) !== end) throw damaged("other occurrences");
  }
}

function equal(
  file: SegmentFile,
  section: string,
  offset: number,
  expected: string | number,
  found: string | number,
): void {
  if (expected === found) return;
  throw damagedFile({ file: file.path, offset, section, expected: String(expected), found: String(found) });
}

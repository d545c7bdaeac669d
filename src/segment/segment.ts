// A segment open for reading: documents, ids, terms, posting lists. Returned pointers lead into the extent
// cache and are valid until the next turn. Used by the search side (engine/search) and by the writing side
// (ids, merges).
import { placeOf } from "../core/ascending.ts";
import { Dictionary } from "../core/dictionary.ts";
import { Region } from "../core/region.ts";
import { damagedFile } from "../storage/failure.ts";
import type { Storage } from "../storage/storage.ts";
import type { ExtentCache } from "./cache.ts";
import { Column } from "./column.ts";
import type { ColumnMeta } from "./columnformat.ts";
import { type BlockScratch, DocumentBlocks } from "./documentblocks.ts";
import { SegmentFile } from "./file.ts";
import type { SectionName, SegmentMeta } from "./format.ts";
import { Geometries } from "./geometries.ts";
import type { Located } from "./locateddocument.ts";
import type { SegmentEntry } from "./manifeststate.ts";
import { type TermList, TermLists } from "./termlists.ts";
import { openTermStarts, POSITIONS, POSTINGS, type TermStarts } from "./termstarts.ts";
import type { DocumentVectors } from "./vectorformat.ts";
import { VectorStore } from "./vectorstore.ts";
import type { WordPlanes } from "./wordplanes.ts";

/** A section that takes more than this part of the cache counts as large. */
const CACHE_PART_MAX = 0.25;
/** The same for the ids of the hits of a page; also bounds the work of reading them. */
const ID_PART_MAX = 1 / 64;
const ID_SECTION_BYTES_MAX = 2 * 1024 * 1024;

/** Facts about a segment that its manifest also contains: for which documents it has room. */
export const DOCID_FACTS = ["documents", "firstDocid", "lastDocid"] as const;
type SharedFact = (typeof DOCID_FACTS)[number] | "rawDocumentBytes" | "settingsHash";

export class Segment {
  readonly name: string;
  readonly file: SegmentFile;
  readonly meta: SegmentMeta;
  readonly cache: ExtentCache;
  readonly documents: DocumentBlocks;
  /** Where the lists of terms begin in their sections. */
  readonly starts: TermStarts;
  readonly #postings: TermLists;
  readonly #positions: TermLists;
  #metas: Map<string, ColumnMeta> | null = null;
  readonly #columns = new Map<string, Column>();

  constructor(storage: Storage, folder: string, name: string, cache: ExtentCache, scratch: BlockScratch) {
    this.name = name;
    this.cache = cache;
    this.file = new SegmentFile(storage, `${folder}/${name}`);
    scratch.file = null;
    try {
      this.meta = this.file.readMeta(cache.core, (bytes) => scratch.region.ensure(bytes));
    } catch (error) {
      this.file.close();
      throw error;
    }
    this.documents = new DocumentBlocks(this.file, cache, scratch);
    const { offset } = this.file.section("offsets");
    this.starts = openTermStarts(cache.core, this.meta, (from, length) =>
      cache.load(this.file, offset + from, length),
    );
    this.#postings = new TermLists(this.file, cache, POSTINGS, this.starts);
    this.#positions = new TermLists(this.file, cache, POSITIONS, this.starts);
  }

  get columnNames(): string[] {
    return this.meta.columns.map(({ name }) => name);
  }

  /** @throws TarsierError `invalid_store_file` when one of the named facts differs in the manifest */
  checkFacts(entry: SegmentEntry, names: readonly SharedFact[]): void {
    for (const name of names) {
      if (this.meta[name] === entry[name]) continue;
      const { offset } = this.file.section("meta");
      const expected = `${name} ${entry[name]}, as in the manifest`;
      const found = `${name} ${this.meta[name]}`;
      throw damagedFile({ file: this.file.path, offset, section: "meta", expected, found });
    }
  }

  /** Place of a document in this segment, or -1. */
  ordinalOf(docid: number): number {
    const { firstDocid, lastDocid, documents } = this.meta;
    if (docid < firstDocid || docid > lastDocid) return -1;
    if (lastDocid - firstDocid + 1 === documents) return docid - firstDocid;
    const order = this.load("order") / 4;
    return placeOf(this.cache.core.u32, docid, order, order + documents);
  }

  docidOf(ordinal: number): number {
    const { firstDocid, lastDocid, documents } = this.meta;
    if (lastDocid - firstDocid + 1 === documents) return firstDocid + ordinal;
    return this.cache.core.u32[this.load("order") / 4 + ordinal];
  }

  /** The document's bytes, valid until the next document is located in this thread. */
  document(ordinal: number): Located {
    return this.documents.locate(ordinal);
  }

  /** Number of the document's set of top-level names in `meta.shapes`. */
  shapeOf(ordinal: number): number {
    const { shapeBytes } = this.meta;
    if (shapeBytes === 0) return 0;
    const section = this.file.section("shapes");
    const at = this.cache.load(this.file, section.offset + ordinal * shapeBytes, shapeBytes);
    let shape = 0;
    for (let i = shapeBytes - 1; i >= 0; i--) shape = shape * 256 + this.cache.core.u8[at + i];
    return shape;
  }

  get dictionary(): Dictionary {
    return new Dictionary(this.cache.core, this.load("terms"));
  }

  /** The same for typo look-ups. */
  dictionaryWith(planes: WordPlanes): Dictionary {
    const { cache, file } = this;
    const terms = this.load("terms");
    return new Dictionary(cache.core, terms, () => planes.of(file, terms, cache.turn));
  }

  /** Posting list of a term. */
  postings(ordinal: number): TermList {
    return this.#postings.of(ordinal, ordinal + 1);
  }

  /** Posting lists of the terms [from, to). */
  postingsRange(from: number, to: number): TermList {
    return this.#postings.of(from, to);
  }

  /** Occurrences of a term. */
  positions(ordinal: number): TermList {
    return this.#positions.of(ordinal, ordinal + 1);
  }

  /** Occurrences of the terms [from, to). */
  positionsRange(from: number, to: number): TermList {
    return this.#positions.of(from, to);
  }

  /** Values of a field; null when no document has the field, or it has no column. */
  column(name: string): Column | null {
    const known = this.#columns.get(name);
    if (known) return known;
    this.#metas ??= new Map(this.meta.columns.map((column) => [column.name, column]));
    const meta = this.#metas.get(name);
    if (!meta) return null;
    const { file, cache } = this;
    const start = file.section("columns").offset + meta.at;
    const column = new Column(cache.core, meta, {
      documents: this.meta.documents,
      firstDocid: this.meta.firstDocid,
      order: () => (file.section("order").length === 0 ? 0 : this.load("order")),
      load: (offset, length) => cache.load(file, start + offset, length),
    });
    this.#columns.set(name, column);
    return column;
  }

  /** The vectors of an embedder (of all embedders when absent): a store for each length and kind. */
  vectors(embedder?: string): VectorStore[] {
    const { file, cache } = this;
    return this.meta.vectors.flatMap((meta) => {
      if (embedder !== undefined && meta.embedder !== embedder) return [];
      const start = file.section("vectors").offset + meta.at;
      const load = (offset: number, length: number, holds?: boolean) =>
        cache.load(file, start + offset, length, holds);
      const pin = (offset: number, length: number) => cache.pin(file, start + offset, length);
      return [new VectorStore(cache.core, meta, { load, pin })];
    });
  }

  /** The vectors of a document of this segment, for each embedder. */
  vectorsOf(docid: number): DocumentVectors[] {
    return this.vectors().flatMap((store) => {
      const place = store.placeOf(docid);
      return place < 0 ? [] : [store.read(place)];
    });
  }

  /** Shapes of the documents; null when no document has one. */
  geometries(): Geometries | null {
    return this.meta.geometries > 0 ? new Geometries(this) : null;
  }

  /** Address of a whole section. */
  load(name: SectionName): number {
    const { offset, length } = this.file.section(name);
    return this.cache.load(this.file, offset, length);
  }

  /** Lets `use` look into section `ids`. A section that is too large for the cache is read without it. */
  withIds<T>(use: (section: number) => T): T {
    const { file, cache } = this;
    if (file.section("ids").length <= cache.bytes * CACHE_PART_MAX) return use(this.load("ids"));
    const region = new Region(cache.core);
    try {
      return use(file.readSection(cache.core, "ids", (bytes) => region.ensure(bytes)));
    } finally {
      region.free();
    }
  }

  /**
   * Copies the id of a document to `out`, which has room for ID_BYTES_MAX bytes; returns its length, or -1
   * when the section is too large to load for a single id.
   * @throws TarsierError `invalid_store_file`
   */
  idText(ordinal: number, out: number): number {
    const { file, cache } = this;
    const { offset, length } = file.section("ids");
    if (length > Math.min(cache.bytes * ID_PART_MAX, ID_SECTION_BYTES_MAX)) return -1;
    // Not held: a search may look into many segments.
    return cache.core.exports.idSectionText(cache.load(file, offset, length, false), ordinal, out);
  }

  close(): void {
    this.cache.forget(this.file);
    this.file.close();
  }
}

// One index open for reading in one thread: the segments of a manifest, which of their documents live, and
// the way from a document number to its bytes. Kept open between requests; `refresh` catches up with newer
// manifests. Used by the searches and by the writing side, each with its own core.
import type { Core } from "../core/core.ts";
import { Region } from "../core/region.ts";
import type { Scratch } from "../core/scratch.ts";
import type { Settings } from "../schemas/settings.ts";
import type { ExtentCache } from "../segment/cache.ts";
import type { BlockScratch } from "../segment/documentblocks.ts";
import type { Located } from "../segment/locateddocument.ts";
import { isManifestName } from "../segment/manifestfiles.ts";
import { ManifestReader } from "../segment/manifestreader.ts";
import type { ManifestState, SegmentEntry } from "../segment/manifeststate.ts";
import { DOCID_FACTS, Segment } from "../segment/segment.ts";
import { readTombstones } from "../segment/tombstones.ts";
import type { WordPlanes } from "../segment/wordplanes.ts";
import { isMissing, lostFile } from "../storage/failure.ts";
import type { Storage } from "../storage/storage.ts";
import type { Deadline } from "./deadline.ts";
import { defaultSettings } from "./defaultsettings.ts";
import { CoveringNames, hasPrefix } from "./fieldnames.ts";

/** What the open indexes of one thread share. */
export interface ReaderShare {
  core: Core;
  storage: Storage;
  cache: ExtentCache;
  blocks: BlockScratch;
  scratch: Scratch;
  deadline: Deadline;
  /** Room in which searches keep their findings for later ones (assembly/search/kept-words.ts). */
  keptWords: { pointer: number; bytes: number };
  wordPlanes: WordPlanes;
}

export interface OpenSegment {
  segment: Segment;
  /** Bitmap of deleted docids, or 0 when there is none. */
  tombstones: number;
}

/** Number of index states opened so far. */
let stateCount = 0;

export class IndexReader {
  readonly share: ReaderShare;
  readonly folder: string;
  #state: ManifestState | null = null;
  #segments: OpenSegment[] = [];
  /** Bitmaps: live documents, then one per segment that has tombstones. */
  #bitmaps: Region;
  readonly #manifest: ManifestReader;
  #words = 0;
  #stateNumber = 0;
  #settings: Settings | null = null;
  #knownFields: ReadonlySet<string> | null = null;
  #sortedFields: readonly string[] | null = null;
  #names: ReadonlySet<string> | null = null;
  #topFields: CoveringNames | null = null;

  constructor(share: ReaderShare, folder: string) {
    this.share = share;
    this.folder = folder;
    this.#bitmaps = new Region(share.core);
    this.#manifest = new ManifestReader(share.storage, folder);
  }

  get state(): ManifestState {
    return this.#state!;
  }

  /** Settings in force. */
  get settings(): Settings {
    return this.#settings!;
  }

  get segments(): readonly OpenSegment[] {
    return this.#segments;
  }

  /**
   * Names of fields that can be filtered by if the settings allow it: those with a column in some segment,
   * those known before, those that the settings search in, and the primary key.
   */
  get knownFields(): ReadonlySet<string> {
    const { formerFields, primaryKey } = this.state;
    this.#knownFields ??= new Set([
      ...formerFields,
      ...this.#segments.flatMap(({ segment }) => segment.columnNames),
      ...this.settings.searchableAttributes.filter((name) => name !== "*"),
      ...(primaryKey === null ? [] : [primaryKey]),
    ]);
    return this.#knownFields;
  }

  /**
   * Is the field, or one below it, known? Searched fields are listed along with their parents, others are
   * not.
   */
  knows(name: string): boolean {
    const { fields, fieldDistribution } = this.state;
    this.#names ??= new Set([...fields, ...Object.keys(fieldDistribution), ...this.knownFields]);
    if (this.#names.has(name)) return true;
    this.#sortedFields ??= [...this.knownFields].sort();
    return hasPrefix(this.#sortedFields, `${name}.`);
  }

  /** Is it a top-level field of some document (such names may contain dots), or one below such a field? */
  holdsAbove(name: string): boolean {
    this.#topFields ??= new CoveringNames(Object.keys(this.state.fieldDistribution));
    return this.#topFields.cover(name);
  }

  /** Most hits that a search can find, whatever is asked for. */
  get mostHits(): number {
    return Math.min(this.settings.pagination.maxTotalHits, this.state.numberOfDocuments);
  }

  /** Bitmap of the live documents. */
  get live(): number {
    return this.#bitmaps.pointer;
  }

  /** Number of 64-bit words in every bitmap of docids. */
  get words(): number {
    return this.#words;
  }

  /** A number that is unique to each index state that was opened. */
  get stateNumber(): number {
    return this.#stateNumber;
  }

  /**
   * Catches up with a manifest of at least that version, which is read from the folder unless given. After an
   * error nothing has changed.
   */
  refresh(version: number, state?: ManifestState): void {
    if (this.#state && this.#state.version >= version) return;
    let next = state ?? this.#manifest.read(version);
    while (this.#state?.version !== next.version) {
      try {
        this.#follow(next);
      } catch (error) {
        // The files of a state that is no longer the newest may be gone.
        if (!isMissing(error)) throw error;
        if (!this.#manifest.hasNewer(next.version)) {
          // The files of an index that is being removed disappear one after another.
          const isRemoved = !this.share.storage.list(this.folder).some(isManifestName);
          throw isRemoved ? error : lostFile(error.file);
        }
        next = this.#manifest.read(next.version + 1);
      }
    }
  }

  /** The place of a live document, or null. */
  find(docid: number): { segment: Segment; ordinal: number } | null {
    for (const open of this.#segments) {
      if (!this.livesIn(open, docid)) continue;
      const ordinal = open.segment.ordinalOf(docid);
      if (ordinal >= 0) return { segment: open.segment, ordinal };
    }
    return null;
  }

  /** Bytes of a live document, valid until the next one is read in this thread; null when there is none. */
  document(docid: number): Located | null {
    const place = this.find(docid);
    return place?.segment.document(place.ordinal) ?? null;
  }

  /** Docid of a live document by its id text, or -1. */
  docidOf(id: string): number {
    const { core, scratch } = this.share;
    const bytes = Buffer.from(id);
    const mark = scratch.mark();
    const pointer = scratch.alloc(bytes.length);
    core.write(pointer, bytes);
    let found = -1;
    for (const open of this.#segments) {
      const { segment } = open;
      const ordinal = segment.withIds((section) =>
        core.exports.idSectionFind(section, pointer, bytes.length),
      );
      if (ordinal < 0 || !this.livesIn(open, segment.docidOf(ordinal))) continue;
      found = segment.docidOf(ordinal);
      break;
    }
    scratch.release(mark);
    return found;
  }

  /** False for a document of a segment that was deleted or replaced since. */
  livesIn({ tombstones }: OpenSegment, docid: number): boolean {
    return tombstones === 0 || ((this.share.core.u8[tombstones + (docid >>> 3)] >> (docid & 7)) & 1) === 0;
  }

  close(): void {
    for (const { segment } of this.#segments) segment.close();
    this.#segments = [];
    this.#bitmaps.free();
    this.#manifest.close();
    this.#state = null;
  }

  /** Opens the segments that are new, and closes those that are no longer in use. */
  #follow(next: ManifestState): void {
    const { storage, cache, blocks, core } = this.share;
    const known = new Map(this.#segments.map(({ segment }) => [segment.name, segment]));
    const opened: Segment[] = [];
    const bitmaps = new Region(core);
    try {
      const segments = next.segments.map((entry) => {
        const { name } = entry;
        const segment = known.get(name) ?? new Segment(storage, this.folder, name, cache, blocks);
        if (!known.delete(name)) opened.push(segment);
        // The bitmaps only have room for the docids that the manifest announces.
        segment.checkFacts(entry, DOCID_FACTS);
        return { segment, tombstones: 0 };
      });
      this.#words = this.#fillBitmaps(bitmaps, segments, next.segments);
      this.#segments = segments;
    } catch (error) {
      for (const segment of opened) segment.close();
      bitmaps.free();
      throw error;
    }
    for (const segment of known.values()) segment.close();
    this.#bitmaps.free();
    this.#bitmaps = bitmaps;
    // The same object as long as they are the same: tables of synonyms, and more, are kept for it.
    if (this.#state?.settings !== next.settings) this.#settings = settingsOf(next);
    this.#state = next;
    this.#stateNumber = ++stateCount;
    this.#knownFields = null;
    this.#sortedFields = null;
    this.#names = null;
    this.#topFields = null;
  }

  /**
   * Writes the bitmap of the live documents, then that of each segment with tombstones. Returns the words of
   * one bitmap.
   */
  #fillBitmaps(bitmaps: Region, segments: OpenSegment[], entries: readonly SegmentEntry[]): number {
    const { core, storage, cache, scratch } = this.share;
    const end = entries.reduce((most, entry) => Math.max(most, entry.lastDocid + 1), 1);
    const words = Math.ceil(end / 64);
    const bytes = words * 8;
    const count = 1 + entries.filter((entry) => entry.tombstones).length;
    const live = bitmaps.ensure(bytes * count);
    core.fill(live, 0, bytes * count);
    let next = live + bytes;
    entries.forEach((entry, i) => {
      cache.beginTurn();
      scratch.reset();
      const own = scratch.allocZeroed(bytes);
      setDocids(core, segments[i].segment, own, words);
      if (entry.tombstones) {
        segments[i].tombstones = next;
        core.write(next, readTombstones(storage, this.folder, entry.tombstones).toBitmap(words));
        core.exports.bitmapAndNot(own, next, words);
        next += bytes;
      }
      core.exports.bitmapOr(live, own, words);
    });
    return words;
  }
}

/** Sets the bits of all documents of a segment. */
function setDocids(core: Core, segment: Segment, bitmap: number, words: number): void {
  const { firstDocid, lastDocid, documents } = segment.meta;
  if (lastDocid - firstDocid + 1 !== documents) {
    core.exports.bitmapFromList(bitmap, words, segment.load("order"), documents);
    return;
  }
  let docid = firstDocid;
  const set = () => {
    core.u8[bitmap + (docid >>> 3)] |= 1 << (docid & 7);
    docid++;
  };
  while (docid <= lastDocid && docid & 7) set();
  const bytes = (lastDocid + 1 - docid) >>> 3;
  core.fill(bitmap + (docid >>> 3), 255, bytes);
  docid += bytes * 8;
  while (docid <= lastDocid) set();
}

/** Settings of a manifest; the defaults while it has none. */
export const settingsOf = (state: ManifestState): Settings => ({ ...defaultSettings(), ...state.settings });

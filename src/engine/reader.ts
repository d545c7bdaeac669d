// One index open for reading in one thread: the segments of a manifest, which of their documents live, and the way from a
// document number to its bytes. Kept open between requests; `refresh` catches up with newer manifests. Used by the
// searches and by the writing side, each with its own core.
import type { Core } from "../core/core.ts";
import { Region } from "../core/region.ts";
import type { Scratch } from "../core/scratch.ts";
import type { ExtentCache } from "../segment/cache.ts";
import type { BlockScratch, Located } from "../segment/documentblocks.ts";
import { ManifestReader } from "../segment/manifestreader.ts";
import type { ManifestState, SegmentEntry } from "../segment/manifeststate.ts";
import { Segment } from "../segment/segment.ts";
import type { Settings } from "../schemas/settings.ts";
import { readTombstones } from "../segment/tombstones.ts";
import type { Storage } from "../storage/storage.ts";
import { defaultSettings } from "./settings.ts";

/** What the indexes of one thread share. */
export interface ReaderShare {
  core: Core;
  storage: Storage;
  cache: ExtentCache;
  blocks: BlockScratch;
  scratch: Scratch;
}

export interface OpenSegment {
  segment: Segment;
  /** Bitmap of deleted docids, or 0 when there is none. */
  tombstones: number;
}

export class IndexReader {
  readonly share: ReaderShare;
  readonly folder: string;
  #state: ManifestState | null = null;
  #segments: OpenSegment[] = [];
  /** Bitmaps: live documents, then one per segment that has tombstones. */
  readonly #bitmaps: Region;
  readonly #manifest: ManifestReader;
  #words = 0;
  #settings: Settings | null = null;

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

  /** Bitmap of the documents that live. */
  get live(): number {
    return this.#bitmaps.pointer;
  }

  /** 64-bit words of every bitmap of docids. */
  get words(): number {
    return this.#words;
  }

  /** Catches up with a manifest: at least that version, read from the folder unless it is given. */
  refresh(version: number, state?: ManifestState): void {
    if (this.#state && this.#state.version >= version) return;
    const next = state ?? this.#manifest.read(version);
    const open = new Map(this.#segments.map(({ segment }) => [segment.name, segment]));
    const segments = this.#openAll(next.segments, open);
    for (const { name } of next.segments) open.delete(name);
    for (const segment of open.values()) segment.close();
    this.#segments = segments.map((segment) => ({ segment, tombstones: 0 }));
    try {
      this.#fillBitmaps(next.segments);
    } catch (error) {
      // Nobody may read by half a bitmap: the next call starts anew.
      this.#closeSegments();
      throw error;
    }
    this.#state = next;
    this.#settings = settingsOf(next);
  }

  /** Where a live document lies, or null. */
  find(docid: number): { segment: Segment; ordinal: number } | null {
    for (const { segment, tombstones } of this.#segments) {
      if (tombstones && this.#has(tombstones, docid)) continue;
      const ordinal = segment.ordinalOf(docid);
      if (ordinal >= 0) return { segment, ordinal };
    }
    return null;
  }

  /** Bytes of a live document, valid until the next one is read in this thread; null when there is none. */
  document(docid: number): Located | null {
    const place = this.find(docid);
    return place && place.segment.document(place.ordinal);
  }

  /** Docid of a live document by its id text, or -1. */
  docidOf(id: string): number {
    const { core, scratch } = this.share;
    const bytes = Buffer.from(id);
    const mark = scratch.mark();
    const pointer = scratch.alloc(bytes.length);
    core.write(pointer, bytes);
    let found = -1;
    for (const { segment, tombstones } of this.#segments) {
      const ordinal = core.exports.idSectionFind(segment.load("ids"), pointer, bytes.length);
      if (ordinal < 0) continue;
      const docid = segment.docidOf(ordinal);
      if (tombstones && this.#has(tombstones, docid)) continue;
      found = docid;
      break;
    }
    scratch.release(mark);
    return found;
  }

  close(): void {
    this.#closeSegments();
    this.#bitmaps.free();
    this.#manifest.close();
  }

  #closeSegments(): void {
    for (const { segment } of this.#segments) segment.close();
    this.#segments = [];
    this.#state = null;
  }

  /** Opens those that are not open yet: all of them or, when one is damaged, none. */
  #openAll(entries: readonly SegmentEntry[], open: ReadonlyMap<string, Segment>): Segment[] {
    const { storage, cache, blocks } = this.share;
    const opened: Segment[] = [];
    try {
      return entries.map(({ name }) => {
        const already = open.get(name);
        if (already) return already;
        const segment = new Segment(storage, this.folder, name, cache, blocks);
        opened.push(segment);
        return segment;
      });
    } catch (error) {
      for (const segment of opened) segment.close();
      throw error;
    }
  }

  #has(bitmap: number, docid: number): boolean {
    return ((this.share.core.u8[bitmap + (docid >> 3)] >> (docid & 7)) & 1) === 1;
  }

  #fillBitmaps(entries: readonly SegmentEntry[]): void {
    const { core, storage } = this.share;
    const end = entries.reduce((most, entry) => Math.max(most, entry.lastDocid + 1), 1);
    this.#words = Math.ceil(end / 64);
    const bytes = this.#words * 8;
    const count = 1 + entries.filter((entry) => entry.tombstones).length;
    this.#bitmaps.ensure(bytes * count);
    core.u8.fill(0, this.live, this.live + bytes * count);
    let next = this.live + bytes;
    this.share.cache.beginTurn();
    entries.forEach((entry, i) => {
      const open = this.#segments[i];
      this.share.scratch.reset();
      const own = this.share.scratch.allocZeroed(bytes);
      this.#setDocids(open.segment, own);
      if (entry.tombstones) {
        open.tombstones = next;
        core.write(next, readTombstones(storage, this.folder, entry.tombstones).toBitmap(this.#words));
        core.exports.bitmapAndNot(own, next, this.#words);
        next += bytes;
      }
      core.exports.bitmapOr(this.live, own, this.#words);
    });
  }

  /** Sets the bits of all documents of a segment. */
  #setDocids(segment: Segment, bitmap: number): void {
    const { core } = this.share;
    const { firstDocid, lastDocid, documents } = segment.meta;
    if (lastDocid - firstDocid + 1 !== documents) {
      core.exports.bitmapFromList(bitmap, this.#words, segment.load("order"), documents);
      return;
    }
    let docid = firstDocid;
    const set = () => {
      core.u8[bitmap + (docid >> 3)] |= 1 << (docid & 7);
      docid++;
    };
    while (docid <= lastDocid && docid & 7) set();
    const bytes = (lastDocid + 1 - docid) >> 3;
    core.u8.fill(255, bitmap + (docid >> 3), bitmap + (docid >> 3) + bytes);
    docid += bytes * 8;
    while (docid <= lastDocid) set();
  }
}

/** Settings of a manifest; the defaults where there are none yet. */
export const settingsOf = (state: ManifestState): Settings => ({ ...defaultSettings(), ...state.settings });

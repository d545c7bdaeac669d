// The terms of several segments merged into the sections terms, positions, postings and offsets of a new one. Called by
// merge.ts. A list that stands in one source alone, with nothing deleted there, is copied as it is.
import { Region } from "../core/region.ts";
import type { MergeOutput, MergeShare, MergeSource } from "./merge.ts";
import type { Segment } from "./segment.ts";

/** Struct that postingsMerge takes per source, and its result. */
const SOURCE_BYTES = 24;
const RESULT_BYTES = 16;
const WRITER_BYTES = 512;
const CURSOR_BYTES = 1024;
const DICTIONARY_SLACK_BYTES = 1024 * 1024;
const LIST_SLACK_BYTES = 4096;

interface TermCursor {
  source: MergeSource;
  cursor: number;
  ordinal: number;
  ended: boolean;
  /** Section `offsets`: starts of postings, then of positions. */
  offsets: Uint32Array;
}

/** Writes the four sections. Returns the number of terms. */
export function mergeTerms(share: MergeShare, sources: MergeSource[], output: MergeOutput): number {
  return new TermMerge(share, sources, output).run();
}

class TermMerge {
  readonly #share: MergeShare;
  readonly #output: MergeOutput;
  readonly #cursors: TermCursor[];
  readonly #dictionary: number;
  /** The list being merged. */
  readonly #room: Region;
  readonly #dictionaryWriter: number;
  readonly #sourceStructs: number;
  readonly #result: number;
  readonly #starts: { postings: number[]; positions: number[] } = { postings: [], positions: [] };
  #postings = 0;
  #positions = 0;

  constructor(share: MergeShare, sources: MergeSource[], output: MergeOutput) {
    this.#share = share;
    this.#output = output;
    const { core } = share;
    const { workspace } = output;
    this.#cursors = sources.map((source) => this.#open(source));
    const bytes = sources.reduce((sum, { segment }) => sum + segment.file.section("terms").length, 0);
    const capacity = 2 * bytes + DICTIONARY_SLACK_BYTES;
    this.#dictionary = workspace.take(capacity);
    this.#room = new Region(core);
    this.#dictionaryWriter = workspace.take(WRITER_BYTES);
    this.#sourceStructs = workspace.take(SOURCE_BYTES * sources.length);
    this.#result = workspace.take(RESULT_BYTES);
    core.exports.dictionaryWriterStart(this.#dictionaryWriter, this.#dictionary, capacity);
  }

  run(): number {
    const { core, cache } = this.#share;
    this.#output.writer.beginSection("positions");
    for (let merged = 0; ; merged++) {
      if (merged % 4096 === 0) this.#output.interrupt();
      const first = this.#smallest();
      if (!first) break;
      const same = this.#cursors.filter((cursor) => cursor === first || this.#compare(cursor, first) === 0);
      cache.beginTurn();
      if (this.#mergeLists(same)) {
        const term = core.exports.dictionaryCursorTerm(first.cursor);
        const length = core.exports.dictionaryCursorLength(first.cursor);
        const added = core.exports.dictionaryWriterAdd(this.#dictionaryWriter, term, length);
        if (added < 0) throw new Error(`dictionary of a merge: error ${added}`);
      }
      for (const cursor of same) this.#advance(cursor);
    }
    this.#output.writer.endSection();
    this.#room.free();
    return this.#writeRest();
  }

  #writeRest(): number {
    const { core } = this.#share;
    this.#output.writer.beginSection("postings");
    this.#output.spool.copyTo(this.#output.writer);
    this.#output.writer.endSection();
    const length = core.exports.dictionaryWriterFinish(this.#dictionaryWriter);
    if (length < 0) throw new Error(`dictionary of a merge: error ${length}`);
    this.#output.writer.beginSection("terms");
    this.#output.writer.appendFrom(this.#dictionary, length);
    this.#output.writer.endSection();
    const { postings, positions } = this.#starts;
    const offsets = Uint32Array.from([...this.#closed(postings, this.#postings), ...this.#closed(positions, this.#positions)]);
    this.#output.writer.writeSection("offsets", new Uint8Array(offsets.buffer));
    return postings.length - 1;
  }

  #closed(starts: number[], end: number): number[] {
    starts.push(end);
    return starts;
  }

  /** Unites the lists of one term. False when no document is left. */
  #mergeLists(cursors: TermCursor[]): boolean {
    const [only] = cursors;
    const lists = cursors.map((cursor) => this.#lists(cursor));
    if (cursors.length === 1 && !only.source.tombstones) {
      const [{ postings, positions, postingsBytes, positionsBytes }] = lists;
      this.#append(postings, postingsBytes, positions, positionsBytes);
      return true;
    }
    const { core } = this.#share;
    const postingsBytes = lists.reduce((sum, list) => sum + list.postingsBytes, 0);
    const positionsBytes = lists.reduce((sum, list) => sum + list.positionsBytes, 0);
    const documents = lists.reduce(
      (sum, list) => sum + core.exports.postingsCount(list.postings, list.postingsBytes),
      0,
    );
    // Gaps of an interleaved list may need more bits, never more than 5 bytes a document and a skip row a block.
    const postingsRoom = postingsBytes + documents * 6 + LIST_SLACK_BYTES;
    const scratchRoom = core.exports.postingsMergeScratch(lists.length);
    const room = postingsRoom + positionsBytes + scratchRoom + 3 * LIST_SLACK_BYTES;
    const out = this.#room.ensure(room);
    const positionsOut = align(out + postingsRoom);
    const scratch = align(positionsOut + positionsBytes + LIST_SLACK_BYTES);
    lists.forEach((list, i) => {
      const { tombstones, words } = cursors[i].source;
      const { postings, postingsBytes, positions, positionsBytes } = list;
      const struct = [postings, postingsBytes, positions, positionsBytes, tombstones, words * 64];
      core.u32.set(struct, this.#sourceStructs / 4 + i * (SOURCE_BYTES / 4));
    });
    const merge = core.exports.postingsMerge;
    const done = merge(
      this.#sourceStructs,
      lists.length,
      out,
      postingsRoom,
      positionsOut,
      positionsBytes + LIST_SLACK_BYTES / 2,
      scratch,
      this.#result,
    );
    if (done < 0) throw new Error(`merge of posting lists: error ${done}`);
    const [count, postingsLength, positionsLength] = core.u32.subarray(this.#result / 4, this.#result / 4 + 3);
    if (count === 0) return false;
    this.#append(out, postingsLength, positionsOut, positionsLength);
    return true;
  }

  #append(postings: number, postingsBytes: number, positions: number, positionsBytes: number): void {
    this.#output.spool.append(this.#share.core.read(postings, postingsBytes));
    this.#output.writer.appendFrom(positions, positionsBytes);
    this.#starts.postings.push(this.#postings);
    this.#starts.positions.push(this.#positions);
    this.#postings += postingsBytes;
    this.#positions += positionsBytes;
  }

  #lists({ source, ordinal, offsets }: TermCursor) {
    const { cache } = this.#share;
    const { file, meta } = source.segment;
    const load = (name: "postings" | "positions", row: number) => {
      const bytes = offsets[row + 1] - offsets[row];
      const at = file.section(name).offset + offsets[row];
      return { pointer: cache.load(file, at, bytes), bytes };
    };
    const postings = load("postings", ordinal);
    const positions = load("positions", meta.terms + 1 + ordinal);
    return {
      postings: postings.pointer,
      postingsBytes: postings.bytes,
      positions: positions.pointer,
      positionsBytes: positions.bytes,
    };
  }

  #smallest(): TermCursor | null {
    let best: TermCursor | null = null;
    for (const cursor of this.#cursors) {
      if (!cursor.ended && (!best || this.#compare(cursor, best) < 0)) best = cursor;
    }
    return best;
  }

  #compare(a: TermCursor, b: TermCursor): number {
    if (a.ended) return 1;
    const { dictionaryCompare, dictionaryCursorTerm, dictionaryCursorLength } = this.#share.core.exports;
    return dictionaryCompare(
      dictionaryCursorTerm(a.cursor),
      dictionaryCursorLength(a.cursor),
      dictionaryCursorTerm(b.cursor),
      dictionaryCursorLength(b.cursor),
    );
  }

  #advance(cursor: TermCursor): void {
    cursor.ordinal++;
    cursor.ended = this.#share.core.exports.dictionaryCursorNext(cursor.cursor) === 0;
  }

  /** Dictionaries are copied out of the cache: cursors walk them for the whole length of the merge. */
  #open(source: MergeSource): TermCursor {
    const { core, cache } = this.#share;
    cache.beginTurn();
    const { offset, length } = source.segment.file.section("terms");
    const { workspace } = this.#output;
    const dictionary = workspace.take(length + LIST_SLACK_BYTES);
    const at = cache.load(source.segment.file, offset, length);
    core.u8.copyWithin(dictionary, at, at + length);
    const cursor = workspace.take(CURSOR_BYTES);
    const ended = core.exports.dictionaryCursorStart(cursor, dictionary, 0) === 0;
    return { source, cursor, ordinal: 0, ended, offsets: readOffsets(source.segment) };
  }
}

function readOffsets(segment: Segment): Uint32Array {
  const { core } = segment.cache;
  const { length } = segment.file.section("offsets");
  const at = segment.load("offsets") / 4;
  return core.u32.slice(at, at + length / 4);
}

const align = (pointer: number): number => Math.ceil(pointer / 16) * 16;

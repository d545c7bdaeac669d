// Merges the terms of several segments into the sections terms, positions, postings and offsets of a new one.
// Called by merge.ts. A list that is in one source only, with no documents deleted there, is copied as it is.
import type { Core } from "../core/core.ts";
import { DICTIONARY_WRITER_BYTES } from "../core/dictionary.ts";
import { MERGE_RESULT_BYTES, MERGE_SOURCE_BYTES, writeMergeSource } from "../core/postings.ts";
import { Region } from "../core/region.ts";
import type { MergeOutput, MergeShare, MergeSource } from "./mergeparts.ts";
import { type Bytes, TermCursor } from "./termcursor.ts";
import { TermOffsets } from "./termoffsets.ts";

const DICTIONARY_SLACK_BYTES = 1024 * 1024;
const LIST_SLACK_BYTES = 4096;
/**
 * The gaps of a united list may need more bits: never more than this many bytes per document, rows of the
 * skip table included.
 */
const POSTING_BYTES_MAX = 6;
/** Number of terms after which a merge checks whether it is to stop. */
const INTERRUPT_TERMS = 4096;

/** Writes the four sections. Returns the number of terms. */
export function mergeTerms(share: MergeShare, sources: MergeSource[], output: MergeOutput): number {
  return new TermMerge(share, sources, output).run();
}

class TermMerge {
  readonly #core: Core;
  readonly #output: MergeOutput;
  readonly #cursors: TermCursor[];
  readonly #dictionary: number;
  readonly #dictionaryWriter: number;
  /** The list that is being merged, and what the kernel needs for it. */
  readonly #room: Region;
  readonly #structs: number;
  readonly #result: number;
  readonly #offsets: TermOffsets;

  constructor({ core }: MergeShare, sources: MergeSource[], output: MergeOutput) {
    const { workspace } = output;
    this.#core = core;
    this.#output = output;
    this.#cursors = sources.map((source) => workspace.own(new TermCursor(core, source, workspace)));
    const bytes = sources.reduce((sum, { file }) => sum + file.section("terms").length, 0);
    const capacity = 2 * bytes + DICTIONARY_SLACK_BYTES;
    this.#dictionary = workspace.take(capacity);
    this.#dictionaryWriter = workspace.take(DICTIONARY_WRITER_BYTES);
    this.#room = workspace.own(new Region(core));
    this.#offsets = workspace.own(new TermOffsets(core));
    this.#structs = workspace.take(MERGE_SOURCE_BYTES * sources.length);
    this.#result = workspace.take(MERGE_RESULT_BYTES);
    core.exports.dictionaryWriterStart(this.#dictionaryWriter, this.#dictionary, capacity);
  }

  run(): number {
    const { writer, interrupt } = this.#output;
    writer.beginSection("positions");
    for (let merged = 0; ; merged++) {
      if (merged % INTERRUPT_TERMS === 0) interrupt();
      const same = this.#smallest();
      if (same.length === 0) break;
      if (this.#mergeLists(same)) this.#addTerm(same[0]);
      for (const cursor of same) cursor.advance();
    }
    writer.endSection();
    this.#room.free();
    for (const cursor of this.#cursors) cursor.free();
    const { terms } = this.#offsets;
    this.#writeRest();
    return terms;
  }

  /** The cursors that are at the smallest term; none when all have ended. */
  #smallest(): TermCursor[] {
    let same: TermCursor[] = [];
    for (const cursor of this.#cursors) {
      if (cursor.ended) continue;
      const order = same.length === 0 ? -1 : cursor.compare(same[0]);
      if (order < 0) same = [cursor];
      else if (order === 0) same.push(cursor);
    }
    return same;
  }

  /** Unites the lists of one term. False when no document is left. */
  #mergeLists(cursors: TermCursor[]): boolean {
    const [only] = cursors;
    if (cursors.length === 1 && !only.source.tombstones) {
      this.#append(only.postings(), only.positions());
      return true;
    }
    const core = this.#core;
    const lists = cursors.map((cursor) => ({ postings: cursor.postings(), positions: cursor.positions() }));
    let postingsRoom = LIST_SLACK_BYTES;
    let positionsRoom = LIST_SLACK_BYTES;
    lists.forEach(({ postings, positions }, i) => {
      const { tombstones, words } = cursors[i].source;
      const documents = core.exports.postingsCount(postings.pointer, postings.length);
      postingsRoom += postings.length + Math.max(0, documents) * POSTING_BYTES_MAX;
      positionsRoom += positions.length;
      writeMergeSource(core, this.#structs, i, {
        list: postings.pointer,
        length: postings.length,
        positions: positions.pointer,
        positionsLength: positions.length,
        tombstones,
        tombstoneBits: words * 64,
      });
    });
    return this.#unite(lists.length, align(postingsRoom), align(positionsRoom));
  }

  /** Runs the kernel over the sources that were written before, and appends its output. */
  #unite(sources: number, postingsRoom: number, positionsRoom: number): boolean {
    const { postingsMerge, postingsMergeScratch } = this.#core.exports;
    const postings = this.#room.ensure(postingsRoom + positionsRoom + postingsMergeScratch(sources));
    const positions = postings + postingsRoom;
    const scratch = positions + positionsRoom;
    const outputs = [postings, postingsRoom, positions, positionsRoom] as const;
    const error = postingsMerge(this.#structs, sources, ...outputs, scratch, this.#result);
    if (error < 0) throw new Error(`merge of posting lists: error ${error}`);
    const result = this.#result / 4;
    const [documents, postingsLength, positionsLength] = this.#core.u32.subarray(result, result + 3);
    if (documents === 0) return false;
    this.#append(
      { pointer: postings, length: postingsLength },
      { pointer: positions, length: positionsLength },
    );
    return true;
  }

  #append(postings: Bytes, positions: Bytes): void {
    const { spool, writer } = this.#output;
    spool.appendFrom(postings.pointer, postings.length);
    writer.appendFrom(positions.pointer, positions.length);
    this.#offsets.add(postings.length, positions.length);
  }

  #addTerm({ term, termLength }: TermCursor): void {
    const error = this.#core.exports.dictionaryWriterAdd(this.#dictionaryWriter, term, termLength);
    if (error < 0) throw new Error(`dictionary of a merge: error ${error}`);
  }

  #writeRest(): void {
    const { spool, writer } = this.#output;
    writer.beginSection("postings");
    spool.copyTo(writer);
    writer.endSection();
    const length = this.#core.exports.dictionaryWriterFinish(this.#dictionaryWriter);
    if (length < 0) throw new Error(`dictionary of a merge: error ${length}`);
    writer.beginSection("terms");
    writer.appendFrom(this.#dictionary, length);
    writer.endSection();
    this.#offsets.writeTo(writer);
  }
}

const align = (bytes: number): number => Math.ceil(bytes / 16) * 16;

// The terms of one source of a merge in order, each with its lists. Used by termmerge.ts.
import type { Core } from "../core/core.ts";
import { DICTIONARY_CURSOR_BYTES } from "../core/dictionary.ts";
import type { Workspace } from "../core/workspace.ts";
import type { MergeSource } from "./merge.ts";
import { SectionStream } from "./stream.ts";

/** Bytes in the core's memory. */
export interface Bytes {
  pointer: number;
  length: number;
}

export class TermCursor {
  readonly source: MergeSource;
  readonly #core: Core;
  readonly #cursor: number;
  readonly #postings: SectionStream;
  readonly #positions: SectionStream;
  /** Section `offsets`, whose two halves are read side by side: starts of postings and of positions. */
  readonly #postingStarts: SectionStream;
  readonly #positionStarts: SectionStream;
  #ordinal = 0;
  #ended: boolean;

  constructor(core: Core, source: MergeSource, workspace: Workspace) {
    const { file } = source;
    this.source = source;
    this.#core = core;
    this.#postings = new SectionStream(core, file, "postings");
    this.#positions = new SectionStream(core, file, "positions");
    const room = (bytes: number) => workspace.take(bytes);
    this.#postingStarts = new SectionStream(core, file, "offsets");
    this.#positionStarts = new SectionStream(core, file, "offsets");
    this.#cursor = workspace.take(DICTIONARY_CURSOR_BYTES);
    this.#ended =
      core.exports.dictionaryCursorStart(this.#cursor, file.readSection(core, "terms", room), 0) === 0;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** The term at hand, until `advance`. */
  get term(): number {
    return this.#core.exports.dictionaryCursorTerm(this.#cursor);
  }

  get termLength(): number {
    return this.#core.exports.dictionaryCursorLength(this.#cursor);
  }

  /** Negative, 0 or positive, as the term at hand stands before, at or behind that of another cursor. */
  compare(other: TermCursor): number {
    return this.#core.exports.dictionaryCompare(this.term, this.termLength, other.term, other.termLength);
  }

  /** Its posting list, until that of a later term is asked for. */
  postings(): Bytes {
    return this.#list(this.#postings, this.#postingStarts, this.#ordinal);
  }

  /** Its occurrences, likewise. */
  positions(): Bytes {
    return this.#list(this.#positions, this.#positionStarts, this.source.meta.terms + 1 + this.#ordinal);
  }

  advance(): void {
    this.#ordinal++;
    this.#ended = this.#core.exports.dictionaryCursorNext(this.#cursor) === 0;
  }

  free(): void {
    const streams = [this.#postings, this.#positions, this.#postingStarts, this.#positionStarts];
    for (const stream of streams) stream.free();
  }

  #list(stream: SectionStream, starts: SectionStream, row: number): Bytes {
    const at = starts.view(4 * row, 8);
    const { view } = this.#core;
    const start = view.getUint32(at, true);
    const length = view.getUint32(at + 4, true) - start;
    return { pointer: stream.view(start, length), length };
  }
}

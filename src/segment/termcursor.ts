// The terms of one source of a merge in order, each with its lists. Used by termmerge.ts.
import type { Core } from "../core/core.ts";
import { DICTIONARY_CURSOR_BYTES } from "../core/dictionary.ts";
import type { Workspace } from "../core/workspace.ts";
import type { MergeSource } from "./mergeparts.ts";
import { SectionStream } from "./stream.ts";
import { type ListKind, openTermStarts, POSITIONS, POSTINGS, type TermStarts } from "./termstarts.ts";

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
  readonly #starts: TermStarts;
  #ordinal = 0;
  #ended: boolean;

  constructor(core: Core, source: MergeSource, workspace: Workspace) {
    const { file } = source;
    this.source = source;
    this.#core = core;
    this.#postings = new SectionStream(core, file, "postings");
    this.#positions = new SectionStream(core, file, "positions");
    const room = (bytes: number) => workspace.take(bytes);
    const offsets = file.readSection(core, "offsets", room);
    this.#starts = openTermStarts(core, source.meta, (from) => offsets + from);
    this.#cursor = workspace.take(DICTIONARY_CURSOR_BYTES);
    this.#ended =
      core.exports.dictionaryCursorStart(this.#cursor, file.readSection(core, "terms", room), 0) === 0;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** The current term, valid until `advance`. */
  get term(): number {
    return this.#core.exports.dictionaryCursorTerm(this.#cursor);
  }

  get termLength(): number {
    return this.#core.exports.dictionaryCursorLength(this.#cursor);
  }

  /** Negative, 0 or positive when the current term is before, equal to or after that of another cursor. */
  compare(other: TermCursor): number {
    return this.#core.exports.dictionaryCompare(this.term, this.termLength, other.term, other.termLength);
  }

  /** Its posting list, valid until that of a later term is asked for. */
  postings(): Bytes {
    return this.#list(this.#postings, POSTINGS);
  }

  /** Its occurrences, likewise. */
  positions(): Bytes {
    return this.#list(this.#positions, POSITIONS);
  }

  advance(): void {
    this.#ordinal++;
    this.#ended = this.#core.exports.dictionaryCursorNext(this.#cursor) === 0;
  }

  free(): void {
    this.#postings.free();
    this.#positions.free();
  }

  #list(stream: SectionStream, kind: ListKind): Bytes {
    const { start, end } = this.#starts.span(kind, this.#ordinal, this.#ordinal + 1);
    const length = end - start;
    return { pointer: stream.view(start, length), length };
  }
}

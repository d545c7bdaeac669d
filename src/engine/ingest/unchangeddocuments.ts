// Finds documents that came as the index has them, byte by byte: these can stay where they are. Programs that
// send all their data every night change few of them. Called by batchdocuments.ts.
import type { Core } from "../../core/core.ts";
import { TarsierError } from "../../errors.ts";
import type { Located } from "../../segment/locateddocument.ts";
import type { IndexReader } from "../reader.ts";

/**
 * The first documents of a round are always compared, the others only while a good part of those before them
 * was unchanged: where they come in another order, to read one takes as long as to write it. After a round
 * without an unchanged document, the next one is twice as long.
 */
const ROUND_DOCUMENTS = 1024;
const ALWAYS_COMPARED = 64;
const UNCHANGED_PART_MIN = 1 / 4;

export class UnchangedDocuments {
  readonly #reader: IndexReader;
  #round = ROUND_DOCUMENTS;
  /** Documents of this round; below, those compared, and those that were unchanged. */
  #seen = 0;
  #compared = 0;
  #unchanged = 0;

  constructor(reader: IndexReader) {
    this.#reader = reader;
  }

  /** Is the document at `content` the same as `docid`? When it is not worth looking, it counts as changed. */
  has(docid: number, content: Located): boolean {
    if (this.#seen === this.#round) this.#beginRound();
    this.#seen++;
    const isWorthIt = this.#unchanged >= this.#compared * UNCHANGED_PART_MIN;
    if (!isWorthIt && this.#compared >= ALWAYS_COMPARED) return false;
    this.#compared++;
    if (!this.#isSame(docid, content)) return false;
    this.#unchanged++;
    return true;
  }

  #beginRound(): void {
    this.#round = this.#unchanged > 0 ? ROUND_DOCUMENTS : 2 * this.#round;
    this.#seen = 0;
    this.#compared = 0;
    this.#unchanged = 0;
  }

  #isSame(docid: number, content: Located): boolean {
    const { core, cache } = this.#reader.share;
    cache.beginTurn();
    try {
      return areSame(core, this.#reader.document(docid)!, content);
    } catch (error) {
      // A whole document also replaces one that can no longer be read.
      if (error instanceof TarsierError) return false;
      throw error;
    }
  }
}

/** Are these the same bytes? */
export const areSame = (core: Core, one: Located, other: Located): boolean =>
  one.length === other.length &&
  core.exports.textHolds(one.pointer, one.length, other.pointer, other.length) === 1;

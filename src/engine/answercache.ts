// Answers to searches that were asked before, for as long as their index stays as it is: people type the same
// words, and every visit of a page begins with the same placeholder search. Called by pool.ts, in the thread
// that takes requests, so that such an answer costs no hop and no search.
//
// What differs from answer to answer is cut out and put in anew:
//   {"hits":[...], ... "processingTimeMs":| 3 |,"limit":20, ... "requestUid":"| 0199... |"}
//   head                                                 middle                         tail
import type { SparseQuery } from "../schemas/search.ts";
import type { IndexHandle } from "./engine.ts";

/** What it holds, and how often that was of use. */
export interface AnswerCacheFigures {
  entries: number;
  bytes: number;
  bytesMax: number;
  hits: number;
  misses: number;
}

interface KeptAnswer {
  answer: Uint8Array;
  /** Null until it is asked for again: most answers never are. */
  parts: Parts | null;
  /** What it takes in memory, its key included. */
  bytes: number;
}

interface Parts {
  head: Uint8Array;
  middle: Uint8Array;
  tail: Uint8Array;
}

const BYTES_MAX = 32 * 1024 * 1024;
/** Of the memory for searches. */
const SEARCH_MEMORY_PART = 1 / 32;
/** A longer answer, as a part of the whole cache, would push out too many others. */
const ANSWER_PART_MAX = 1 / 16;
/** So much of the memory stays in use when it was full. */
const FULL_PART = 15 / 16;
/** Of an entry beside its key and its answer, about. */
const ENTRY_BYTES = 300;
/** Of each letter of a key, as soon as one of them is not Latin. */
const KEY_UNIT_BYTES = 2;
const TIME_FIELD = Buffer.from('"processingTimeMs":');
const REQUEST_FIELD = Buffer.from('"requestUid":"');
const QUOTE = 0x22;
const COMMA = 0x2c;
const NO_TIME = Buffer.from("0");

export class AnswerCache {
  readonly bytesMax: number;
  /** The one that was asked for longest ago comes first. */
  readonly #answers = new Map<string, KeptAnswer>();
  #bytes = 0;
  #hits = 0;
  #misses = 0;

  /** `searchBytes`: memory for searches, of which the cache takes a small part. */
  constructor(searchBytes: number) {
    this.bytesMax = Math.min(BYTES_MAX, Math.floor(searchBytes * SEARCH_MEMORY_PART));
  }

  get figures(): AnswerCacheFigures {
    const { bytesMax } = this;
    return {
      ...{ entries: this.#answers.size, bytes: this.#bytes, bytesMax },
      ...{ hits: this.#hits, misses: this.#misses },
    };
  }

  /** What the answer to a query on this version of an index is kept under; null: it must not be kept. */
  keyOf({ folder, version }: IndexHandle, said: SparseQuery): string | null {
    const { hybrid = null, queryUid = null, showPerformanceDetails } = said;
    if (hybrid !== null || queryUid !== null || showPerformanceDetails) return null;
    return `${folder} ${version} ${JSON.stringify({ ...said, requestUid: "" })}`;
  }

  /** The answer to a query that was asked before, as JSON; null: there is none. */
  find(key: string, requestUid: string): Uint8Array | null {
    const kept = this.#answers.get(key);
    if (!kept) {
      this.#misses++;
      return null;
    }
    this.#hits++;
    this.#answers.delete(key);
    this.#answers.set(key, kept);
    kept.parts ??= cut(kept.answer);
    const { head, middle, tail } = kept.parts;
    return Buffer.concat([head, NO_TIME, middle, Buffer.from(requestUid), tail]);
  }

  /** Keeps a whole answer; it must not change any more. */
  keep(key: string, answer: Uint8Array): void {
    const bytes = answer.length + KEY_UNIT_BYTES * key.length + ENTRY_BYTES;
    if (bytes > this.bytesMax * ANSWER_PART_MAX) return;
    this.#forget(key);
    this.#answers.set(key, { answer, parts: null, bytes });
    this.#bytes += bytes;
    if (this.#bytes > this.bytesMax) this.#forgetOldest();
  }

  /**
   * Many at once: to get at the first entry of a Map takes 20 us here, since those that were deleted before
   * it are walked over. One iterator for all time would keep every table that the Map ever had.
   */
  #forgetOldest(): void {
    for (const key of this.#answers.keys()) {
      if (this.#bytes <= this.bytesMax * FULL_PART) return;
      this.#forget(key);
    }
  }

  #forget(key: string): void {
    this.#bytes -= this.#answers.get(key)?.bytes ?? 0;
    this.#answers.delete(key);
  }
}

/** The fields stand behind all that documents and queries say, and quotes within texts are escaped. */
function cut(answer: Uint8Array): Parts {
  const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength);
  const time = bytes.lastIndexOf(TIME_FIELD) + TIME_FIELD.length;
  const request = bytes.lastIndexOf(REQUEST_FIELD) + REQUEST_FIELD.length;
  return {
    head: bytes.subarray(0, time),
    middle: bytes.subarray(bytes.indexOf(COMMA, time), request),
    tail: bytes.subarray(bytes.indexOf(QUOTE, request)),
  };
}

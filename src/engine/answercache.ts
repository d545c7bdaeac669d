// Answers to searches that were asked before, kept as long as their index does not change: people type the
// same words, and every visit of a page begins with the same placeholder search. Called by pool.ts, in the
// thread that takes requests, so that such an answer costs no hop and no search.
//
// Only the parts that differ from answer to answer are cut out and filled in anew:
//   {"hits":[...], ... "processingTimeMs":| 3 |,"limit":20, ... "requestUid":"| 0199... |"}
//   head                                                 middle                         tail
import type { SparseQuery } from "../schemas/search.ts";
import type { IndexHandle } from "./indexhandle.ts";

/** What the cache holds, and how often that was of use. */
export interface AnswerCacheFigures {
  entries: number;
  bytes: number;
  bytesMax: number;
  hits: number;
  misses: number;
}

interface KeptAnswer {
  answer: Uint8Array;
  /** Null until the answer is asked for again: most never are. */
  parts: Parts | null;
  /** Memory that the entry takes, its key included. */
  bytes: number;
}

interface Parts {
  head: Uint8Array;
  middle: Uint8Array;
  tail: Uint8Array;
}

const BYTES_MAX = 32 * 1024 * 1024;
/** Share of the memory for searches that goes to this cache. */
const SEARCH_MEMORY_PART = 1 / 32;
/** An answer that takes a larger share of the cache would push out too many others: it is not kept. */
const ANSWER_PART_MAX = 1 / 16;
/** When the cache is full, entries are dropped until it is this full. */
const FULL_PART = 15 / 16;
/** Rough size of an entry apart from its key and its answer. */
const ENTRY_BYTES = 300;
/** Size of each letter of a key, as soon as one of them is not Latin. */
const KEY_UNIT_BYTES = 2;
const TIME_FIELD = Buffer.from('"processingTimeMs":');
const REQUEST_FIELD = Buffer.from('"requestUid":"');
const QUOTE = 0x22;
const COMMA = 0x2c;
const NO_TIME = Buffer.from("0");

export class AnswerCache {
  readonly bytesMax: number;
  /** Least recently used first. */
  readonly #answers = new Map<string, KeptAnswer>();
  #bytes = 0;
  #hits = 0;
  #misses = 0;

  /** `searchBytes`: memory for searches; the cache takes a small part of it. */
  constructor(searchBytes: number) {
    this.bytesMax = Math.min(BYTES_MAX, Math.floor(searchBytes * SEARCH_MEMORY_PART));
  }

  get figures(): AnswerCacheFigures {
    const { bytesMax } = this;
    return {
      entries: this.#answers.size,
      bytes: this.#bytes,
      bytesMax,
      hits: this.#hits,
      misses: this.#misses,
    };
  }

  /** The key of the answer to a query on this version of an index; null: it must not be kept. */
  keyOf({ folder, version }: IndexHandle, said: SparseQuery): string | null {
    const { hybrid = null, queryUid = null, showPerformanceDetails } = said;
    if (hybrid !== null || queryUid !== null || showPerformanceDetails) return null;
    return `${folder} ${version} ${JSON.stringify({ ...said, requestUid: "" })}`;
  }

  /** The kept answer to a query, as JSON; null: there is none. */
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

  /** Keeps a whole answer, which must not be changed from then on. */
  keep(key: string, answer: Uint8Array): void {
    const bytes = answer.length + KEY_UNIT_BYTES * key.length + ENTRY_BYTES;
    if (bytes > this.bytesMax * ANSWER_PART_MAX) return;
    this.#forget(key);
    this.#answers.set(key, { answer, parts: null, bytes });
    this.#bytes += bytes;
    if (this.#bytes > this.bytesMax) this.#forgetOldest();
  }

  /**
   * Drops many at once: finding the first entry of a Map takes 20 us here, since it walks over the deleted
   * ones in front. A single long-lived iterator would keep alive every table that the Map ever had.
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

/**
 * Both fields come after everything that documents and queries contain, and quotes within texts are escaped:
 * so the last match is the right one.
 */
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

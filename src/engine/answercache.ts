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
/** Of an entry beside its key and its answer, about. */
const ENTRY_BYTES = 300;
const TIME_FIELD = Buffer.from('"processingTimeMs":');
const REQUEST_FIELD = Buffer.from('"requestUid":"');
const QUOTE = 0x22;
const COMMA = 0x2c;
const NO_TIME = Buffer.from("0");

export class AnswerCache {
  readonly bytesMax: number;
  /**
   * Those that were asked for since this half of the memory was begun; before that, those of the other
   * half. When the one is full the other is given up whole. To forget the oldest answers one by one took
   * 20 us each: a Map looks for its first entry among all that were deleted.
   */
  #newer = new Half();
  #older = new Half();
  #hits = 0;
  #misses = 0;

  /** `searchBytes`: memory for searches, of which the cache takes a small part. */
  constructor(searchBytes: number) {
    this.bytesMax = Math.min(BYTES_MAX, Math.floor(searchBytes * SEARCH_MEMORY_PART));
  }

  get figures(): AnswerCacheFigures {
    const halves = [this.#newer, this.#older];
    const entries = halves.reduce((sum, { size }) => sum + size, 0);
    const bytes = halves.reduce((sum, half) => sum + half.bytes, 0);
    return { entries, bytes, bytesMax: this.bytesMax, hits: this.#hits, misses: this.#misses };
  }

  /** What the answer to a query on this version of an index is kept under; null: it must not be kept. */
  keyOf({ folder, version }: IndexHandle, said: SparseQuery): string | null {
    const { hybrid = null, queryUid = null, showPerformanceDetails } = said;
    if (hybrid !== null || queryUid !== null || showPerformanceDetails) return null;
    return `${folder} ${version} ${JSON.stringify({ ...said, requestUid: "" })}`;
  }

  /** The answer to a query that was asked before, as JSON; null: there is none. */
  find(key: string, requestUid: string): Uint8Array | null {
    const kept = this.#newer.get(key) ?? this.#renew(key);
    if (!kept) {
      this.#misses++;
      return null;
    }
    this.#hits++;
    kept.parts ??= cut(kept.answer);
    const { head, middle, tail } = kept.parts;
    return Buffer.concat([head, NO_TIME, middle, Buffer.from(requestUid), tail]);
  }

  /** Keeps a whole answer; it must not change any more. */
  keep(key: string, answer: Uint8Array): void {
    const bytes = answer.length + key.length + ENTRY_BYTES;
    if (bytes > this.bytesMax * ANSWER_PART_MAX) return;
    this.#older.take(key);
    this.#add(key, { answer, parts: null, bytes });
  }

  #renew(key: string): KeptAnswer | undefined {
    const kept = this.#older.take(key);
    if (kept) this.#add(key, kept);
    return kept;
  }

  #add(key: string, kept: KeptAnswer): void {
    if (this.#newer.bytes + kept.bytes > this.bytesMax / 2) {
      this.#older = this.#newer;
      this.#newer = new Half();
    }
    this.#newer.put(key, kept);
  }
}

class Half {
  readonly #answers = new Map<string, KeptAnswer>();
  #bytes = 0;

  get size(): number {
    return this.#answers.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): KeptAnswer | undefined {
    return this.#answers.get(key);
  }

  put(key: string, kept: KeptAnswer): void {
    this.take(key);
    this.#answers.set(key, kept);
    this.#bytes += kept.bytes;
  }

  /** Takes one out. */
  take(key: string): KeptAnswer | undefined {
    const kept = this.#answers.get(key);
    if (!kept) return undefined;
    this.#answers.delete(key);
    this.#bytes -= kept.bytes;
    return kept;
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

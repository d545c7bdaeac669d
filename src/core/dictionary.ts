// The term dictionary of a segment as the host sees it: exact, prefix and typo look-ups by strings, and the
// typo words of a query over all segments of an index. Kernels: exports/dictionary.ts. A `Dictionary` is only
// a pointer into a core's memory, so searches make them as they go.
import { compareBytes } from "./bytes.ts";
import type { Core } from "./core.ts";
import { decodeUtf8, encodeUtf8Into } from "./utf8.ts";

/** Sizes of regions that the kernels need; a test compares them with the core's own numbers. */
export const DICTIONARY_WRITER_BYTES = 560;
export const DICTIONARY_CURSOR_BYTES = 1120;
export const DICTIONARY_FUZZY_BYTES = 12352;
export const DICTIONARY_TERM_BYTES_MAX = 480;
/** Room needed after a pointer given to `dictionaryTerm`. */
export const DICTIONARY_TERM_ROOM_BYTES = 512;

/** Room that always suffices for a dictionary of `terms` terms with `bytes` bytes in total. */
export const dictionaryCapacity = (terms: number, bytes: number): number => 128 + bytes + 4 * terms;

/** Words near a query, ascending: ordinals, and for each its class (see assembly/fuzzy.ts). */
interface FuzzyWords {
  ordinals: number[];
  classes: number[];
}

/** A word near a query with its ordinal in each dictionary, -1 where it is missing. */
interface TypoWord {
  text: string;
  ordinals: number[];
}

interface TypoWords {
  one: TypoWord[];
  two: TypoWord[];
}

const ONE_TYPO_WORDS_MAX = 150;
const TWO_TYPO_WORDS_MAX = 50;
/** Number of results of one call of the kernel. */
const FUZZY_WORDS_LEN = 256;
const RESULTS_BYTES = 8 * FUZZY_WORDS_LEN;

export class Dictionary {
  readonly pointer: number;
  readonly #core: Core;
  readonly #planes: () => number;

  /**
   * @param pointer address of the section's bytes, aligned to 16
   * @param planes returns the address of its planes (assembly/fuzzy-planes.ts) at the time of the call, 0
   * when there are none: used by typo look-ups, which take longer without
   */
  constructor(core: Core, pointer: number, planes: () => number = () => 0) {
    this.#core = core;
    this.pointer = pointer;
    this.#planes = planes;
  }

  get planes(): number {
    return this.#planes();
  }

  /** Number of terms, pseudo-terms included. */
  get count(): number {
    return this.#core.exports.dictionaryCount(this.pointer);
  }

  /** Ordinal of a term, or -1. */
  find(term: string | Uint8Array): number {
    const length = writeQuery(this.#core, term);
    if (length < 0) return -1;
    return this.#core.exports.dictionaryFind(this.pointer, workspaceOf(this.#core).query, length);
  }

  /**
   * Ordinals [from, to) of the terms that begin with `prefix`; pseudo-terms only if it begins with byte 00.
   */
  prefix(prefix: string | Uint8Array): [from: number, to: number] {
    const length = writeQuery(this.#core, prefix);
    if (length < 0) return [0, 0];
    const { query, range } = workspaceOf(this.#core);
    this.#core.exports.dictionaryPrefix(this.pointer, query, length, range);
    const u32 = this.#core.u32;
    return [u32[range >>> 2], u32[(range >>> 2) + 1]];
  }

  /** Text of a term; empty when there is no term with that ordinal. */
  term(ordinal: number): string {
    const { term } = workspaceOf(this.#core);
    const length = this.#core.exports.dictionaryTerm(this.pointer, ordinal, term);
    return decodeUtf8(this.#core.u8.subarray(term, term + length));
  }

  /**
   * Words within `budget` (1 or 2) typos of a query, or with a beginning that is (`prefix`), from ordinal
   * `from` on, at most 256: if there are that many, ask again from the last ordinal + 1.
   */
  fuzzy(query: string | Uint8Array, budget: number, prefix: boolean, from = 0): FuzzyWords {
    const words: FuzzyWords = { ordinals: [], classes: [] };
    const length = writeQuery(this.#core, query);
    if (length < 0) return words;
    const { query: at, scratch, results } = workspaceOf(this.#core);
    const { dictionaryFuzzy } = this.#core.exports;
    const most = FUZZY_WORDS_LEN;
    const { pointer, planes } = this;
    const options = [budget, prefix ? 1 : 0, from] as const;
    const count = dictionaryFuzzy(pointer, planes, at, length, ...options, scratch, results, most);
    const u32 = this.#core.u32;
    for (let i = results >>> 2, end = i + 2 * count; i < end; i += 2) {
      words.ordinals.push(u32[i]);
      words.classes.push(u32[i + 1]);
    }
    return words;
  }
}

/**
 * The words of an index at one and at two typos from a query, in byte order over the union of its
 * dictionaries: at most 150 with the same first letter and one typo, at most 50 with two typos, of which a
 * changed first letter is one. Collecting ends when both sets are full; when only the second is, words with
 * another first letter go into the first.
 * @param budget typos allowed: 0, 1 or 2
 * @param isEligible whether a word counts by what one dictionary has of it; any one dictionary is enough
 */
export function typoWords(
  dictionaries: readonly Dictionary[],
  query: string,
  budget: number,
  prefix: boolean,
  isEligible?: (dictionary: number, ordinal: number) => boolean,
): TypoWords {
  const one: TypoWord[] = [];
  const two: TypoWord[] = [];
  if (budget <= 0) return { one, two };
  const streams = dictionaries.map((dictionary) => new FuzzyStream(dictionary, query, budget, prefix));
  const isFull = (): boolean =>
    one.length >= ONE_TYPO_WORDS_MAX && (budget === 1 || two.length >= TWO_TYPO_WORDS_MAX);
  while (!isFull()) {
    const text = leastText(streams);
    if (text === null) break;
    let kind = 0;
    const ordinals = streams.map((stream) => {
      if (stream.text !== text) return -1;
      const { ordinal } = stream;
      kind = stream.kind;
      stream.advance();
      return ordinal;
    });
    const set = setFor(kind, one, two);
    if (set && isWordEligible(ordinals, isEligible)) set.push({ text, ordinals });
  }
  return { one, two };
}

/** The set that has room for a word of this class, or null. */
function setFor(kind: number, one: TypoWord[], two: TypoWord[]): TypoWord[] | null {
  if (kind !== 1 && two.length < TWO_TYPO_WORDS_MAX) return two;
  return kind !== 2 && one.length < ONE_TYPO_WORDS_MAX ? one : null;
}

function isWordEligible(
  ordinals: number[],
  isEligible?: (dictionary: number, ordinal: number) => boolean,
): boolean {
  return (
    !isEligible || ordinals.some((ordinal, dictionary) => ordinal >= 0 && isEligible(dictionary, ordinal))
  );
}

/** The near words of one dictionary, fetched in portions. */
class FuzzyStream {
  readonly #dictionary: Dictionary;
  readonly #query: string;
  readonly #budget: number;
  readonly #prefix: boolean;
  #words: FuzzyWords;
  #at = -1;
  /** Text of the current word; null at the end. */
  text: string | null = null;

  constructor(dictionary: Dictionary, query: string, budget: number, prefix: boolean) {
    this.#dictionary = dictionary;
    this.#query = query;
    this.#budget = budget;
    this.#prefix = prefix;
    this.#words = dictionary.fuzzy(query, budget, prefix);
    this.advance();
  }

  get ordinal(): number {
    return this.#words.ordinals[this.#at];
  }

  get kind(): number {
    return this.#words.classes[this.#at];
  }

  advance(): void {
    this.#at++;
    const { ordinals } = this.#words;
    if (this.#at === FUZZY_WORDS_LEN) {
      const from = ordinals[FUZZY_WORDS_LEN - 1] + 1;
      this.#words = this.#dictionary.fuzzy(this.#query, this.#budget, this.#prefix, from);
      this.#at = 0;
    }
    this.text = this.#at < this.#words.ordinals.length ? this.#dictionary.term(this.ordinal) : null;
  }
}

function leastText(streams: readonly FuzzyStream[]): string | null {
  let least: string | null = null;
  for (const { text } of streams) {
    if (text !== null && (least === null || compareBytes(text, least) < 0)) least = text;
  }
  return least;
}

/** Places in a core's memory for inputs and outputs of a look-up; reserved once for each core. */
interface Workspace {
  query: number;
  term: number;
  range: number;
  scratch: number;
  results: number;
}

const workspaces = new WeakMap<Core, Workspace>();
/** Longer strings can be neither terms nor beginnings of terms. */
const QUERY_ROOM_BYTES = 512;
const RANGE_BYTES = 64;

function workspaceOf(core: Core): Workspace {
  let space = workspaces.get(core);
  if (!space) {
    const start = core.reserve(
      QUERY_ROOM_BYTES + DICTIONARY_TERM_ROOM_BYTES + RANGE_BYTES + DICTIONARY_FUZZY_BYTES + RESULTS_BYTES,
    );
    const term = start + QUERY_ROOM_BYTES;
    const range = term + DICTIONARY_TERM_ROOM_BYTES;
    const scratch = range + RANGE_BYTES;
    space = { query: start, term, range, scratch, results: scratch + DICTIONARY_FUZZY_BYTES };
    workspaces.set(core, space);
  }
  return space;
}

/**
 * Writes the bytes of a query into the workspace and returns their number, or -1 when they are too many for a
 * term.
 */
function writeQuery(core: Core, query: string | Uint8Array): number {
  const { query: start } = workspaceOf(core);
  if (query.length > DICTIONARY_TERM_BYTES_MAX) return -1;
  let length = query.length;
  if (typeof query === "string") {
    const room = core.u8.subarray(start, start + QUERY_ROOM_BYTES);
    const { read, written } = encodeUtf8Into(query, room);
    if (read < query.length) return -1;
    length = written;
  } else {
    core.u8.set(query, start);
  }
  return length <= DICTIONARY_TERM_BYTES_MAX ? length : -1;
}

// Reads JSON and NDJSON bodies: checks the whole grammar while it cuts out the documents, and passes their
// bytes on as they came. Called piece by piece by payload.ts.
//
// A piece is copied to the sink in runs that are as long as possible. In place, before that:
//   line feed inside a document   -> blank
//   half of a surrogate pair in a value -> U+FFFD, since UTF-8 has no halves and most clients refuse them
//   the one byte between two documents (`}\n{`, `},{`) -> line feed, so that the run goes on
// Anything else between documents ends the run and is left out.
import type { TarsierError } from "../errors.ts";
import {
  ACTION,
  expectation,
  HALVES,
  PLAIN_TEXT,
  STATE,
  STORED_TRANSITIONS,
  TRANSITIONS,
} from "./json-grammar.ts";
import { type LineReader, type LineSink, malformed, showByte } from "./lines.ts";
import { NumberRange } from "./number-range.ts";

/**
 * How deep objects and lists may be nested. JSON.parse of the host, which reads the documents later, accepts
 * far more.
 */
export const NESTING_LEVELS_MAX = 512;

/** Letters of a number that are shown in a message. */
const SHOWN_LEN_MAX = 40;

const BLANK = 0x20;
const LINE_FEED = 0x0a;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
/** Digits of the escape of U+FFFD. */
const REPLACEMENT = Buffer.from("fffd");
const LINE_END = new Uint8Array([LINE_FEED]);

export class JsonReader implements LineReader {
  documents = 0;
  held = 0;
  readonly #format: "json" | "ndjson";
  readonly #sink: LineSink;
  readonly #transitions: Uint8Array;
  /** Behind the latest piece; the next one begins with the digits of an escape if any were held back. */
  #state: number;
  /** State after a document. */
  #afterDocument: number;
  /** For each open level, the state after a value in it. */
  readonly #levels = new Uint8Array(NESTING_LEVELS_MAX);
  #depth = 0;
  /** Start of the run that waits to be copied; below, its end, which is -1 while a document is open. */
  #runStart = 0;
  #runEnd = 0;
  readonly #numbers = new NumberRange();
  #line = 1;
  /** Bytes of the body before the current piece. */
  #offset = 0;

  /** `isStored`: the documents were stored once. */
  constructor(format: "json" | "ndjson", sink: LineSink, isStored = false) {
    this.#format = format;
    this.#transitions = isStored ? STORED_TRANSITIONS : TRANSITIONS;
    this.#sink = sink;
    this.#state = format === "json" ? STATE.BODY : STATE.LINES;
    this.#afterDocument = format === "json" ? STATE.BODY_END : STATE.LINES;
  }

  read(piece: Uint8Array, start: number): number {
    const [end, transitions, levels] = [piece.length, this.#transitions, this.#levels];
    const words = new Int32Array(piece.buffer, piece.byteOffset, end >> 2);
    let state = this.held > 0 ? STATE.HEX_1 : this.#state;
    this.#runStart = start;
    this.#runEnd = this.#depth > 0 ? -1 : start;
    // End of the previous number: with it, most numbers of a vector need no look at their length.
    let numberEnd = -1;
    for (let at = start; at < end; ) {
      if (state <= STATE.FRACTION) {
        at = state === STATE.FRACTION ? skipDigits(piece, at) : skipPlainText(piece, words, at);
        if (at === end) break;
      }
      const next = transitions[state * 256 + piece[at]];
      if (next < ACTION.first) {
        state = next;
        at++;
      } else if (next === ACTION.END_NUMBER) {
        if (state === STATE.EXPONENT_DIGITS || this.#numbers.mayBeLong(piece, start, numberEnd, at))
          this.#checkRange(piece, start, at);
        numberEnd = at;
        state = levels[this.#depth - 1];
      } else if (next === ACTION.REPLACE_HALF) {
        const { since, decided = state } = HALVES[state];
        piece.set(REPLACEMENT, at - since);
        state = decided;
      } else {
        state = this.#act(next, state, piece, at);
        at++;
      }
    }
    this.held = HALVES[state]?.since ?? 0;
    this.#state = state;
    if (this.#depth > 0) this.#numbers.keep(piece, start);
    const closed = this.#runEnd >= 0;
    this.#copyRun(piece, closed ? this.#runEnd : end - this.held, closed);
    this.#offset += end - this.held;
    return end;
  }

  end(): void {
    if (this.#state === STATE.BODY_END || this.#state === STATE.LINES) return;
    throw this.#refuse(this.#state, this.held, "the end of the body");
  }

  /** Does what the byte at `at` demands and returns the state after it. */
  #act(action: number, state: number, piece: Uint8Array, at: number): number {
    switch (action) {
      case ACTION.END_VALUE:
        return this.#levels[this.#depth - 1];
      case ACTION.OPEN_OBJECT:
        if (this.#depth === 0) this.#startDocument(piece, at);
        this.#open(STATE.AFTER_OBJECT_VALUE, at);
        return STATE.NAME_OR_END;
      case ACTION.OPEN_ARRAY:
        this.#open(STATE.AFTER_ARRAY_VALUE, at);
        return STATE.VALUE_OR_END;
      case ACTION.CLOSE:
        if (--this.#depth > 0) return this.#levels[this.#depth - 1];
        this.#runEnd = at + 1;
        this.documents++;
        return this.#afterDocument;
      case ACTION.LINE_FEED:
        this.#line++;
        if (this.#depth > 0) piece[at] = BLANK;
        return state;
      case ACTION.OPEN_LIST:
        this.#afterDocument = STATE.LIST_AFTER;
        return STATE.LIST_START;
      default:
        throw this.#refuse(state, at, showByte(piece[at]));
    }
  }

  /** Continues the run that ended one byte before, or copies that run and starts a new one. */
  #startDocument(piece: Uint8Array, at: number): void {
    if (this.#runEnd > this.#runStart && at === this.#runEnd + 1) {
      piece[this.#runEnd] = LINE_FEED;
    } else {
      this.#copyRun(piece, this.#runEnd, true);
      this.#runStart = at;
    }
    this.#runEnd = -1;
  }

  #copyRun(piece: Uint8Array, end: number, closed: boolean): void {
    if (end <= this.#runStart) return;
    this.#sink.append(piece, this.#runStart, end);
    if (closed) this.#sink.append(LINE_END);
  }

  #checkRange(piece: Uint8Array, start: number, at: number): void {
    const number = this.#numbers.tooLarge(piece, start, at);
    if (number === null) return;
    const shown = number.length > SHOWN_LEN_MAX ? `${number.slice(0, SHOWN_LEN_MAX)}...` : number;
    throw malformed(this.#format, this.#place(at), `the number \`${shown}\` is too large`);
  }

  #open(afterValue: number, at: number): void {
    if (this.#depth === NESTING_LEVELS_MAX) {
      throw malformed(this.#format, this.#place(at), `nesting is deeper than ${NESTING_LEVELS_MAX} levels`);
    }
    this.#levels[this.#depth++] = afterValue;
  }

  #refuse(state: number, at: number, found: string): TarsierError {
    return malformed(this.#format, this.#place(at), `found ${found} where ${expectation(state)} should be`);
  }

  /** The place of a byte of the current piece, for people to read: counted from 1, except the offset. */
  #place(at: number): string {
    return `line ${this.#line}, document ${this.documents + 1}, byte offset ${this.#offset + at}`;
  }
}

function skipDigits(piece: Uint8Array, at: number): number {
  while (at < piece.length && piece[at] >= DIGIT_0 && piece[at] <= DIGIT_9) at++;
  return at;
}

/**
 * Place of the first byte from `at` on that is special inside a text; the middle is scanned four bytes at a
 * time.
 */
function skipPlainText(piece: Uint8Array, words: Int32Array, at: number): number {
  const [end, plain] = [piece.length, PLAIN_TEXT];
  for (; (at & 3) !== 0; at++) if (at === end || plain[piece[at]] === 0) return at;
  let word = at >> 2;
  while (word < words.length && !hasSpecialByte(words[word])) word++;
  at = word << 2;
  while (at < end && plain[piece[at]] === 1) at++;
  return at;
}

/**
 * Is one of the four bytes a quote, a backslash or a control character? The test for a byte below n (n <=
 * 128) is `(x - n * 0x01010101) & ~x & 0x80808080` (S. E. Anderson, Bit Twiddling Hacks, "hasless").
 */
function hasSpecialByte(word: number): boolean {
  const quote = word ^ 0x22222222;
  const backslash = word ^ 0x5c5c5c5c;
  const found =
    ((quote - 0x01010101) & ~quote) | ((backslash - 0x01010101) & ~backslash) | ((word - 0x20202020) & ~word);
  return (found & 0x80808080) !== 0;
}

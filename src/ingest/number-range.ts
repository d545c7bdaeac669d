// Checks that the numbers of a JSON body fit into a double: `1e400` is valid JSON, but no reader of the
// documents could say what it is. Called by json-lines.ts for numbers with an exponent, which become that
// large in a few bytes, and for other numbers if they may be long enough.

/** Length from which a number without an exponent may be too large: 1.8e308 has 309 digits. */
const TOO_LARGE_LEN_MIN = 309;
/** Bytes that are kept of a number cut between two pieces; no sensible number is longer. */
const HEAD_LEN_MAX = 1024;

/** 1 for bytes that may be part of a number. */
const NUMBER_BYTES = new Uint8Array(256);
for (const byte of Buffer.from("0123456789+-.eE")) NUMBER_BYTES[byte] = 1;

export class NumberRange {
  /** The beginning, from earlier pieces, of a number that continues in the current piece. */
  #head = "";

  /**
   * May the number without an exponent that ends before `at` be too large? `previous`: where the previous
   * number ended; -1: in an earlier piece.
   */
  mayBeLong(piece: Uint8Array, start: number, previous: number, at: number): boolean {
    const first = at - TOO_LARGE_LEN_MIN;
    if (previous >= first && previous >= 0) return false;
    return first < start ? this.#head !== "" : NUMBER_BYTES[piece[first]] === 1;
  }

  /** The text of the number that ends before `at` if it is too large, else null. */
  tooLarge(piece: Uint8Array, start: number, at: number): string | null {
    const text = this.#textBefore(piece, start, at);
    return Number.isFinite(Number(text)) ? null : text;
  }

  /** Keeps the beginning of a number at the end of a piece. */
  keep(piece: Uint8Array, start: number): void {
    this.#head = this.#textBefore(piece, start, piece.length).slice(0, HEAD_LEN_MAX);
  }

  #textBefore(piece: Uint8Array, start: number, end: number): string {
    let from = end;
    while (from > start && NUMBER_BYTES[piece[from - 1]] === 1) from--;
    const text = Buffer.from(piece.buffer, piece.byteOffset + from, end - from).toString("latin1");
    return from === start ? this.#head + text : text;
  }
}

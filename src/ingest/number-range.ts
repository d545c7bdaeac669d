// Whether the numbers of a JSON body are numbers that programs can hold: `1e400` is good grammar, but no
// reader of the documents could say what it is. Asked by json-lines.ts for numbers with an exponent, which
// reach that far in a few bytes, and for others when they may be that long.

/** Without an exponent: 1.8e308 has 309 digits. */
const TOO_LARGE_LEN_MIN = 309;
/** Of a number that is cut between two pieces; no sensible one is longer. */
const HEAD_LEN_MAX = 1024;

/** 1 for bytes that a number may consist of. */
const NUMBER_BYTES = new Uint8Array(256);
for (const byte of Buffer.from("0123456789+-.eE")) NUMBER_BYTES[byte] = 1;

export class NumberRange {
  /** What earlier pieces have of the number that goes on in the piece in hand. */
  #head = "";

  /**
   * May the number that ends before `at` and has no exponent be too large? `previous`: where the number
   * before it ended, -1: in an earlier piece.
   */
  mayBeLong(piece: Uint8Array, start: number, previous: number, at: number): boolean {
    const first = at - TOO_LARGE_LEN_MIN;
    if (previous >= first && previous >= 0) return false;
    return first < start ? this.#head !== "" : NUMBER_BYTES[piece[first]] === 1;
  }

  /** The text of the number that ends before `at`, when it is too large; null: it is not. */
  tooLarge(piece: Uint8Array, start: number, at: number): string | null {
    const text = this.#textBefore(piece, start, at);
    return Number.isFinite(Number(text)) ? null : text;
  }

  /** Notes the beginning of a number at the end of a piece. */
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

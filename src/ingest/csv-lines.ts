// Reads CSV bodies (RFC 4180, a header record first) and writes one JSON object per record. Called piece by
// piece by payload.ts. Text cells flow from the piece into the sink; only cells of typed columns and of the
// header are collected, and these have a bound.
//
//   RECORD -> CELL -> PLAIN  -> (delimiter) CELL, (line end) RECORD
//                  -> QUOTED -> QUOTE -> QUOTED (a doubled quote), or as after PLAIN
import type { TarsierError } from "../errors.ts";
import { type Column, cellJson, isPlainInteger, makeColumns } from "./csv-columns.ts";
import { copyBytes, enlarge, type LineReader, type LineSink, malformed } from "./lines.ts";

/** As many columns as an index can have fields. */
const COLUMNS_MAX = 65_535;
const HEADER_CELL_BYTES_MAX = 64 * 1024;
/** Longest cell of a number or boolean column. */
const TYPED_CELL_BYTES_MAX = 1024;
/** JSON needs at most this many bytes for one byte of a text (`\u001f`). */
const ESCAPED_BYTES_MAX = 6;

const RECORD = 0;
const CELL = 1;
const PLAIN = 2;
const QUOTED = 3;
const QUOTE = 4;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE_BYTE = 0x22;

/** Classes of bytes in a cell. */
const COPY = 0;
const ESCAPE = 1;
const STOP = 2;

export class CsvReader implements LineReader {
  documents = 0;
  readonly held = 0;
  readonly #sink: LineSink;
  readonly #plain: Uint8Array;
  readonly #quoted: Uint8Array;
  readonly #delimiter: number;
  #state = RECORD;
  readonly #header: string[] = [];
  /** Null while the header is read. */
  #columns: Column[] | null = null;
  /** Place of the current cell in its record. */
  #column = 0;
  /** Bytes of the cell, if it is collected. */
  #cell = new Uint8Array(TYPED_CELL_BYTES_MAX);
  #cellLength = 0;
  /** The opening quote of a text cell was written: the cell is not empty. */
  #opened = false;
  /** Bytes of the body before the current piece. */
  #offset = 0;

  constructor(sink: LineSink, delimiter: string) {
    this.#sink = sink;
    this.#delimiter = delimiter.charCodeAt(0);
    this.#quoted = byteClasses([QUOTE_BYTE]);
    this.#plain = byteClasses([LINE_FEED, CARRIAGE_RETURN, this.#delimiter]);
  }

  read(piece: Uint8Array, start: number): number {
    let at = start;
    while (at < piece.length) {
      const byte = piece[at];
      if (this.#state === PLAIN) {
        at = this.#take(piece, at, this.#plain);
        if (at < piece.length) this.#endCell(piece[at++], at);
      } else if (this.#state === QUOTED) {
        at = this.#take(piece, at, this.#quoted);
        if (at++ < piece.length) this.#state = QUOTE;
      } else if (this.#state === QUOTE) {
        at = this.#leaveQuote(piece, at);
      } else if (this.#state === RECORD && (byte === LINE_FEED || byte === CARRIAGE_RETURN)) {
        at++;
      } else {
        if (this.#sink.isFull) return at;
        this.#startCell(at);
        this.#state = byte === QUOTE_BYTE && this.#delimiter !== QUOTE_BYTE ? QUOTED : PLAIN;
        if (this.#state === QUOTED) at++;
      }
    }
    this.#offset += piece.length;
    return piece.length;
  }

  end(): void {
    if (this.#state === RECORD) return;
    if (this.#state === QUOTED) throw this.#refuse("found the end of the body inside a quoted cell", 0);
    if (this.#state === CELL) this.#startCell(0);
    this.#endCell(LINE_FEED, 0);
  }

  /**
   * The byte after a quote in a quoted cell: another quote, the end of the cell, or text that continues
   * unquoted.
   */
  #leaveQuote(piece: Uint8Array, at: number): number {
    const byte = piece[at];
    if (byte === QUOTE_BYTE) {
      this.#take(piece.subarray(at, at + 1), 0, this.#plain);
      this.#state = QUOTED;
      return at + 1;
    }
    if (this.#plain[byte] === STOP) this.#endCell(byte, at);
    else this.#state = PLAIN;
    return this.#state === PLAIN ? at : at + 1;
  }

  #startCell(at: number): void {
    if (this.#state === RECORD) this.#column = 0;
    this.#cellLength = 0;
    this.#opened = false;
    if (!this.#columns) return;
    const column = this.#columns[this.#column];
    if (!column) throw this.#refuse(`found more than the ${this.#columns.length} cells of the header`, at);
    if (column.prefix) this.#sink.append(column.prefix);
  }

  /** Takes the cell's bytes up to the first one of class STOP, and returns the place of that byte. */
  #take(piece: Uint8Array, start: number, classes: Uint8Array): number {
    const column = this.#columns?.[this.#column];
    if (column?.type === "string" && column.prefix) return this.#takeText(piece, start, classes);
    let end = start;
    while (end < piece.length && classes[piece[end]] !== STOP) end++;
    if (column?.type !== "string") this.#collect(piece, start, end);
    return end;
  }

  /** Writes text to the sink as the inside of a JSON string. */
  #takeText(piece: Uint8Array, start: number, classes: Uint8Array): number {
    if (classes[piece[start]] === STOP) return start;
    const sink = this.#sink;
    sink.reserve(ESCAPED_BYTES_MAX * (piece.length - start) + 1);
    const out = sink.bytes;
    let length = sink.length;
    if (!this.#opened) out[length++] = QUOTE_BYTE;
    this.#opened = true;
    let at = start;
    while (at < piece.length) {
      const kind = classes[piece[at]];
      if (kind === COPY) out[length++] = piece[at++];
      else if (kind === ESCAPE) length = writeEscape(piece[at++], out, length);
      else break;
    }
    sink.length = length;
    return at;
  }

  #collect(piece: Uint8Array, start: number, end: number): void {
    const most = this.#columns ? TYPED_CELL_BYTES_MAX : HEADER_CELL_BYTES_MAX;
    if (this.#cellLength + end - start > most)
      throw this.#refuse(`found a cell of more than ${most} bytes`, start);
    if (this.#cellLength + end - start > this.#cell.length)
      this.#cell = enlarge(this.#cell, HEADER_CELL_BYTES_MAX);
    this.#cellLength = copyBytes(piece, start, end, this.#cell, this.#cellLength);
  }

  /** A cell is complete; `byte` is the delimiter or line end after it. */
  #endCell(byte: number, at: number): void {
    const column = this.#columns?.[this.#column];
    if (!column) this.#addHeader(at);
    else if (column.type !== "string") this.#endTypedCell(column, at);
    else if (column.prefix) this.#sink.append(this.#opened ? TEXT_END : NULL);
    this.#column++;
    if (byte === this.#delimiter) this.#state = CELL;
    else this.#endRecord(at);
  }

  #addHeader(at: number): void {
    if (this.#header.length === COLUMNS_MAX) throw this.#refuse(`found more than ${COLUMNS_MAX} columns`, at);
    this.#header.push(this.#cellText());
  }

  #endTypedCell(column: Column, at: number): void {
    if (column.type === "number" && isPlainInteger(this.#cell, this.#cellLength)) {
      if (column.prefix) this.#sink.append(this.#cell, 0, this.#cellLength);
      return;
    }
    const text = this.#cellText();
    const json = cellJson(column.type, text);
    if (json === undefined) {
      const shown = JSON.stringify(text.slice(0, 100));
      throw this.#refuse(`found ${shown} in column \`${column.name}\` where a ${column.type} should be`, at);
    }
    if (column.prefix) this.#sink.append(Buffer.from(json));
  }

  #endRecord(at: number): void {
    this.#state = RECORD;
    if (!this.#columns) {
      this.#columns = makeColumns(this.#header);
      return;
    }
    if (this.#column < this.#columns.length) {
      throw this.#refuse(`found ${this.#column} of the ${this.#columns.length} cells of the header`, at);
    }
    this.#sink.append(OBJECT_END);
    this.documents++;
  }

  #cellText(): string {
    return Buffer.from(this.#cell.buffer, 0, this.#cellLength).toString("utf8");
  }

  #refuse(problem: string, at: number): TarsierError {
    const record = this.#columns ? `record ${this.documents + 1}` : "header record";
    return malformed("csv", `${record}, byte offset ${this.#offset + at}`, problem);
  }
}

const TEXT_END = Buffer.from('"');
const NULL = Buffer.from("null");
const OBJECT_END = Buffer.from("}\n");

/**
 * For bytes that JSON escapes with a backslash and one letter, that letter; 0x20 for the longer `\\u001f`.
 */
const ESCAPE_LETTERS = new Uint8Array(256);
for (let byte = 0; byte < 0x20; byte++) ESCAPE_LETTERS[byte] = 0x20;
for (const [byte, letter] of ["\bb", "\ff", "\nn", "\rr", "\tt", '""', "\\\\"]) {
  ESCAPE_LETTERS[byte.charCodeAt(0)] = letter.charCodeAt(0);
}

/** Writes the escape of a byte at `at` and returns where it ends. */
function writeEscape(byte: number, out: Uint8Array, at: number): number {
  out[at] = 0x5c;
  out[at + 1] = ESCAPE_LETTERS[byte];
  if (ESCAPE_LETTERS[byte] !== 0x20) return at + 2;
  const hexadecimal = byte.toString(16).padStart(2, "0");
  out.set(Buffer.from(`u00${hexadecimal}`), at + 1);
  return at + 6;
}

function byteClasses(stops: readonly number[]): Uint8Array {
  const classes = new Uint8Array(256);
  for (let byte = 0; byte < 256; byte++) if (ESCAPE_LETTERS[byte] > 0) classes[byte] = ESCAPE;
  for (const byte of stops) classes[byte] = STOP;
  return classes;
}

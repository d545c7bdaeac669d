// Reads words, quoted values and keywords of a filter expression, keeping track of its place there. Called by
// parse.ts, geoparse.ts and vectorparse.ts.
import type { ErrorCode, TarsierError } from "../../errors.ts";
import type { Token } from "./expression.ts";
import { filterError } from "./failures.ts";

const RESERVED = new Set(
  "AND OR IN NOT TO EXISTS IS NULL EMPTY CONTAINS STARTS WITH _geoRadius _geoBoundingBox".split(" "),
);
/**
 * Names reserved for functions and computed fields: as the beginning of a word, or (below) as a whole word.
 */
const GEO_FUNCTIONS = ["_geoDistance", "_geoPoint"];
const GEO_FIELD = "_geo";
const WORD = /[\p{Alphabetic}\p{N}_.-]+/uy;
const SPACE = /[\s\u0085]*/y;
const SIMPLE_ESCAPES: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }),
  ...Array.from("\\/\"'", (letter) => [letter, letter] as const),
]);
const OTHER_ESCAPE = /\\(?:x([0-9a-fA-F]{2})|u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|([0-7]{1,3})|(.))/suy;

/** Most names and values in all expressions of a filter: reading this many takes about a second. */
const VALUES_MAX = 500_000;

/** The number of names and values in a filter so far. */
export interface ValueCount {
  values: number;
}

export class Lexer {
  readonly source: string;
  readonly #code: ErrorCode;
  readonly #count: ValueCount;
  at = 0;

  constructor(source: string, code: ErrorCode, count: ValueCount = { values: 0 }) {
    this.source = source;
    this.#code = code;
    this.#count = count;
  }

  get rest(): string {
    return this.source.slice(this.at);
  }

  get ended(): boolean {
    this.skipSpace();
    return this.at === this.source.length;
  }

  skipSpace(): void {
    SPACE.lastIndex = this.at;
    SPACE.exec(this.source);
    this.at = SPACE.lastIndex;
  }

  /** Takes a symbol, after any white space, if it stands here. */
  takeSymbol(symbol: string): boolean {
    this.skipSpace();
    if (!this.source.startsWith(symbol, this.at)) return false;
    this.at += symbol.length;
    return true;
  }

  /** Takes a whole word, after any white space, if it stands here. */
  takeKeyword(keyword: string): boolean {
    this.skipSpace();
    if (!this.source.startsWith(keyword, this.at)) return false;
    const end = this.at + keyword.length;
    if (this.#wordAt(end) !== "") return false;
    this.at = end;
    return true;
  }

  /** The word at this place, which is not taken; empty when there is none. */
  peekWord(): string {
    this.skipSpace();
    return this.#wordAt(this.at);
  }

  /** @throws TarsierError when no name or value stands here */
  value(): Token {
    this.skipSpace();
    const from = this.at;
    if (++this.#count.values > VALUES_MAX)
      throw this.error(`A filter may have ${VALUES_MAX} names and values at most.`, from, from);
    const quote = this.source[from];
    if (quote === "'" || quote === '"') return this.#quoted(quote);
    const text = this.#wordAt(from);
    if (text === "") {
      const found = this.ended ? "nothing" : `\`${this.rest}\``;
      throw this.error(`Was expecting a value but instead got ${found}.`, from);
    }
    this.at += text.length;
    if (RESERVED.has(text)) {
      const isGeo = text.startsWith("_geo");
      const what = isGeo
        ? "is an operation and no value"
        : "is a reserved keyword: put it in quotes to use it as a value";
      throw this.error(`\`${text}\` ${what}.`, from, this.at);
    }
    if (text === GEO_FIELD || GEO_FUNCTIONS.some((name) => text.startsWith(name))) {
      const hint = "use the `_geoRadius(latitude, longitude, distance)` or `_geoBoundingBox` filter";
      throw this.error(
        `\`${text}\` is a reserved keyword and thus can't be used as a filter expression: ${hint}.`,
        from,
      );
    }
    return { text, from, to: this.at, source: this.source };
  }

  error(diagnosis: string, from = this.at, to = this.source.length): TarsierError {
    return filterError(this.#code, diagnosis, { from, to, source: this.source });
  }

  /** Takes the match of a sticky expression, after any white space; empty when there is none. */
  takeMatch(expression: RegExp): string {
    this.skipSpace();
    expression.lastIndex = this.at;
    const text = expression.exec(this.source)?.[0] ?? "";
    this.at += text.length;
    return text;
  }

  #wordAt(at: number): string {
    WORD.lastIndex = at;
    return WORD.exec(this.source)?.[0] ?? "";
  }

  #quoted(quote: string): Token {
    const from = this.at;
    let end = from + 1;
    while (end < this.source.length && this.source[end] !== quote) end += this.source[end] === "\\" ? 2 : 1;
    if (end >= this.source.length) {
      throw this.error(`The quote ${quote} is opened and never closed.`, from);
    }
    this.at = end + 1;
    const text = this.#unescaped(this.source.slice(from + 1, end), from);
    return { text, from, to: this.at, source: this.source };
  }

  #unescaped(raw: string, from: number): string {
    const parts: string[] = [];
    let at = 0;
    for (let place = raw.indexOf("\\"); place >= 0; place = raw.indexOf("\\", at)) {
      const simple = SIMPLE_ESCAPES.get(raw[place + 1]);
      const { length, character } =
        simple === undefined ? this.#numbered(raw, place, from) : { length: 2, character: simple };
      parts.push(raw.slice(at, place), character);
      at = place + length;
    }
    return parts.length === 0 ? raw : parts.join("") + raw.slice(at);
  }

  /** An escape that gives its character by number. */
  #numbered(raw: string, at: number, from: number): { length: number; character: string } {
    OTHER_ESCAPE.lastIndex = at;
    const [all, hex, braced, unicode, octal, other] = OTHER_ESCAPE.exec(raw)!;
    const digits = hex ?? braced ?? unicode;
    const code = digits === undefined ? Number.parseInt(octal ?? "0", 8) : Number.parseInt(digits, 16);
    if (other === undefined && code <= 0x10ffff)
      return { length: all.length, character: String.fromCodePoint(code) };
    const what = other === "x" || other === "u" || other === undefined ? "Invalid number in" : "Unknown";
    throw this.error(`${what} escape sequence \`${all}\`.`, from, this.at);
  }
}

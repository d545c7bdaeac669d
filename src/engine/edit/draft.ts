// The source of an edit function while it is being rewritten: its tokens without blanks and comments, by
// number, and the texts that will replace them, or stand before or after them. Called by habits.ts,
// forms.ts and sums.ts.
import { beginsValue, isMark, type Token, tokensOf } from "./tokens.ts";

/** Words after which no operator can stand, besides those that a value follows (tokens.ts). */
const OPENING_WORDS = new Set([
  "if",
  "while",
  "until",
  "for",
  "do",
  "await",
  "yield",
  "instanceof",
  "let",
  "const",
  "var",
  "function",
  "fn",
  "class",
  "async",
  "loop",
  "switch",
]);
const OPEN = "([{";
const CLOSE = ")]}";

/** Operators that bind tighter than `in`; below, those that bind tighter than `==`. */
export const SUMS: ReadonlySet<string> = new Set(["+", "-", "*", "/", "%"]);
export const COMPARISONS: ReadonlySet<string> = new Set([...SUMS, "<", ">", "<=", ">=", "in", "instanceof"]);

export class Draft {
  readonly code: readonly Token[];
  /** Opening bracket -> its closing one. Other tokens, and brackets that are not closed, have no entry. */
  readonly closing = new Map<number, number>();
  /** For each token, the bracket that it stands in. */
  readonly #around: number[] = [];
  readonly #tokens: readonly Token[];
  /** Places of the code's tokens among all tokens. */
  readonly #places: number[];
  readonly #texts: string[];
  readonly #before: string[] = [];
  readonly #after: string[] = [];

  constructor(source: string) {
    this.#tokens = tokensOf(source);
    this.#places = this.#tokens.flatMap(({ kind }, place) => (kind === "blank" ? [] : [place]));
    this.code = this.#places.map((place) => this.#tokens[place]);
    this.#texts = this.code.map(({ text }) => text);
    const open: number[] = [];
    this.code.forEach(({ kind, text }, index) => {
      const isBracket = kind === "mark" && text.length === 1;
      const kindOfClose = isBracket ? CLOSE.indexOf(text) : -1;
      const last = open[open.length - 1];
      if (kindOfClose >= 0 && last !== undefined && this.code[last].text === OPEN[kindOfClose])
        this.closing.set(open.pop()!, index);
      this.#around[index] = open[open.length - 1] ?? -1;
      if (isBracket && OPEN.includes(text)) open.push(index);
    });
  }

  put(index: number, text: string): void {
    this.#texts[index] = text;
  }

  /** Of several texts before a token, the outermost is given first. */
  before(index: number, text: string): void {
    this.#before[index] = (this.#before[index] ?? "") + text;
  }

  after(index: number, text: string): void {
    this.#after[index] = text + (this.#after[index] ?? "");
  }

  /** Tokens as rewritten so far, without what stands before the first. */
  textOf(from: number, end: number): string {
    let text = this.#texts[from] + (this.#after[from] ?? "");
    for (let index = from + 1; index < end; index++) text += this.#textAt(index);
    return text;
  }

  toString(): string {
    const texts = this.#tokens.map(({ text }) => text);
    this.#places.forEach((place, index) => {
      texts[place] = this.#textAt(index);
    });
    return texts.join("");
  }

  isMark(index: number, text: string): boolean {
    return isMark(this.code[index], text);
  }

  /** The word at this token, unless it is the name of a member. */
  word(index: number): string | null {
    const token = this.code[index];
    return token?.kind === "word" && !isMark(this.code[index - 1], ".") ? token.text : null;
  }

  around(index: number): number {
    return this.#around[index];
  }

  /** Is it the brace of a map `#{`? */
  isMap(index: number): boolean {
    return this.isMark(index, "{") && this.isMark(index - 1, "#");
  }

  /** The first token after the bracket that opens here; after this token, if none does. */
  behind(index: number): number {
    return (this.closing.get(index) ?? index) + 1;
  }

  isBelowNewline(index: number): boolean {
    const from = this.#places[index - 1] ?? -1;
    return this.#tokens.slice(from + 1, this.#places[index]).some(({ text }) => text.includes("\n"));
  }

  /** Does a value end with this token? */
  endsValue(index: number): boolean {
    const token = this.code[index];
    if (token === undefined || (this.word(index) !== null && OPENING_WORDS.has(token.text))) return false;
    return !beginsValue(token);
  }

  /** Does a statement end before this token? */
  endsStatement(index: number): boolean {
    const token = this.code[index];
    if (token === undefined || this.isMark(index, ";") || this.isMark(index, "}")) return true;
    const isOperator = token.text === "in" || token.text === "instanceof";
    return token.kind === "word" && !isOperator && this.isBelowNewline(index);
  }

  /**
   * The token after the operand that begins here and may contain the given operators; null when its form is
   * not known.
   */
  operandEnd(start: number, operators: ReadonlySet<string>): number | null {
    for (let index = start; ; ) {
      while (/^([!\-+~]|typeof|void|new)$/.test(this.code[index]?.text ?? "")) index++;
      const end = this.#memberEnd(index);
      if (end === null) return null;
      const next = this.code[end];
      if (next === undefined || next.kind === "text" || !operators.has(next.text)) return end;
      // Shifts and other operators made of two equal signs are left alone, except `**`.
      index = end + 1;
      if (this.isMark(index, next.text)) {
        if (next.text !== "*") return null;
        index++;
      }
    }
  }

  #memberEnd(start: number): number | null {
    const token = this.code[start];
    if (token === undefined) return null;
    let index = start + 1;
    if (token.kind === "mark") {
      const opening = token.text === "#" ? start + 1 : start;
      if (!this.closing.has(opening)) return null;
      index = this.behind(opening);
    } else if (token.kind === "word" && !this.endsValue(start)) return null;
    for (;;) {
      const dot = this.isMark(index, "?") && this.isMark(index + 1, ".") ? index + 1 : index;
      const name = this.isMark(dot + 1, "#") ? dot + 2 : dot + 1;
      if (this.isMark(dot, ".") && this.code[name]?.kind === "word") index = name + 1;
      else {
        const opening = dot > index ? dot + 1 : index;
        const isCall = this.isMark(opening, "(") || this.isMark(opening, "[");
        if (isCall && this.closing.has(opening)) index = this.behind(opening);
        else if (this.code[index]?.kind === "template") index++;
        else return index;
      }
    }
  }

  #textAt(index: number): string {
    return (this.#before[index] ?? "") + this.#texts[index] + (this.#after[index] ?? "");
  }
}

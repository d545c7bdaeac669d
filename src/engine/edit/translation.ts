// Edit functions are JavaScript. Functions that were written for other servers are in Rhai, which differs in
// small things; these are rewritten here, token by token, before the sandbox compiles the source
// (editfunction.ts):
//
//   #{a: 1}         {a: 1}             doc = ()             doc = null
//   text.len()      text["len()"]()    if a > 1 {           if (a > 1) {
//   doc.remove(a)   doc["remove()"](a) for x in list {      for (let x of list) {
//   7.to_string()   7 .to_string()
//
// Anything that takes more than a look at the neighbouring tokens is rewritten before (habits.ts). The
// methods to_upper(), contains() and so on are defined in the sandbox (methods.ts).
import {
  beginsValue,
  CONDITION_TOKENS_MAX,
  isMark,
  TEMPLATE_LEVELS_MAX,
  type Token,
  tokensOf,
  withExpressions,
} from "./tokens.ts";

/**
 * Called under names that no field has, such as `len()`: documents may have fields named like the methods.
 */
const OWN_METHODS = new Set(["len", "remove"]);

/** `source` with the above rewritten; strings, comments and regular expressions stay as they are. */
export function translated(source: string, templateLevel = 0): string {
  return new Translation(source, templateLevel).run();
}

class Translation {
  readonly #tokens: readonly Token[];
  /** What each of them becomes. */
  readonly #texts: string[];
  /** Places of those that are neither white space nor comments. */
  readonly #places: readonly number[];
  readonly #code: Token[];
  readonly #templateLevel: number;

  constructor(source: string, templateLevel: number) {
    const tokens = tokensOf(source);
    this.#tokens = tokens;
    this.#texts = tokens.map(({ text }) => text);
    this.#places = tokens.flatMap(({ kind }, place) => (kind === "blank" ? [] : [place]));
    this.#code = this.#places.map((place) => tokens[place]);
    this.#templateLevel = templateLevel;
  }

  run(): string {
    for (const [index, { kind, text }] of this.#code.entries()) {
      if (kind === "template") this.#rewriteTemplate(index);
      else if (kind === "text") this.#setOffNumber(index);
      else if (kind === "word") this.#rewriteCondition(index);
      else if (text === "#" && this.#isMark(index + 1, "{")) this.#put(index, "");
      else if (text === "(" && this.#isMark(index + 1, ")")) this.#rewriteUnit(index);
      else this.#rewriteOwnMethod(index);
    }
    return this.#texts.join("");
  }

  #rewriteTemplate(index: number): void {
    if (this.#templateLevel >= TEMPLATE_LEVELS_MAX) return;
    const inner = (expression: string) => translated(expression, this.#templateLevel + 1);
    this.#put(index, withExpressions(this.#code[index].text, inner));
  }

  /** In JavaScript, a dot behind a whole number would be part of it. */
  #setOffNumber(index: number): void {
    const { text } = this.#code[index];
    if (/^[\d_]+$/.test(text) && this.#isMark(index + 1, ".")) this.#put(index, `${text} `);
  }

  #rewriteUnit(index: number): void {
    const isBelowNewline = this.#tokens[this.#places[index] - 1]?.text.includes("\n") ?? false;
    if (!isUnit(this.#code[index - 1], this.#code[index + 2], isBelowNewline)) return;
    this.#put(index, "null");
    this.#put(index + 1, "");
  }

  #rewriteOwnMethod(index: number): void {
    const method = this.#code[index + 1]?.text ?? "";
    if (!isCallOf(this.#code[index - 1], this.#code[index]) || !OWN_METHODS.has(method)) return;
    if (this.#code[index + 2]?.text !== "(") return;
    this.#put(index, this.#isMark(index - 1, "?") ? "." : "");
    this.#put(index + 1, `["${method}()"]`);
  }

  /** Puts parentheses around the condition of `if` and `while`, and the head of `for`. */
  #rewriteCondition(index: number): void {
    if (this.#isMark(index - 1, ".")) return;
    const { text } = this.#code[index];
    const hasLoopHead = this.#code[index + 1]?.kind === "word" && this.#code[index + 2]?.text === "in";
    const isLoop = text === "for" && hasLoopHead;
    if (!isLoop && text !== "if" && text !== "while") return;
    const end = conditionEnd(this.#code, index + (isLoop ? 3 : 1));
    if (end === null) return;
    this.#put(index, `${text} (${isLoop ? "let" : ""}`);
    if (isLoop) this.#put(index + 2, "of");
    this.#put(end, `) ${this.#texts[this.#places[end]]}`);
  }

  #isMark(index: number, text: string): boolean {
    return isMark(this.#code[index], text);
  }

  #put(index: number, text: string): void {
    this.#texts[this.#places[index]] = text;
  }
}

/** Is this the dot before the name of a method? Methods called through `super` keep their names. */
function isCallOf(before: Token | undefined, dot: Token | undefined): boolean {
  return isMark(dot, ".") && !isMark(before, ".") && before?.text !== "super";
}

/** Is `()` a value, and neither a call, as in `function () { }()`, nor the parameters of a function? */
function isUnit(before: Token | undefined, after: Token | undefined, isBelowNewline: boolean): boolean {
  if (isMark(after, "=>") || isMark(before, "*")) return false;
  return beginsValue(before) && (isBelowNewline || !isMark(before, "}"));
}

/**
 * Where the block begins that follows a condition without parentheses around it. Null when there is none, or
 * when the condition stands in parentheses: behind a leading pair of them, a bare condition goes on only with
 * an operator.
 */
function conditionEnd(code: Token[], start: number): number | null {
  let depth = 0;
  for (let index = start; index < Math.min(code.length, start + CONDITION_TOKENS_MAX); index++) {
    const token = code[index];
    if (token.kind !== "mark") continue;
    if (depth === 0 && token.text === "{" && !isMark(code[index - 1], "#"))
      return index > start ? index : null;
    if (depth === 0 && token.text === ";") return null;
    if ("([{".includes(token.text)) depth++;
    if (")]}".includes(token.text) && --depth < 0) return null;
    const closes = depth === 0 && token.text === ")" && isGroup(code, start, index);
    if (closes && !isOperator(code[index + 1]) && !isRenamedCall(code, index + 1)) return null;
  }
  return null;
}

/** Does the parenthesis that closes at `end` open the condition? */
function isGroup(code: Token[], start: number, end: number): boolean {
  if (!isMark(code[start], "(")) return false;
  let depth = 0;
  for (let index = start; index < end; index++) {
    if (isMark(code[index], "(")) depth++;
    if (isMark(code[index], ")") && --depth === 0) return false;
  }
  return true;
}

const OPERATORS = new Set([
  "==",
  "===",
  "!=",
  "!==",
  "<",
  ">",
  "<=",
  ">=",
  "&&",
  "||",
  "??",
  "*",
  "%",
  ".",
  "?",
]);

/** Is it a method's call that habits.ts has rewritten? */
function isRenamedCall(code: Token[], index: number): boolean {
  return isMark(code[index], "[") && /^"\w+\(\)"$/.test(code[index + 1]?.text ?? "");
}

function isOperator(token: Token | undefined): boolean {
  return token?.kind === "mark" && OPERATORS.has(token.text);
}

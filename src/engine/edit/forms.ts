// Rewrites forms of Rhai that JavaScript does not have, so that no valid JavaScript is mistaken for them:
//
//   fn f(x) { x + 1 }          function f(x) { return x + 1 }
//   |x| x > 1                  $closure((x) => x > 1)
//   || this > 1                $closure(($this) => $this > 1)
//   loop {                     while (true) {
//   do { } while x             do { } while (x)
//   for x in 0..5 {            for x in $range(0, (5)) {
//   for x in list {            for x in $each(list) {
//   for (x, i) in list {       for (let [x, i] of $counted(list)) {
//   a = if b { 1 } else { 2 }  a = (() => { if b { return 1 } else { return 2 } return null; })()
//
// translation.ts rewrites the rest of Rhai. Called by habits.ts.
import type { Draft } from "./draft.ts";
import { CONDITION_TOKENS_MAX } from "./tokens.ts";

const BLOCK_WORDS = new Set(["if", "for", "while", "loop", "do", "switch", "fn", "function", "try"]);
/** Words that begin a statement without a value. */
const PLAIN_WORDS = new Set([
  "let",
  "const",
  "var",
  "return",
  "for",
  "while",
  "loop",
  "do",
  "throw",
  "break",
  "continue",
  "try",
  "fn",
  "function",
  "class",
  "import",
  "export",
]);
/**
 * After these marks an `if` must be a value: no statement can begin there, as one can after `++` and a new
 * line.
 */
const VALUE_MARKS = new Set([
  "=",
  "(",
  ",",
  "[",
  "=>",
  "*",
  "%",
  "<",
  ">",
  "<=",
  ">=",
  "==",
  "!=",
  "&&",
  "||",
  "??",
  "?",
  "!",
  "|",
]);
const CLOSURE_MARKS = new Set(["(", ",", "=", "[", "=>", ":"]);

/** What a closure does with `this`; below, the parameters that it takes for it. */
type UseOfThis = "none" | "reads" | "sets";
const PARAMETERS_OF_THIS: Readonly<Record<UseOfThis, string>> = {
  none: "",
  reads: "$this",
  sets: "$this, $at, $list",
};

/**
 * Returns a function that rewrites the form that begins at a token; to be called for each token in turn.
 * `isValue`: the source is one value.
 */
export function rewriteForms(draft: Draft, isValue: boolean): (index: number) => void {
  const forms = new Forms(draft);
  if (isValue) forms.give(0);
  return (index) => forms.rewrite(index);
}

class Forms {
  readonly #draft: Draft;
  /** How many times `return` stands before each token. */
  readonly #returns: number[] = [];
  /** Tokens at which something begins whose value is returned. */
  readonly #given = new Set<number>();

  constructor(draft: Draft) {
    this.#draft = draft;
    let returns = 0;
    draft.code.forEach((_, index) => {
      this.#returns.push(returns);
      if (draft.word(index) === "return") returns++;
    });
  }

  give(index: number): void {
    this.#given.add(index);
  }

  rewrite(index: number): void {
    const draft = this.#draft;
    if (draft.isMark(index, "|") || draft.isMark(index, "||")) this.#closure(index);
    const word = draft.isMark(index + 1, ":") ? null : draft.word(index);
    if (word === "fn") this.#function(index);
    else if (word === "loop" && draft.isMark(index + 1, "{")) draft.put(index, "while (true)");
    else if (word === "do") this.#doLoop(index);
    else if (word === "for") this.#forLoop(index);
    else if (word === "if" && this.#isValue(index)) this.#ifValue(index);
  }

  #function(index: number): void {
    const draft = this.#draft;
    const block = draft.behind(index + 2);
    if (draft.word(index + 1) === null || draft.isBelowNewline(index + 1)) return;
    if (!draft.isMark(index + 2, "(") || !draft.isMark(block, "{")) return;
    draft.put(index, "function");
    this.#giveLast(block);
  }

  #closure(index: number): void {
    const draft = this.#draft;
    const isBare = draft.isMark(index, "||");
    const last = draft.code[index - 1];
    const isOpen = last === undefined || (last.kind === "mark" && CLOSURE_MARKS.has(last.text));
    if (!isOpen && !this.#isReturned(index)) return;
    let end = index;
    if (!isBare) {
      end++;
      while (draft.word(end) !== null && draft.isMark(end + 1, ",")) end += 2;
      if (draft.word(end) !== null) end++;
      if (!draft.isMark(end, "|")) return;
    }
    const behind = this.#bodyEnd(end + 1);
    if (behind === null) return;
    const isBlock = draft.isMark(end + 1, "{");
    const use = isBare ? this.#renameThis(end + 1, behind) : "none";
    draft.put(index, "$closure((");
    draft.put(end, isBare ? `$closure((${PARAMETERS_OF_THIS[use]}) =>` : ") =>");
    draft.after(behind - 1, ")");
    if (use === "sets") {
      draft.before(end + 1, isBlock ? "{ try " : "{ try { return (");
      draft.after(behind - 1, `${isBlock ? "" : "); }"} finally { if ($list) $list[$at] = $this; } }`);
    }
    if (isBlock) this.#giveLast(end + 1);
    else if (draft.isMap(end + 2) && draft.closing.has(end + 2)) {
      draft.before(end + 1, "(");
      draft.after(draft.closing.get(end + 2)!, ")");
    }
  }

  /** There, a closure without parameters is given the item as `this`, which it may set in the list. */
  #renameThis(start: number, end: number): UseOfThis {
    const draft = this.#draft;
    let use: UseOfThis = "none";
    for (let index = start; index < end; index++) {
      if (draft.word(index) !== "this") continue;
      const sign = /^[-+*/%]$/.test(draft.code[index + 1]?.text) ? index + 2 : index + 1;
      if (draft.isMark(sign, "=")) use = "sets";
      else if (use === "none") use = "reads";
      draft.put(index, "$this");
    }
    return use;
  }

  /** The token after the body of a closure. */
  #bodyEnd(start: number): number | null {
    const draft = this.#draft;
    if (draft.isMark(start, "{")) return draft.closing.has(start) ? draft.behind(start) : null;
    const bound = Math.min(draft.code.length, start + CONDITION_TOKENS_MAX);
    for (let index = start; ; index = draft.behind(index)) {
      const isEnd = draft.code[index] === undefined || /^[,;)\]}]$/.test(draft.code[index].text);
      if (isEnd || index >= bound) return isEnd && index > start ? index : null;
    }
  }

  #doLoop(index: number): void {
    const draft = this.#draft;
    if (!draft.isMark(index + 1, "{") || !draft.closing.has(index + 1)) return;
    const word = draft.behind(index + 1);
    const isUntil = draft.word(word) === "until";
    if (!isUntil && draft.word(word) !== "while") return;
    let end = word + 1;
    while (end < draft.code.length && !draft.isMark(end, ";") && !draft.isMark(end, "}"))
      end = draft.behind(end);
    if (end === word + 1 || (!isUntil && draft.isMark(word + 1, "("))) return;
    if (isUntil) draft.put(word, "while");
    draft.before(word + 1, isUntil ? "(!(" : "(");
    draft.after(end - 1, isUntil ? "))" : ")");
  }

  #forLoop(index: number): void {
    const draft = this.#draft;
    const isCounted = draft.isMark(index + 1, "(") && draft.word(index + 6) === "in";
    if (isCounted && draft.isMark(index + 3, ",") && draft.isMark(index + 5, ")")) {
      const block = this.#blockBehind(index + 7);
      if (block === null) return;
      draft.put(index + 1, "(let [");
      draft.put(index + 5, "]");
      draft.put(index + 6, "of $counted(");
      this.#range(index + 7, block);
      draft.after(block - 1, "))");
    } else if (draft.word(index + 2) === "in" && draft.word(index + 1) !== null) {
      const block = this.#blockBehind(index + 3);
      if (block === null || this.#range(index + 3, block)) return;
      // The loop goes over the list as it was, whatever is done to it meanwhile.
      draft.before(index + 3, "$each(");
      draft.after(block - 1, ")");
    }
  }

  /** `a..b` or `a..=b` as a call; false when it is none. */
  #range(first: number, behind: number): boolean {
    const draft = this.#draft;
    let [start, end] = [first, behind];
    for (; draft.isMark(start, "(") && draft.behind(start) === end; end--) {
      draft.put(start++, "");
      draft.put(end - 1, "");
    }
    for (let index = start; index < end; index = draft.behind(index)) {
      const { kind, text } = draft.code[index];
      const isNumber = kind === "text" && /^\d+\.\./.test(text);
      const next = draft.code[index + 1];
      const isMarks = draft.isMark(index, ".") && next !== undefined && /^\.(?!\.)/.test(next.text);
      if (!isNumber && !isMarks) continue;
      const dots = isMarks && next.kind === "mark" ? index + 1 : index;
      const isWhole = draft.isMark(dots + 1, "=");
      const comma = isWhole ? ", 1 + (" : ", (";
      if (isNumber) draft.put(index, text.replace("..", comma));
      else {
        draft.put(index, comma);
        draft.put(index + 1, next.text.slice(1));
      }
      if (isWhole) draft.put(dots + 1, "");
      draft.before(start, "$range(");
      draft.after(end - 1, "))");
      return true;
    }
    return false;
  }

  #isValue(index: number): boolean {
    const draft = this.#draft;
    const last = draft.code[index - 1];
    if (this.#given.has(index) || this.#isReturned(index)) return true;
    if (last?.kind !== "mark") return false;
    if (last.text === "+") return !draft.isMark(index - 2, "+");
    return VALUE_MARKS.has(last.text) || (last.text === ":" && draft.isMap(draft.around(index)));
  }

  /** Would a `return` inside leave the function made from a value instead of the function around it? */
  #leaves(start: number, end: number): boolean {
    return !this.#given.has(start) && this.#returns[end] > this.#returns[start];
  }

  #isReturned(index: number): boolean {
    return this.#draft.word(index - 1) === "return" && !this.#draft.isBelowNewline(index);
  }

  #ifValue(index: number): void {
    const blocks = this.#chain(index);
    if (blocks === null) return;
    const end = this.#draft.closing.get(blocks[blocks.length - 1])!;
    if (this.#leaves(index, end)) return;
    this.#draft.before(index, "(() => { ");
    this.#draft.after(end, " return null; })()");
    for (const block of blocks) this.#giveLast(block);
  }

  /** The blocks of an `if` and its `else`. */
  #chain(start: number): number[] | null {
    const draft = this.#draft;
    const blocks: number[] = [];
    for (let index = start; ; ) {
      const isIf = draft.word(index) === "if";
      const block = isIf ? this.#blockBehind(index + 1) : index;
      if (block === null || !draft.isMark(block, "{") || !draft.closing.has(block)) return null;
      blocks.push(block);
      index = draft.behind(block);
      if (!isIf || draft.word(index) !== "else") return blocks;
      index++;
    }
  }

  /** The block after a condition. */
  #blockBehind(start: number): number | null {
    const draft = this.#draft;
    const bound = Math.min(draft.code.length, start + CONDITION_TOKENS_MAX);
    for (let index = start; index < bound; index = draft.behind(index)) {
      const { kind, text } = draft.code[index];
      if (kind !== "mark") continue;
      if (text === ";" || text === "}" || text === ")" || text === "]") return null;
      if (text === "{" && !draft.isMap(index)) return index > start ? index : null;
    }
    return null;
  }

  /** Makes the block return the value of its last statement, whether a semicolon follows it or not. */
  #giveLast(block: number): void {
    const draft = this.#draft;
    const end = draft.closing.get(block);
    if (end === undefined) return;
    let start = block + 1;
    let last = -1;
    for (let index = start; index < end; ) {
      const next = draft.behind(index);
      const word = draft.word(start) ?? "";
      const isBlock = draft.isMark(index, "{") && !draft.isMap(index) && BLOCK_WORDS.has(word);
      const goesOn = /^(else|catch|finally)$/.test(draft.word(next) ?? "") || word === "do";
      if (draft.isMark(index, ";") || (isBlock && !goesOn)) {
        if (start < index) last = start;
        start = next;
      }
      index = next;
    }
    if (start < end) last = start;
    const word = draft.word(last);
    if (last < 0 || draft.isMark(last, "{") || PLAIN_WORDS.has(word ?? "")) return;
    if (word === "if" && this.#chain(last) === null) return;
    draft.before(last, "return ");
    this.give(last);
  }
}

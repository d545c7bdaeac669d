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
  const tokens = tokensOf(source);
  const out: string[] = tokens.map(({ text }) => text);
  const code = tokens.flatMap(({ kind }, place) => (kind === "blank" ? [] : [place]));
  const at = (index: number): Token | undefined => tokens[code[index]];
  const meaningful = code.map((token) => tokens[token]);
  for (let index = 0; index < code.length; index++) {
    const place = code[index];
    const { kind, text } = tokens[place];
    if (kind === "template" && templateLevel < TEMPLATE_LEVELS_MAX)
      out[place] = withExpressions(text, (expression) => translated(expression, templateLevel + 1));
    // In JavaScript, the dot would be that of the number.
    if (kind === "text" && /^[\d_]+$/.test(text) && isMark(at(index + 1), ".")) out[place] += " ";
    if (isMark(at(index), "#") && isMark(at(index + 1), "{")) out[place] = "";
    const isBelowNewline = tokens[place - 1]?.text.includes("\n") ?? false;
    const isEmpty = text === "(" && isMark(at(index + 1), ")");
    if (isEmpty && isUnit(at(index - 1), at(index + 2), isBelowNewline)) {
      out[place] = "null";
      out[code[index + 1]] = "";
    }
    const method = at(index + 1)?.text ?? "";
    if (isCallOf(at(index - 1), at(index)) && OWN_METHODS.has(method) && at(index + 2)?.text === "(") {
      out[place] = isMark(at(index - 1), "?") ? "." : "";
      out[code[index + 1]] = `["${method}()"]`;
    }
    if (kind !== "word" || isMark(at(index - 1), ".")) continue;
    const isLoop = text === "for" && at(index + 1)?.kind === "word" && at(index + 2)?.text === "in";
    if (!isLoop && text !== "if" && text !== "while") continue;
    const end = conditionEnd(meaningful, index + (isLoop ? 3 : 1));
    if (end === null) continue;
    out[place] += isLoop ? " (let" : " (";
    if (isLoop) out[code[index + 2]] = "of";
    out[code[end]] = `) ${out[code[end]]}`;
  }
  return out.join("");
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

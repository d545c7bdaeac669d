// Edit functions are JavaScript. Those who come from elsewhere wrote them in a language that differs in small
// things; what differs is rewritten here, token by token, before the sandbox compiles it (editfunction.ts):
//
//   #{a: 1}         {a: 1}             doc = ()             doc = null
//   text.len()      text["len()"]()    if a > 1 {           if (a > 1) {
//   doc.remove(a)   doc["remove()"](a) for x in list {      for (let x of list) {
//
// The methods to_upper(), contains() and so on are there in the sandbox (prelude.ts).

/** Bounds of what is looked at again and again: the time grows with the source, not with its square. */
const CONDITION_TOKENS_MAX = 1_000;
const REGULAR_EXPRESSION_CHARACTERS_MAX = 1_000;
const TEMPLATE_LEVELS_MAX = 16;

/** Under names that no field has: documents may have fields that are called like the methods. */
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
      out[place] = translatedTemplate(text, templateLevel + 1);
    if (isMark(at(index), "#") && isMark(at(index + 1), "{")) out[place] = "";
    if (text === "(" && isMark(at(index + 1), ")") && isUnit(at(index - 1), at(index + 2))) {
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

interface Token {
  kind: "blank" | "text" | "template" | "word" | "mark";
  text: string;
}

/** What is not closed ends with the source, which then does not compile. */
const PATTERNS: [Token["kind"], RegExp][] = [
  ["blank", /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))+/y],
  ["text", /"(?:[^"\\]|\\[\s\S])*"?|'(?:[^'\\]|\\[\s\S])*'?/y],
  ["text", /\.?\d[\w.]*/y],
  ["word", /[\p{L}\p{M}\p{N}_$]+/uy],
  ["mark", /=>|[=!]==?|<=|>=|&&|\|\||\?\?|[\s\S]/y],
];
const REGULAR_EXPRESSION = /\/(?![*/])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
/** After these a value begins. */
const VALUE_WORDS = new Set([
  "return",
  "else",
  "case",
  "typeof",
  "void",
  "in",
  "of",
  "delete",
  "throw",
  "new",
]);

function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  let last: Token | undefined;
  for (let at = 0; at < source.length; ) {
    const token = tokenAt(source, at, last);
    tokens.push(token);
    if (token.kind !== "blank") last = token;
    at += token.text.length;
  }
  return tokens;
}

function tokenAt(source: string, at: number, last: Token | undefined): Token {
  if (source[at] === "`") return { kind: "template", text: source.slice(at, templateEnd(source, at)) };
  if (source[at] === "/" && beginsValue(last)) {
    const text = match(REGULAR_EXPRESSION, source.slice(at, at + REGULAR_EXPRESSION_CHARACTERS_MAX), 0);
    if (text !== null) return { kind: "text", text };
  }
  for (const [kind, pattern] of PATTERNS) {
    const text = match(pattern, source, at);
    if (text !== null) return { kind, text };
  }
  throw new Error("the last pattern takes any character");
}

function match(pattern: RegExp, source: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0] ?? null;
}

/** Behind the closing backtick; of a template without one, the end of the source. */
function templateEnd(source: string, start: number): number {
  let at = start + 1;
  while (at < source.length && source[at] !== "`") {
    if (source[at] === "\\") at += 2;
    else if (source.startsWith("${", at)) at = expressionEnd(source, at + 2);
    else at++;
  }
  return Math.min(at + 1, source.length);
}

/** Behind the brace that closes the `${` before `start`. */
function expressionEnd(source: string, start: number): number {
  let depth = 1;
  let last: Token | undefined;
  for (let at = start; at < source.length; ) {
    const token = tokenAt(source, at, last);
    at += token.text.length;
    if (token.kind !== "blank") last = token;
    if (isMark(token, "{")) depth++;
    if (isMark(token, "}") && --depth === 0) return at;
  }
  return source.length;
}

/** A template with its expressions translated. */
function translatedTemplate(text: string, level: number): string {
  let out = "";
  for (let at = 0; at < text.length; ) {
    if (text[at] === "\\") {
      out += text.slice(at, at + 2);
      at += 2;
    } else if (text.startsWith("${", at)) {
      const end = expressionEnd(text, at + 2);
      const isClosed = text[end - 1] === "}";
      const expression = text.slice(at + 2, isClosed ? end - 1 : end);
      out += `\${${translated(expression, level)}${isClosed ? "}" : ""}`;
      at = end;
    } else out += text[at++];
  }
  return out;
}

function isMark(token: Token | undefined, text: string): boolean {
  return token?.kind === "mark" && token.text === text;
}

/** May a value stand behind this token? */
function beginsValue(last: Token | undefined): boolean {
  if (last === undefined) return true;
  if (last.kind === "word") return VALUE_WORDS.has(last.text);
  return last.kind === "mark" && last.text !== ")" && last.text !== "]";
}

/** Does the name of a method stand behind this dot? Those of a parent class keep their own. */
function isCallOf(before: Token | undefined, dot: Token | undefined): boolean {
  return isMark(dot, ".") && !isMark(before, ".") && before?.text !== "super";
}

/** Is `()` a value, and neither a call nor the parameters of a function? */
function isUnit(before: Token | undefined, after: Token | undefined): boolean {
  return beginsValue(before) && !isMark(after, "=>");
}

/**
 * Where the block of a condition that stands in no parentheses begins, or null: a condition that begins with
 * one goes on behind it only with an operator.
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
    if (closes && !isOperator(code[index + 1])) return null;
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

function isOperator(token: Token | undefined): boolean {
  return token?.kind === "mark" && OPERATORS.has(token.text);
}

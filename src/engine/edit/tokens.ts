// The tokens of an edit function's source, told apart as far as rewriting needs it. Called by the files that
// rewrite the source: draft.ts, forms.ts, habits.ts and translation.ts.

/**
 * Bounds of what may be scanned again and again, so that the time grows with the source and not with its
 * square.
 */
const REGULAR_EXPRESSION_CHARACTERS_MAX = 1_000;
/** Longest condition. */
export const CONDITION_TOKENS_MAX = 1_000;
/** Depth of nested templates; deeper ones stay as they are. */
export const TEMPLATE_LEVELS_MAX = 16;

export interface Token {
  kind: "blank" | "text" | "template" | "word" | "mark";
  text: string;
}

/** Anything left unclosed reaches to the end of the source, which then does not compile. */
const PATTERNS: [Token["kind"], RegExp][] = [
  ["blank", /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))+/y],
  ["text", /"(?:[^"\\]|\\[\s\S])*"?|'(?:[^'\\]|\\[\s\S])*'?/y],
  // In `5.is_odd()`, the dot is not that of the number.
  ["text", /\d[\d_]*(?:\.\d[\d_]*)?(?=\.[a-z_]{2})/y],
  ["text", /\.?\d[\w.]*/y],
  ["word", /[\p{L}\p{M}\p{N}_$]+/uy],
  ["mark", /=>|[=!]==?|<=|>=|&&|\|\||\?\?|[\s\S]/y],
];
const REGULAR_EXPRESSION = /\/(?![*/])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
/** Words after which a value begins. */
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

export function tokensOf(source: string): Token[] {
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

/** The place after the closing backtick; the end of the source if there is none. */
function templateEnd(source: string, start: number): number {
  let at = start + 1;
  while (at < source.length && source[at] !== "`") {
    if (source[at] === "\\") at += 2;
    else if (source.startsWith("${", at)) at = expressionEnd(source, at + 2);
    else at++;
  }
  return Math.min(at + 1, source.length);
}

/** The place after the brace that closes the `${` before `start`. */
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

/** A template in which each expression is replaced by what `rewrite` returns for it. */
export function withExpressions(text: string, rewrite: (expression: string) => string): string {
  let out = "";
  for (let at = 0; at < text.length; ) {
    if (text[at] === "\\") {
      out += text.slice(at, at + 2);
      at += 2;
    } else if (text.startsWith("${", at)) {
      const end = expressionEnd(text, at + 2);
      const isClosed = text[end - 1] === "}";
      const expression = text.slice(at + 2, isClosed ? end - 1 : end);
      out += `\${${rewrite(expression)}${isClosed ? "}" : ""}`;
      at = end;
    } else out += text[at++];
  }
  return out;
}

export function isMark(token: Token | undefined, text: string): boolean {
  return token?.kind === "mark" && token.text === text;
}

/** May a value stand after this token? */
export function beginsValue(last: Token | undefined): boolean {
  if (last === undefined) return true;
  if (last.kind === "word") return VALUE_WORDS.has(last.text);
  return last.kind === "mark" && last.text !== ")" && last.text !== "]";
}

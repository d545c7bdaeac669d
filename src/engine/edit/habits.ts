// Rewrites uses of lists, maps and texts that mean something else in Rhai than in JavaScript, into calls of
// helpers in the sandbox (helpers.ts). Runs before the rest is rewritten (translation.ts):
//
//   x in list           x instanceof $in(list)     a == b               a == $value(b)
//   x in 0..5           x instanceof $span(0, 5)
//   list[-1]            list[$back(1)]             map.keys()           map["keys()"]()
//   doc.a.trim();       $change(doc.a, ($it) => { doc.a = $it }, "trim");
//   doc.a = doc.b;      doc.a = $copy(doc.b);
//   `${doc.a}`          `${$text((doc.a))}`
//
// The end of an operand is found from its tokens; where it cannot be found, the source stays as it is.
import { COMPARISONS, Draft, SUMS } from "./draft.ts";
import { rewriteForms } from "./forms.ts";
import { rewriteAdditions, rewriteSum } from "./sums.ts";
import { isMark, TEMPLATE_LEVELS_MAX, withExpressions } from "./tokens.ts";

/**
 * Called under names that no field has, such as `keys()`: documents may have fields named like the methods.
 */
const MAP_METHODS = new Set([
  "keys",
  "values",
  "contains",
  "is_empty",
  "clear",
  "mixin",
  "type_of",
  "get",
  "set",
  "fill_with",
  "is_odd",
  "is_even",
  "is_zero",
]);
/** Methods that, used as a statement, change a text in place. */
const CHANGES = new Set([
  "trim",
  "replace",
  "make_upper",
  "make_lower",
  "crop",
  "truncate",
  "pad",
  "clear",
  "remove",
]);
/** Methods that change nothing, and give nothing that can be changed. */
const READING_METHODS = new Set(["contains", "get", "includes", "indexOf", "index_of", "is_empty", "len"]);
/** What is made here. No source in Rhai has such names: one that has them for its own stays as it is. */
const MADE_NAMES = /^\$(add|back|change|closure|copy|counted|each|in|it|range|span|sum|text|this|value)$/;
/** Values that == compares correctly without looking inside: whatever equals them is the same value. */
const CONSTANTS = new Set(["null", "undefined", "true", "false"]);

export function rewritten(source: string, templateLevel = 0): string {
  const draft = new Draft(source);
  const usesMadeName = (index: number) => MADE_NAMES.test(draft.word(index) ?? "");
  if (draft.code.some((_, index) => usesMadeName(index) && !draft.isMark(index + 1, ":"))) return source;
  const loops = loopWords(draft);
  const changes = new Map<number, number>();
  const names = { variables: variables(draft), whole: usedWhole(draft, loops), context: ["context"] };
  const seen = { loops, changes, ...names };
  const forms = rewriteForms(draft, templateLevel > 0);
  for (let index = 0; index < draft.code.length; index++) {
    const { kind, text } = draft.code[index];
    rewriteAdditions(draft, index);
    if (kind === "template" && templateLevel < TEMPLATE_LEVELS_MAX) {
      // The values of a tagged template belong to its tag.
      const [open, close] = draft.endsValue(index - 1) ? ["", ""] : ["$text((", "))"];
      draft.put(
        index,
        withExpressions(text, (expression) => open + rewritten(expression, templateLevel + 1) + close),
      );
    } else if (kind === "word") {
      noteChange(draft, index, seen);
      if (text === "in" && !seen.loops.has(index)) rewriteIn(draft, index);
      forms(index);
    } else if (kind === "mark") {
      if (text === "==" || text === "!=") rewriteEqual(draft, index);
      else if (text === "[") rewriteBack(draft, index);
      else if (text === "+" && seen.changes.has(index)) rewriteSum(draft, seen.changes.get(index)!, index);
      else if (text === ".") rewriteMethod(draft, index, seen.changes.get(index));
      else forms(index);
    }
  }
  return draft.toString();
}

/** The `in` words that belong to loops. */
function loopWords(draft: Draft): Set<number> {
  const words = new Set<number>();
  draft.code.forEach((_, index) => {
    if (draft.word(index) !== "for") return;
    const isBare = !draft.isMark(index + 1, "(") && draft.word(index + 1) !== "await";
    const opening = draft.isMark(index + 1, "(") ? index + 1 : index + 2;
    if (isBare) words.add(index + 2);
    else if (draft.word(draft.behind(opening)) === "in") words.add(draft.behind(opening));
    else {
      const end = draft.closing.get(opening) ?? 0;
      for (let at = opening + 1; at < end && !draft.isMark(at, ";"); at = draft.behind(at)) {
        if (draft.word(at) !== "in") continue;
        words.add(at);
        break;
      }
    }
  });
  return words;
}

/** The names to which another value may be assigned. */
function variables(draft: Draft): Set<string> {
  const names = new Set<string>();
  const constants = new Set<string>();
  draft.code.forEach((_, index) => {
    const word = draft.word(index);
    if (word === "const") constants.add(draft.code[index + 1]?.text);
    else if (word === "let" || word === "for") names.add(draft.code[index + 1]?.text);
    const isCounted = word === "for" && draft.word(index + 6) === "in";
    if (!isCounted && word !== "fn" && !draft.isMark(index, "|")) return;
    const first = index + (isCounted ? 2 : word === "fn" ? 3 : 1);
    for (let at = first; draft.word(at) !== null; at += 2) names.add(draft.code[at].text);
  });
  for (const name of constants) names.delete(name);
  return names;
}

/** The names of variables that are used otherwise than by reading members of them. */
function usedWhole(draft: Draft, loops: ReadonlySet<number>): Set<string> {
  const names = new Set<string>();
  draft.code.forEach((_, index) => {
    const word = draft.word(index);
    if (word === null || draft.word(index - 1) === "let") return;
    if (!readsMember(draft, index, loops)) names.add(word);
  });
  return names;
}

function readsMember(draft: Draft, start: number, loops: ReadonlySet<number>): boolean {
  if (draft.word(start - 1) === "in" && !loops.has(start - 1)) return true;
  let end = start + 1;
  while (draft.isMark(end, ".") || draft.isMark(end, "["))
    end = draft.isMark(end, ".") ? end + 2 : draft.behind(end);
  if (end === start + 1 || draft.word(start - 1) === "delete") return false;
  if (draft.isMark(end, "(")) return READING_METHODS.has(draft.code[end - 1].text);
  const isStepped = ["+", "-"].some((sign) => draft.isMark(end, sign) && draft.isMark(end + 1, sign));
  return !draft.isMark(end, "=") && !draft.isMark(end + 1, "=") && !isStepped;
}

function rewriteIn(draft: Draft, index: number): void {
  const isNot = draft.isMark(index - 1, "!");
  const left = isNot ? index - 2 : index - 1;
  if (draft.isMark(left, ".") || draft.isMark(left - 1, "#")) return;
  if (!draft.endsValue(left) && !draft.isMark(left, "}")) return;
  const span = /^(\d+)\.\.(\d*)$/.exec(draft.code[index + 1]?.text ?? "");
  if (span && !isNot) {
    rewriteSpan(draft, index, span);
    return;
  }
  const end = draft.operandEnd(index + 1, SUMS);
  if (end === null || draft.isMark(end, "<") || draft.isMark(end, ">")) return;
  if (isNot) draft.put(index - 1, "");
  draft.put(index, "instanceof ");
  draft.before(index + 1, `$in(`);
  draft.after(end - 1, isNot ? ", true)" : ")");
}

/** `0..5` or `0..=5`. */
function rewriteSpan(draft: Draft, index: number, [, from, end]: RegExpExecArray): void {
  draft.put(index, "instanceof ");
  if (end !== "") draft.put(index + 1, `$span(${from}, ${end})`);
  else if (draft.isMark(index + 2, "=")) {
    draft.put(index + 1, `$span(${from},`);
    draft.put(index + 2, " 1 + ");
    draft.after(index + 3, ")");
  }
}

function rewriteEqual(draft: Draft, index: number): void {
  const start = index + 1;
  if (draft.isMark(start, "(") && draft.isMark(start + 1, ")")) return;
  const end = draft.operandEnd(start, COMPARISONS);
  if (end === null) return;
  const { kind, text } = draft.code[start];
  if (end === start + 1 && (kind === "text" || CONSTANTS.has(text))) return;
  draft.before(start, "$value(");
  draft.after(end - 1, ")");
}

function rewriteBack(draft: Draft, index: number): void {
  const count = draft.code[index + 2];
  if (!draft.endsValue(index - 1) || !draft.isMark(index + 1, "-") || !draft.isMark(index + 3, "]")) return;
  if (!/^[1-9]\d{0,8}$/.test(count.text)) return;
  draft.put(index + 1, "$back(");
  draft.after(index + 2, ")");
}

/** `start`: where the value begins that the method changes, when the call is a statement. */
function rewriteMethod(draft: Draft, dot: number, start: number | undefined): void {
  const method = draft.code[dot + 1]?.text ?? "";
  if (!draft.isMark(dot + 2, "(") || draft.isMark(dot - 1, ".") || draft.word(dot - 1) === "super") return;
  if (start !== undefined) {
    const given = draft.isMark(dot + 3, ")") ? "" : ", ";
    draft.put(dot, `, ($it) => { ${draft.textOf(start, dot)} = $it }, "`);
    draft.put(dot + 1, `${method}"`);
    draft.put(dot + 2, given);
    draft.before(start, "$change(");
  } else if (MAP_METHODS.has(method)) {
    draft.put(dot, draft.isMark(dot - 1, "?") ? "." : "");
    draft.put(dot + 1, `["${method}()"]`);
  }
}

interface Seen {
  /** The dot of a method, or the sign of a sum -> where its statement begins. */
  changes: Map<number, number>;
  variables: ReadonlySet<string>;
  /** Names whose members are not only read. */
  whole: ReadonlySet<string>;
  /** `context`, and names of parts of it. */
  context: string[];
}

/**
 * When a statement begins here that changes a member or a variable, notes where it is to be rewritten, after
 * what it changes; rewrites copies.
 */
function noteChange(draft: Draft, start: number, { changes, variables, whole, context }: Seen): void {
  if (draft.isMark(start - 1, ":") && draft.isMap(draft.around(start)))
    rewriteCopy(draft, start, ["doc", ...context]);
  if (!beginsStatement(draft, start)) return;
  const word = draft.word(start);
  if (word === "let" && draft.isMark(start + 2, "=") && context.includes(draft.word(start + 3) ?? "")) {
    // A copy for each document of what is only looked up in may take longer than all else.
    if (whole.has(draft.code[start + 1].text)) rewriteCopy(draft, start + 3, context);
    else context.push(draft.code[start + 1].text);
  }
  if (!draft.endsValue(start)) return;
  const index = pathEnd(draft, start);
  if (draft.isMark(index, "=") && word === "doc") rewriteCopy(draft, index + 1, ["doc", ...context]);
  if (draft.isMark(index, "+") && draft.isMark(index + 1, "=")) changes.set(index, start);
  if (!draft.isMark(index, ".") || !CHANGES.has(draft.code[index + 1]?.text ?? "")) return;
  if (index === start + 1 && !variables.has(draft.code[start].text)) return;
  if (draft.closing.has(index + 2) && draft.endsStatement(draft.behind(index + 2))) changes.set(index, start);
}

/** The token after the members of members that begin here. */
function pathEnd(draft: Draft, start: number): number {
  let index = start + 1;
  for (;;) {
    if (draft.isMark(index, "[") && isPlainIndex(draft, index)) index = draft.behind(index);
    else if (draft.isMark(index, ".") && !draft.isMark(index + 2, "(")) index += 2;
    else return index;
  }
}

/** What is a member of a document twice would be one list or map; what is the context's cannot be changed. */
function rewriteCopy(draft: Draft, first: number, roots: readonly string[]): void {
  if (!roots.includes(draft.word(first) ?? "")) return;
  const end = pathEnd(draft, first);
  if (!draft.endsStatement(end) && !draft.isMark(end, ",")) return;
  draft.before(first, "$copy(");
  draft.after(end - 1, ")");
}

function beginsStatement(draft: Draft, start: number): boolean {
  if (start === 0 || draft.endsValue(start - 1)) return true;
  const word = draft.word(start - 1);
  if (word !== null) return word === "else" || word === "do";
  return [";", "{", "}"].some((mark) => draft.isMark(start - 1, mark)) && !draft.isMap(start - 1);
}

/** Is it an index that may be evaluated twice? */
function isPlainIndex(draft: Draft, opening: number): boolean {
  const end = draft.closing.get(opening);
  if (end === undefined) return false;
  const inside = draft.code.slice(opening + 1, end);
  // Two signs of minus are one operator, which changes what it stands at.
  return inside.every(
    ({ kind, text }, place) =>
      kind === "word" || kind === "text" || text === "." || (text === "-" && !isMark(inside[place + 1], "-")),
  );
}

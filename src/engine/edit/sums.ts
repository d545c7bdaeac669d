// Rewrites sums into calls of helpers in the sandbox (helpers.ts): the signs of JavaScript would put the
// words `null` and `undefined` into texts, and know no sums of lists and maps. Called by habits.ts.
//
//   doc.a + " " + doc.b        $add(doc.a, " ", doc.b)
//   doc.list += doc.more;      doc.list = $sum(doc.list, doc.more);
//
// What is added to one number that stands in the source is left alone: counting stays as fast as it is.
import type { Draft } from "./draft.ts";

/** Operators that bind tighter than the sign of a sum. */
const PRODUCTS: ReadonlySet<string> = new Set(["*", "/", "%"]);
/** Behind these an operand goes on, or is one of a sum that began before. */
const SIGNS = new Set(["+", "-", "*", "/", "%", "!", "~", "typeof", "void", "new", "await", "delete"]);

interface Operand {
  start: number;
  end: number;
}

/** The sum that begins at this token, if one does. */
export function rewriteAdditions(draft: Draft, start: number): void {
  if (!beginsSum(draft, start)) return;
  const operands = operandsFrom(draft, start);
  if (operands === null || isCount(draft, operands)) return;
  operands.forEach((operand, place) => {
    if (!isAdded(draft, operand)) return;
    if (!isAdded(draft, operands[place - 1])) draft.before(start, "$add(");
    draft.put(operand.start - 1, ",");
    if (!isAdded(draft, operands[place + 1])) draft.after(operand.end - 1, ")");
  });
}

/** `x += y` from the place where `x` begins to that of the `+`, as a statement. */
export function rewriteSum(draft: Draft, start: number, plus: number): void {
  const first = plus + 2;
  let end = first;
  while (!draft.endsStatement(end)) {
    const text = draft.code[end].kind === "mark" ? draft.code[end].text : "";
    if (text === "," || text === ")" || text === "]") return;
    end = draft.behind(end);
  }
  const isVariable = plus === start + 1;
  if (end === first || (isVariable && isNumber(draft, first, end))) return;
  draft.put(plus, "");
  draft.before(first, `$sum(${draft.textOf(start, plus)}, `);
  draft.after(end - 1, ")");
}

function isAdded(draft: Draft, operand: Operand | undefined): boolean {
  return operand !== undefined && draft.isMark(operand.start - 1, "+");
}

function beginsSum(draft: Draft, start: number): boolean {
  const last = draft.code[start - 1];
  // A brace may be that of a block, and a sign behind one part of a sum.
  if (draft.isMark(start, "{") || (draft.isMark(start - 1, "}") && SIGNS.has(draft.code[start].text)))
    return false;
  if (last === undefined) return true;
  if (last.text === "#") return false;
  if (draft.isMark(start - 1, ".") && !draft.isMark(start - 2, ".")) return false;
  return !SIGNS.has(last.text) && !draft.endsValue(start - 1);
}

/** Null when it is no sum, or one whose form is not known. */
function operandsFrom(draft: Draft, first: number): Operand[] | null {
  const operands: Operand[] = [];
  for (let start = first; ; ) {
    // The end of a range and what stands before it are one token.
    if (draft.code[start] === undefined || /^\d+\.\./.test(draft.code[start].text)) return null;
    const end = draft.operandEnd(start, PRODUCTS);
    if (end === null) return null;
    operands.push({ start, end });
    if (!draft.isMark(end, "+") && !draft.isMark(end, "-")) return operands.length > 1 ? operands : null;
    // Two of them change what stands beside them.
    if (draft.isMark(end + 1, draft.code[end].text)) return null;
    start = end + 1;
  }
}

/** Is a number added to one other value? */
function isCount(draft: Draft, operands: readonly Operand[]): boolean {
  return operands.length === 2 && operands.some(({ start, end }) => isNumber(draft, start, end));
}

function isNumber(draft: Draft, start: number, end: number): boolean {
  return end === start + 1 && draft.code[start].kind === "text" && /^\.?\d/.test(draft.code[start].text);
}

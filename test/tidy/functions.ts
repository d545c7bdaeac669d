// Finds the functions of a file by their braces and measures them: near enough for a limit on their length.
import { codeOf } from "./sources.ts";

export interface FunctionSpan {
  /** Line of its head, counted from 1. */
  line: number;
  lines: number;
}

export function functionsOf(text: string): FunctionSpan[] {
  const code = codeOf(text);
  const spans: FunctionSpan[] = [];
  const open: { start: number; isFunction: boolean; isType: boolean }[] = [];
  // Where the statement in hand starts: its head is judged when a brace opens.
  let headStart = 0;
  for (let at = 0; at < code.length; at++) {
    const character = code[at];
    if (character === "{") {
      const head = code.slice(headStart, at).trim();
      // `(): { a: number } {`: the first brace belongs to the head.
      const isType = /\)\s*:$/.test(head);
      open.push({ start: headStart, isFunction: !isType && isFunctionHead(head), isType });
      headStart = at + 1;
    } else if (character === "}") {
      const block = open.pop();
      if (block?.isFunction) spans.push(spanOf(code, block.start, at));
      headStart = block?.isType ? block.start : at + 1;
    } else if (character === ";") {
      headStart = at + 1;
    }
  }
  return spans;
}

/** Blocks that are no functions, and groups of tests, which only hold functions. */
const CONTROL =
  /^(?:\}?\s*else\s+)?(?:if|for|while|switch|catch|do|try|else|class|interface|type|enum|describe)\b/;
const MODIFIERS = /^(?:(?:export|static|async|get|set|override|private|protected|public)\s+|\*\s*)*/;
/** Behind the modifiers: a name, perhaps type parameters, and parameters in parentheses. */
const METHOD = /^[#\w$]+\s*(?:<[\s\S]*>)?\s*\([\s\S]*\)/;

function isFunctionHead(head: string): boolean {
  if (CONTROL.test(head)) return false;
  return (
    head.endsWith("=>") ||
    /\bfunction\b/.test(head) ||
    (METHOD.test(head.replace(MODIFIERS, "")) && !head.includes("="))
  );
}

function spanOf(code: string, start: number, end: number): FunctionSpan {
  const first = start + (code.slice(start, end).match(/^\s*/)?.[0].length ?? 0);
  const lines = code.slice(first, end).split("\n").length;
  return { line: code.slice(0, first).split("\n").length, lines };
}

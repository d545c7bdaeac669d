// How many bytes of a token of a text belong to the first bytes of its folded form: only the part of a word
// that was typed is a match. Called by textmatches.ts.
import type { Core } from "../../core/core.ts";
import type { Tokenizer } from "../../core/tokenizer.ts";
import type { Text } from "./textmatches.ts";

const SPACE = 0x20;
const DELETE = 0x7f;
/** Characters that tell the script of a token. */
const CONTEXT_CHARACTERS_MAX = 32;
const MARK = /^\p{M}/u;

/** Bytes of a token that make the first `lemmaBytes` of its lemma, with the marks of the last letter. */
export function headBytes(
  core: Core,
  tokenizer: Tokenizer,
  text: Text,
  { start, end }: { start: number; end: number },
  lemmaBytes: number,
): number {
  const from = text.address + start;
  if (start + lemmaBytes < end && isPlain(core.u8, from, lemmaBytes + 1)) return lemmaBytes;
  const token = Buffer.from(core.u8.buffer, from, end - start).toString();
  // Folding depends on the script, of which the first letters alone may say nothing.
  const context = [...token].slice(0, CONTEXT_CHARACTERS_MAX).join("");
  const contextBytes = foldedBytes(tokenizer, context, text.locales);
  let head = "";
  let isWhole = false;
  for (const character of token) {
    // Marks stay with their letter.
    if (isWhole && !MARK.test(character)) break;
    head += character;
    isWhole ||= foldedBytes(tokenizer, context + head, text.locales) - contextBytes >= lemmaBytes;
  }
  return Buffer.byteLength(head);
}

/** True for bytes that are folded one to one: visible ASCII. */
function isPlain(memory: Uint8Array, from: number, length: number): boolean {
  for (let i = from; i < from + length; i++) if (memory[i] <= SPACE || memory[i] >= DELETE) return false;
  return true;
}

function foldedBytes(tokenizer: Tokenizer, text: string, locales: readonly string[] | undefined): number {
  const tokens = tokenizer.tokenize(text, locales);
  return tokens.reduce((sum, { lemma }) => sum + Buffer.byteLength(lemma), 0);
}

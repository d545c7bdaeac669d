// How many bytes of a token in a text correspond to the first bytes of its folded form: only the part of a
// word that was typed is a match. Called by textmatches.ts.
import type { Core } from "../../core/core.ts";
import type { Tokenizer } from "../../core/tokenizer.ts";
import type { Text } from "./coretext.ts";
import type { WordMatch } from "./matchwords.ts";

const SPACE = 0x20;
const DELETE = 0x7f;
const MARK = /^\p{M}/u;
/** Characters of a lemma that suffice to tell its script. */
const SCRIPT_CHARACTERS_MAX = 32;
/** A lemma is cut at 1,024 bytes: further letters do not make it longer. */
const HEAD_CHARACTERS_MAX = 1024;

/**
 * Number of bytes of a token that make up the first `lemmaBytes` of its lemma, including the marks of the
 * last letter.
 */
export function headBytes(
  core: Core,
  tokenizer: Tokenizer,
  text: Text,
  { start, end }: { start: number; end: number },
  { lemma, lemmaBytes }: Pick<WordMatch, "lemma" | "lemmaBytes">,
): number {
  const from = text.address + start;
  if (start + lemmaBytes < end && isPlain(core.u8, from, lemmaBytes + 1)) return lemmaBytes;
  const token = Buffer.from(core.u8.buffer, from, end - start).toString();
  const fold = (part: string) => tokenizer.foldTokens(part, text.locales);
  let head = "";
  let isWhole = false;
  for (const character of token) {
    // Marks stay with their letter.
    if (isWhole && !MARK.test(character)) break;
    if (head.length > HEAD_CHARACTERS_MAX) break;
    head += character;
    isWhole ||= foldedBytes(head, lemma, fold) >= lemmaBytes;
  }
  return Buffer.byteLength(head);
}

/** True for bytes that are folded one to one: visible ASCII. */
function isPlain(memory: Uint8Array, from: number, length: number): boolean {
  for (let i = from; i < from + length; i++) if (memory[i] <= SPACE || memory[i] >= DELETE) return false;
  return true;
}

/**
 * Number of bytes of a lemma that the first characters of its token make up. Folding depends on the script,
 * which these characters alone do not always tell: in that case they are folded after letters of the lemma.
 */
function foldedBytes(head: string, lemma: string, fold: (text: string) => string): number {
  const alone = fold(head);
  if (lemma.startsWith(alone)) return Buffer.byteLength(alone);
  const script = [...lemma].slice(0, SCRIPT_CHARACTERS_MAX).join("");
  return Buffer.byteLength(fold(script + head)) - Buffer.byteLength(fold(script));
}

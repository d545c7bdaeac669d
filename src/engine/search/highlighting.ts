// A text of a document with tags around its matches and markers where it is cropped. Called by formatting.ts.
import { TarsierError } from "../../errors.ts";
import type { SearchQuery } from "../../schemas/search.ts";
import { formatSize } from "../../sizes.ts";
import { cropWindow, type Window } from "./cropping.ts";
import type { LeafFormat } from "./formatoptions.ts";
import type { Match } from "./textmatches.ts";
import type { TokenList } from "./tokenlist.ts";

/**
 * Bound of the formatted texts of one answer, in letters: long tags can make it very much longer than its
 * documents.
 */
const LETTERS_MAX = 128 * 2 ** 20;

/** @throws TarsierError `bad_request` */
export function refuseLonger(letters: number): void {
  if (letters <= LETTERS_MAX) return;
  const limit = formatSize(LETTERS_MAX);
  const message = `the formatted texts of this answer have more than ${limit}`;
  throw new TarsierError("bad_request", { message: `${message}: ask for fewer of them, or shorter tags` });
}

/**
 * The formatted text.
 * @param bytes the text as UTF-8
 * @param tokens tokens of the text; its matches must be in order
 */
export function formatText(
  bytes: Buffer,
  tokens: TokenList,
  matches: readonly Match[],
  { highlight, crop }: LeafFormat,
  { highlightPreTag, highlightPostTag, cropMarker }: SearchQuery,
): string {
  const whole = { from: 0, to: bytes.length };
  const { from, to }: Window = crop > 0 ? cropWindow(tokens, matches, crop) : whole;
  const shown = bytes.toString("utf8", from, to);
  const isAscii = shown.length === to - from;
  const part = (start: number, end: number) =>
    isAscii ? shown.slice(start - from, end - from) : bytes.toString("utf8", start, end);
  let text = from > 0 ? cropMarker : "";
  let at = from;
  for (const { start, end, lastToken } of highlight ? matches : []) {
    // A word that only touches the window leaves an empty pair of tags, as in the reference.
    if (start > to || tokens.start(lastToken + 1) < from) continue;
    const first = Math.max(start, from);
    const last = Math.max(first, Math.min(end, to));
    text += part(at, first) + highlightPreTag + part(first, last) + highlightPostTag;
    refuseLonger(text.length);
    at = last;
  }
  text += part(at, to);
  return to < bytes.length ? text + cropMarker : text;
}

// A text of a document with tags around its matches and markers where it is cropped. Called by formatting.ts.
import type { SearchQuery } from "../../schemas/search.ts";
import { cropWindow, type Window } from "./cropping.ts";
import type { LeafFormat } from "./formatoptions.ts";
import type { Match } from "./textmatches.ts";
import type { TokenList } from "./tokenlist.ts";

/**
 * The formatted text.
 * @param bytes the text as UTF-8
 * @param tokens of the text, matches in order
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
    at = last;
  }
  text += part(at, to);
  return to < bytes.length ? text + cropMarker : text;
}

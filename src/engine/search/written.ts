// Words of a query as they were written. Han alone counts as Chinese where nothing says its language, and
// its characters are folded to one of their forms; Japanese texts keep theirs. So such a word stands for
// itself as it was written, too: whoever looks for a Japanese word finds it without saying that it is one.
// Called by collection.ts; the reference ranking has no such rule.
import type { Token, Tokenizer } from "../../core/tokenizer.ts";
import { QUERY_TOKENS_MAX } from "./limits.ts";

export interface QueryToken extends Token {
  /** The word as a Japanese text has it, if that is another one. */
  written?: string | null;
}

const HAN = /\p{Script=Han}/u;
const JAPANESE = ["jpn"];

/** The tokens of a query, as many as count; `locales` are those that its language is known by. */
export function queryTokens(tokenizer: Tokenizer, text: string, locales?: readonly string[]): QueryToken[] {
  const tokens = tokenizer.tokenize(text, locales).slice(0, QUERY_TOKENS_MAX);
  if (locales || !HAN.test(text)) return tokens;
  const bytes = Buffer.from(text);
  return tokens.map((token) => ({ ...token, written: writtenAs(tokenizer, bytes, token) }));
}

function writtenAs(tokenizer: Tokenizer, text: Buffer, { kind, lemma, start, end }: Token): string | null {
  if (kind !== "word" || !HAN.test(lemma)) return null;
  const written = tokenizer.fold(text.toString("utf8", start, end), JAPANESE);
  return written === lemma ? null : written;
}

// Words of a query as they were written. Text in Han characters alone counts as Chinese unless its language
// is given, and its characters are folded to one of their forms, while Japanese texts keep theirs. So such a
// word also stands for itself as it was written: a search for a Japanese word finds it without naming the
// language. Called by collection.ts; the reference ranking has no such rule.
import type { Token, Tokenizer } from "../../core/tokenizer.ts";
import { QUERY_TOKENS_MAX } from "./limits.ts";

export interface QueryToken extends Token {
  /** The word in the form that Japanese texts have, if that differs. */
  written?: string | null;
}

const HAN = /\p{Script=Han}/u;
const JAPANESE = ["jpn"];

/** The tokens of a query, at most as many as count; `locales`: those given for its language. */
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

// Parses conditions on vectors: `_vectors`, one of its embedders, or a part of one, then EXISTS. Called by
// parse.ts.
import { VECTORS_FIELD } from "../../schemas/vectorsfield.ts";
import type { Filter, Token, VectorPart } from "./expression.ts";
import type { Lexer } from "./lexer.ts";

const PARTS = ["userProvided", "documentTemplate", "regenerate"] as const;
const SHAPE =
  "`_vectors`, `_vectors.EMBEDDER`, or the latter with `.userProvided`, `.documentTemplate`, `.regenerate` " +
  "or `.fragments.FRAGMENT`, and then `EXISTS` or `NOT EXISTS`";
const NAME = /[\p{Alphabetic}\p{N}_-]+/uy;

/** Null when this is not such a condition. */
export function parseVectors(lexer: Lexer): Filter | null {
  const word = lexer.peekWord();
  if (word !== VECTORS_FIELD && !word.startsWith(`${VECTORS_FIELD}.`)) return null;
  const from = lexer.at;
  lexer.at += VECTORS_FIELD.length;
  const embedder = nameBehindDot(lexer, "the name of an embedder");
  const part = embedder && partOf(lexer);
  const { source, at: to } = lexer;
  lexer.skipSpace();
  const isFollowed = lexer.at === to && to < source.length;
  if (isFollowed) throw lexer.error(`Found more than expected: a condition is ${SHAPE}.`);
  const place = { text: source.slice(from, to), from, to, source };
  const isNegated = lexer.takeKeyword("NOT");
  if (!lexer.takeKeyword("EXISTS"))
    throw lexer.error(`Was expecting an operation: a condition is ${SHAPE}.`, from);
  const condition: Filter = { kind: "vectors", place, embedder, part };
  return isNegated ? { kind: "not", part: condition } : condition;
}

function partOf(lexer: Lexer): VectorPart | null {
  const part = nameBehindDot(lexer, "a part of the embedder");
  if (!part) return null;
  const isQuoted = /["']/.test(lexer.source[part.from]);
  const known = isQuoted ? undefined : PARTS.find((name) => name === part.text);
  if (known) return { kind: known };
  if (isQuoted || part.text !== "fragments")
    throw lexer.error(
      `\`${part.text}\` is no part of an embedder: a condition is ${SHAPE}.`,
      part.from,
      part.to,
    );
  const fragment = nameBehindDot(lexer, "the name of a fragment");
  if (!fragment) throw lexer.error("Was expecting a `.` and the name of a fragment.");
  return { kind: "fragment", fragment };
}

/** The name after a dot; null when there is no dot. */
function nameBehindDot(lexer: Lexer, what: string): Token | null {
  const { source } = lexer;
  if (source[lexer.at] !== ".") return null;
  lexer.at++;
  if (/["']/.test(source[lexer.at] ?? "")) return lexer.value();
  const from = lexer.at;
  NAME.lastIndex = from;
  const text = NAME.exec(source)?.[0];
  if (text === undefined) throw lexer.error(`Was expecting ${what} behind the dot.`);
  lexer.at += text.length;
  return { text, from, to: lexer.at, source };
}

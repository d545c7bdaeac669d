// Tells at the beginning of an answer where its hits lie, if another server asks for it: that server merges
// them with others and passes them on unread, instead of parsing every document. Written by
// federatedanswer.ts, read by remoteanswer.ts.
//
//   {"hitBytes":[812,790],"hits":[{...},{...}],"processingTimeMs":3,...}
import { isUtf8 } from "node:buffer";

export interface CutAnswer {
  /** The JSON of each hit. */
  hits: Buffer[];
  /** The answer without its hits. */
  rest: string;
}

/** Header with which a search for another server asks for it. */
export const HIT_BYTES_HEADER = "svc-hit-bytes";

/** A greater limit of `split` would be taken modulo 2^32. */
const SPLIT_MAX = 2 ** 32 - 2;
const BEGINNING = Buffer.from('{"hitBytes":[');
const BETWEEN = Buffer.from('],"hits":[');
const [COMMA, OPEN, CLOSE, LIST_END] = Buffer.from(",{}]");

/** The beginning of an answer, up to its first hit. */
export function beginningWith(hits: readonly Uint8Array[]): Buffer {
  const lengths = Buffer.from(hits.map(({ length }) => length).join());
  return Buffer.concat([BEGINNING, lengths, BETWEEN]);
}

/**
 * Null for an answer that does not tell where its hits lie, or has them elsewhere; that announces more than
 * `most` hits; or that is not UTF-8.
 */
export function cutAnswer(answer: Buffer, most: number): CutAnswer | null {
  if (!answer.subarray(0, BEGINNING.length).equals(BEGINNING) || !isUtf8(answer)) return null;
  const end = answer.indexOf(LIST_END);
  const first = end + BETWEEN.length;
  if (end < 0 || !answer.subarray(end, first).equals(BETWEEN)) return null;
  const lengths = answer.toString("latin1", BEGINNING.length, end);
  const hits: Buffer[] = [];
  let at = first;
  for (const length of lengths === "" ? [] : lengths.split(",", Math.min(most, SPLIT_MAX) + 1).map(Number)) {
    if (hits.length === most) return null;
    if (hits.length > 0 && answer[at++] !== COMMA) return null;
    const hit = answer.subarray(at, at + length);
    if (hit.length !== length || hit[0] !== OPEN || hit[length - 1] !== CLOSE) return null;
    hits.push(hit);
    at += length;
  }
  if (answer[at] !== LIST_END || answer[at + 1] !== COMMA) return null;
  return { hits, rest: `{${answer.toString("utf8", at + 2)}` };
}

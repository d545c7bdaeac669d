// What a search thread found for a federated search, as bytes: hits pass through the thread that takes
// requests without becoming texts there. Written by groupsearch.ts, read by ../pool.ts.
//
//   u32   bytes of the head
//   head  JSON: {refused, answers, lists}, a hit as [order, position, docid, score, values, keys, bytes]
//   hits  JSON of one behind the other, in the order of the lists
import type { ErrorCode } from "../../errors.ts";
import type { FederatedAnswer, IndexHit } from "./asked.ts";
import type { FoundHit } from "./besthits.ts";
import type { ScoreValue } from "./scorevalues.ts";

/** Why an index could not be opened. */
interface Refusal {
  /** Of the index among those asked for. */
  order: number;
  code: ErrorCode;
  message: string;
}

interface FoundAnswer extends Pick<FederatedAnswer, "answers"> {
  lists: readonly (readonly FoundHit[])[];
  refused: Refusal | null;
}

export interface GroupAnswer extends FederatedAnswer {
  refused: Refusal | null;
}

type HeadHit = [
  order: number,
  position: number,
  docid: number,
  score: number,
  values: readonly ScoreValue[],
  keys: readonly string[] | null,
  bytes: number,
];

interface Head extends Pick<GroupAnswer, "answers" | "refused"> {
  lists: HeadHit[][];
}

const LENGTH_BYTES = 4;

export function writtenAnswer({ answers, lists, refused }: FoundAnswer): Buffer {
  const texts: string[] = [];
  const headHit = (hit: FoundHit): HeadHit => {
    const { order, position, docid, weightedScore, values, keys } = hit;
    const text = hit.write();
    texts.push(text);
    return [order, position, docid, weightedScore, values, keys, Buffer.byteLength(text)];
  };
  const head: Head = { refused, answers, lists: lists.map((list) => list.map(headHit)) };
  const headText = JSON.stringify(head);
  const bytes = Buffer.from(`\0\0\0\0${headText}${texts.join("")}`);
  bytes.writeUInt32LE(Buffer.byteLength(headText));
  return bytes;
}

/** `orders`: number in the request of each index that was asked. */
export function readAnswer(written: Uint8Array, orders: readonly number[]): GroupAnswer {
  const bytes = Buffer.from(written.buffer, written.byteOffset, written.byteLength);
  let next = LENGTH_BYTES + bytes.readUInt32LE();
  const { answers, lists, refused }: Head = JSON.parse(bytes.toString("utf8", LENGTH_BYTES, next));
  const hitOf = ([order, position, docid, weightedScore, values, keys, length]: HeadHit): IndexHit => {
    const start = next;
    next += length;
    const own = bytes.subarray(start, next);
    return { order: orders[order], position, docid, weightedScore, values, keys, bytes: own };
  };
  return {
    ...{ answers, refused: refused && { ...refused, order: orders[refused.order] } },
    lists: lists.map((list) => list.map(hitOf)),
  };
}

// The answer of a search thread to a federated search, as bytes: so hits pass through the thread that takes
// requests without becoming texts there. Written by groupsearch.ts, read by ../pool.ts.
//
// The answer:
//   0  u32 bytes of the head
//   4  u32 hits
//   8  hits, in the order of the lists
//      head: JSON {refused, answers, passed, counts, values, keys}; counts are the hits of each list
//      JSON of one hit after the other
// Hit, in the byte order of the machine:
//   0  f64 order
//   8  f64 position
//  16  f64 docid
//  24  f64 score
//  32  f64 number of its values in the head; PLAIN: the score is its only value
//  40  f64 bytes of its JSON
import type { ErrorCode } from "../../errors.ts";
import type { ScoreValue } from "../search/scorevalues.ts";
import type { FederatedAnswer, IndexHit } from "./asked.ts";
import type { FoundHit } from "./besthits.ts";

/** Why an index could not be opened. */
interface Refusal {
  /** Number of the index among those asked for. */
  order: number;
  code: ErrorCode;
  message: string;
}

interface FoundAnswer extends Pick<FederatedAnswer, "answers" | "passed"> {
  lists: readonly (readonly FoundHit[])[];
  refused: Refusal | null;
}

export interface GroupAnswer extends FederatedAnswer {
  refused: Refusal | null;
}

interface Head extends Pick<GroupAnswer, "answers" | "passed" | "refused"> {
  counts: number[];
  /** A list that several hits share is stored once. */
  values: (readonly ScoreValue[])[];
  /** Distinct keys of each hit; null when no hit has any. */
  keys: (readonly string[] | null)[] | null;
}

const HIT_COUNT_AT = 4;
const HITS_AT = 8;
const HIT_NUMBERS = 6;
const HIT_BYTES = HIT_NUMBERS * Float64Array.BYTES_PER_ELEMENT;
const PLAIN = -1;

export function writtenAnswer({ answers, passed, lists, refused }: FoundAnswer): Buffer {
  const hits = lists.flat();
  const texts: string[] = [];
  const values = new Map<readonly ScoreValue[], number>();
  const table = new Float64Array(hits.length * HIT_NUMBERS);
  let at = 0;
  for (const hit of hits) {
    const text = hit.write();
    texts.push(text);
    table[at++] = hit.order;
    table[at++] = hit.position;
    table[at++] = hit.docid;
    table[at++] = hit.weightedScore;
    table[at++] = isPlain(hit) ? PLAIN : numbered(hit.values, values);
    table[at++] = Buffer.byteLength(text);
  }
  const keys = hits.some((hit) => hit.keys !== null) ? hits.map((hit) => hit.keys) : null;
  const counts = lists.map(({ length }) => length);
  const shared = [...values.keys()];
  const head = JSON.stringify({ refused, answers, passed, counts, values: shared, keys } satisfies Head);
  const lengths = Buffer.alloc(HITS_AT);
  lengths.writeUInt32LE(Buffer.byteLength(head));
  lengths.writeUInt32LE(hits.length, HIT_COUNT_AT);
  return Buffer.concat([lengths, Buffer.from(table.buffer), Buffer.from(head + texts.join(""))]);
}

function isPlain({ values, weightedScore }: FoundHit): boolean {
  const [first] = values;
  return values.length === 1 && "weightedScore" in first && first.weightedScore === weightedScore;
}

/** The number of a list of values in the head. Hits that the rules did not tell apart share theirs. */
function numbered(values: readonly ScoreValue[], known: Map<readonly ScoreValue[], number>): number {
  const number = known.get(values) ?? known.size;
  known.set(values, number);
  return number;
}

/** Reads an answer. `orders`: for each index that was asked, its number in the request. */
export function readAnswer(written: Uint8Array, orders: readonly number[]): GroupAnswer {
  const bytes = Buffer.from(written.buffer, written.byteOffset, written.byteLength);
  const headAt = HITS_AT + bytes.readUInt32LE(HIT_COUNT_AT) * HIT_BYTES;
  let next = headAt + bytes.readUInt32LE();
  const head: Head = JSON.parse(bytes.toString("utf8", headAt, next));
  // A Float64Array must begin at a multiple of eight bytes; the answer may begin anywhere.
  const table = new Float64Array(new Uint8Array(bytes.subarray(HITS_AT, headAt)).buffer);
  let at = 0;
  let number = 0;
  const nextHit = (): IndexHit => {
    const order = orders[table[at++]];
    const position = table[at++];
    const docid = table[at++];
    const weightedScore = table[at++];
    const valuesNumber = table[at++];
    const values = valuesNumber === PLAIN ? [{ weightedScore }] : head.values[valuesNumber];
    const keys = head.keys?.[number++] ?? null;
    const start = next;
    next += table[at++];
    return { order, position, docid, weightedScore, values, keys, bytes: bytes.subarray(start, next) };
  };
  const { answers, passed, refused, counts } = head;
  return {
    answers,
    passed,
    refused: refused && { ...refused, order: orders[refused.order] },
    lists: counts.map((length) => Array.from({ length }, nextHit)),
  };
}

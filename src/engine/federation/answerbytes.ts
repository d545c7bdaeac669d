// What a search thread found for a federated search, as bytes: hits pass through the thread that takes
// requests without becoming texts there. Written by groupsearch.ts, read by ../pool.ts.
//
//   u32   bytes of the head
//   u32   hits
//   hits  of each six f64: order, position, docid, score, number of its values in the head (PLAIN: the score
//         is its only value), bytes of its JSON
//   head  JSON: {refused, answers, counts, values, keys}; counts are the hits of each list
//   JSON of one hit behind the other, in the order of the lists
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

interface Head extends Pick<GroupAnswer, "answers" | "refused"> {
  counts: number[];
  /** Each is there once, however many hits have it. */
  values: (readonly ScoreValue[])[];
  /** Distinct keys of each hit; null: none has any. */
  keys: (readonly string[] | null)[] | null;
}

const LENGTHS_BYTES = 8;
const HIT_NUMBERS = 6;
const HIT_BYTES = HIT_NUMBERS * Float64Array.BYTES_PER_ELEMENT;
const PLAIN = -1;

export function writtenAnswer({ answers, lists, refused }: FoundAnswer): Buffer {
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
    table[at++] = isPlain(hit) ? PLAIN : numberOf(hit.values, values);
    table[at++] = Buffer.byteLength(text);
  }
  const keys = hits.some((hit) => hit.keys !== null) ? hits.map((hit) => hit.keys) : null;
  const counts = lists.map(({ length }) => length);
  const head = JSON.stringify({ refused, answers, counts, values: [...values.keys()], keys } satisfies Head);
  const lengths = Buffer.alloc(LENGTHS_BYTES);
  lengths.writeUInt32LE(Buffer.byteLength(head));
  lengths.writeUInt32LE(hits.length, LENGTHS_BYTES / 2);
  return Buffer.concat([lengths, Buffer.from(table.buffer), Buffer.from(head + texts.join(""))]);
}

function isPlain({ values, weightedScore }: FoundHit): boolean {
  const [first] = values;
  return values.length === 1 && "weightedScore" in first && first.weightedScore === weightedScore;
}

/** Of values among all that differ. Hits that the rules have not told apart share theirs. */
function numberOf(values: readonly ScoreValue[], known: Map<readonly ScoreValue[], number>): number {
  const number = known.get(values) ?? known.size;
  known.set(values, number);
  return number;
}

/** `orders`: number in the request of each index that was asked. */
export function readAnswer(written: Uint8Array, orders: readonly number[]): GroupAnswer {
  const bytes = Buffer.from(written.buffer, written.byteOffset, written.byteLength);
  const tableEnd = LENGTHS_BYTES + bytes.readUInt32LE(LENGTHS_BYTES / 2) * HIT_BYTES;
  let next = tableEnd + bytes.readUInt32LE();
  const head: Head = JSON.parse(bytes.toString("utf8", tableEnd, next));
  // A copy: numbers of eight bytes do not lie at any address.
  const table = new Float64Array(new Uint8Array(bytes.subarray(LENGTHS_BYTES, tableEnd)).buffer);
  let number = 0;
  const nextHit = (): IndexHit => {
    const at = number * HIT_NUMBERS;
    const start = next;
    next += table[at + 5];
    const hit = {
      order: orders[table[at]],
      position: table[at + 1],
      docid: table[at + 2],
      weightedScore: table[at + 3],
      values: table[at + 4] === PLAIN ? [{ weightedScore: table[at + 3] }] : head.values[table[at + 4]],
      keys: head.keys?.[number] ?? null,
      bytes: bytes.subarray(start, next),
    };
    number++;
    return hit;
  };
  const { answers, refused, counts } = head;
  return {
    answers,
    refused: refused && { ...refused, order: orders[refused.order] },
    lists: counts.map((length) => Array.from({ length }, nextHit)),
  };
}

// Posting lists and positions written byte by byte from the drawings in assembly/postings.ts and
// assembly/occurrences.ts.
import { packBlock } from "./pack.ts";

/** A document of a term: its docid and its keys (field * 65536 + position), ascending. */
export interface Posting {
  docid: number;
  keys: number[];
}

const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
const u32 = (value: number): number[] => [value & 255, (value >> 8) & 255, (value >> 16) & 255, value >>> 24];

/** The bytes of one document's occurrences. */
export function documentBytes(keys: readonly number[]): number[] {
  let field = 0;
  let position = 0;
  return keys.flatMap((key, index) => {
    const bytes: number[] = [];
    if (key >>> 16 !== field) {
      bytes.push(...varint((((key >>> 16) - field) << 2) | 2));
      field = key >>> 16;
      position = 0;
    }
    bytes.push(...varint((((key & 0xffff) - position) << 2) | Number(index === keys.length - 1)));
    position = key & 0xffff;
    return bytes;
  });
}

/** The bytes of a posting list and of its positions. */
export function encode(postings: readonly Posting[]): { list: Uint8Array; positions: Uint8Array } {
  const documents = postings.map(({ keys }) => documentBytes(keys));
  const gaps = postings.map(({ docid }, index) => docid - (index ? postings[index - 1].docid : -1) - 1);
  const blocks = postings.length > 128 ? Math.floor(postings.length / 128) : 0;
  const head = varint(postings.length);
  const skips: number[] = [];
  const body: number[] = [];
  let positionsEnd = 0;
  for (let block = 0; block < blocks; block++) {
    const values = gaps.slice(block * 128, block * 128 + 128);
    const width = 32 - Math.clz32(values.reduce((all, value) => all | value, 0));
    body.push(width, ...packBlock(values, width));
    for (const bytes of documents.slice(block * 128, block * 128 + 128)) positionsEnd += bytes.length;
    skips.push(...u32(postings[block * 128 + 127].docid));
    skips.push(...u32(head.length + blocks * 12 + body.length), ...u32(positionsEnd));
  }
  const tail = gaps.slice(blocks * 128).flatMap(varint);
  return {
    list: Uint8Array.from([...head, ...skips, ...body, ...tail]),
    positions: Uint8Array.from(documents.flat()),
  };
}

/** The keys of each document of a term's positions. */
export function decodePositions(bytes: Uint8Array): number[][] {
  const documents: number[][] = [];
  let keys: number[] = [];
  let key = 0;
  for (let at = 0; at < bytes.length; ) {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      if (at === bytes.length) throw new RangeError("the positions end amid a number");
      const byte = bytes[at++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) break;
    }
    const number = Math.floor(value / 4);
    if (value & 2) {
      key = ((key >>> 16) + number) * 65536;
      continue;
    }
    key += number;
    keys.push(key);
    if (!(value & 1)) continue;
    documents.push(keys);
    keys = [];
    key = 0;
  }
  return documents;
}

/** Live documents of several sources, ascending. */
export function merge(
  sources: readonly { postings: readonly Posting[]; dead: ReadonlySet<number> }[],
): Posting[] {
  return sources
    .flatMap(({ postings, dead }) => postings.filter(({ docid }) => !dead.has(docid)))
    .sort((a, b) => a.docid - b.docid);
}

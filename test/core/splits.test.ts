// The two words that a text may be cut into (assembly/search/splits.ts) against the plain definition: of all
// cuts the one whose words are neighbours in most documents, the leftmost of equals.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Core } from "../../src/core/core.ts";
import { DICTIONARY_WRITER_BYTES, dictionaryCapacity } from "../../src/core/dictionary.ts";
import { Scratch } from "../../src/core/scratch.ts";
import { BY_ATTRIBUTE, FIELD_ALLOWED, SETUP_LEN } from "../../src/core/search.ts";
import { POSTINGS } from "../../src/segment/termstarts.ts";
import { bitmapBytes, bitmapWords } from "../twins/bitmap.ts";
import { sortedWords } from "../twins/dictionary.ts";
import { encode } from "../twins/postings.ts";

const core = new Core();
const scratch = new Scratch(core, 4 * 1024 * 1024);
const { exports } = core;
const writer = core.reserve(DICTIONARY_WRITER_BYTES);

const DOCIDS = 150;
const FIELDS = 2;

/** Words of each field of a document. */
type Fields = readonly (readonly string[])[];

interface SegmentTexts {
  documents: ReadonlyMap<number, Fields>;
  dead: readonly number[];
}

interface Query {
  text: string;
  /** How the query itself cuts the text, in bytes; 0: not at all. */
  asked: number;
  isByAttribute: boolean;
  /** Whether the search looks at each field. */
  allowed: readonly boolean[];
}

/** All ways to cut a text between two letters. */
function cutsOf(text: string): [left: string, right: string][] {
  const letters = [...text];
  return letters.slice(1).map((_, i) => [letters.slice(0, i + 1).join(""), letters.slice(i + 1).join("")]);
}

/** The bytes left of the best cut, as the search of the core tells them. */
function plainSplit(segments: readonly SegmentTexts[], query: Query): number {
  const { text, asked, isByAttribute, allowed } = query;
  let best = 0;
  let most = 0;
  for (const [left, right] of cutsOf(text)) {
    const meet = (words: readonly string[], field: number) =>
      isByAttribute
        ? allowed[field] && words.includes(left) && words.includes(right)
        : words.some((word, i) => word === left && words[i + 1] === right);
    const found = new Set<number>();
    for (const { documents, dead } of segments) {
      for (const [docid, fields] of documents)
        if (!dead.includes(docid) && fields.some(meet)) found.add(docid);
    }
    if (found.size <= most) continue;
    most = found.size;
    best = Buffer.byteLength(left);
  }
  return best === asked ? 0 : best;
}

const fieldTexts = (words: fc.Arbitrary<string[]>): fc.Arbitrary<Fields> =>
  fc.array(fc.array(words, { maxLength: 3 }), { minLength: FIELDS, maxLength: FIELDS }).map((fields) => {
    return fields.map((parts) => parts.flat());
  });

/** Documents made of the words that a text is cut into: as neighbours, with another between, alone. */
function segmentsAbout(text: string): fc.Arbitrary<SegmentTexts[]> {
  const cuts = cutsOf(text);
  const words = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...cuts) },
    fc.constantFrom(...cuts).map(([left, right]) => [left, "x", right]),
    fc.constantFrom(...cuts.flat()).map((word) => [word]),
  );
  const docid = fc.nat(DOCIDS - 1);
  const segment = fc.record({
    documents: fc.array(fc.tuple(docid, fieldTexts(words)), { maxLength: 12 }).map((pairs) => new Map(pairs)),
    dead: fc.array(docid, { maxLength: 60 }),
  });
  return fc.array(segment, { maxLength: 3 });
}

const cases = fc
  .array(fc.constantFrom("a", "b", "é"), { minLength: 2, maxLength: 6 })
  .map((letters) => letters.join(""))
  .chain((text) => {
    const bytes = cutsOf(text).map(([left]) => Buffer.byteLength(left));
    const query = fc.record({
      text: fc.constant(text),
      asked: fc.constantFrom(0, 0, ...bytes),
      isByAttribute: fc.boolean(),
      allowed: fc.array(fc.boolean(), { minLength: FIELDS, maxLength: FIELDS }),
    });
    return fc.tuple(segmentsAbout(text), query);
  });

interface Region {
  pointer: number;
  length: number;
}

function region(bytes: Uint8Array): Region {
  const pointer = scratch.alloc(bytes.length + 64);
  core.write(pointer, bytes);
  return { pointer, length: bytes.length };
}

/** Writes the dictionary of a segment and the lists of its terms. */
function writeSegment({ documents }: SegmentTexts): { dictionary: number; lists: Record<string, Region>[] } {
  const words = sortedWords([...documents.values()].flat(2));
  const capacity = dictionaryCapacity(words.length, Buffer.byteLength(words.join("")));
  const dictionary = scratch.alloc(capacity);
  exports.dictionaryWriterStart(writer, dictionary, capacity);
  for (const word of words) {
    const { pointer, length } = region(Buffer.from(word));
    assert.ok(exports.dictionaryWriterAdd(writer, pointer, length) >= 0);
  }
  assert.ok(exports.dictionaryWriterFinish(writer) > 0);
  const inOrder = [...documents].sort(([a], [b]) => a - b);
  const lists = words.map((word) => {
    const postings = inOrder.map(([docid, fields]) => {
      const keys = fields.flatMap((own, field) =>
        own.flatMap((w, i) => (w === word ? [field * 65536 + i] : [])),
      );
      return { docid, keys };
    });
    const { list, positions } = encode(postings.filter(({ keys }) => keys.length > 0));
    return { postings: region(list), positions: region(positions) };
  });
  return { dictionary, lists };
}

function bitmap(docids: readonly number[]): number {
  return region(bitmapBytes(docids, bitmapWords(DOCIDS))).pointer;
}

/** Begins a search as src/engine/search/searchcore.ts does, and asks for the split. */
function coreSplit(segments: readonly SegmentTexts[], query: Query): number {
  scratch.reset();
  const written = segments.map(writeSegment);
  const numbers = (values: readonly number[]) =>
    region(new Uint8Array(Uint32Array.from(values).buffer)).pointer;
  const table = numbers(
    segments.flatMap(({ dead }, i) => [written[i].dictionary, dead.length > 0 ? bitmap(dead) : 0]),
  );
  const fields = numbers(query.allowed.flatMap((isAllowed, i) => [i, isAllowed ? FIELD_ALLOWED : 0]));
  const words = bitmapWords(DOCIDS);
  const marks = scratch.allocZeroed(12 * words);
  const setup = [
    scratch.arena,
    words,
    bitmap([]),
    table,
    segments.length,
    marks,
    fields,
    FIELDS,
    query.isByAttribute ? BY_ATTRIBUTE : 0,
    FIELDS - 1,
    0,
    0,
    0,
  ];
  assert.equal(setup.length, SETUP_LEN);
  core.imports.lists = (segment, kind, from, to, out) => {
    assert.equal(to, from + 1);
    const list = written[segment].lists[from][kind === POSTINGS ? "postings" : "positions"];
    core.u32.set([list.pointer, list.length], out / 4);
  };
  exports.searchBegin(numbers(setup));
  const text = region(Buffer.from(query.text));
  return exports.searchSplit(text.pointer, text.length, query.asked);
}

test("a text is cut into the words that are most often neighbours", () => {
  fc.assert(
    fc.property(cases, ([segments, query]) => {
      assert.equal(coreSplit(segments, query), plainSplit(segments, query));
    }),
    { numRuns: 500 },
  );
});

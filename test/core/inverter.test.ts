// The inverter finds the words and positions that the twin finds, in byte order, and survives a full region.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Core } from "../../src/core/core.ts";
import { DICTIONARY_WRITER_BYTES, Dictionary, dictionaryCapacity } from "../../src/core/dictionary.ts";
import { INVERTER_BYTES_MIN } from "../../src/core/inverter.ts";
import { Tokenizer } from "../../src/core/tokenizer.ts";
import { type IndexedDocument, invert } from "../twins/inverter.ts";
import { decodePositions, encode, type Posting } from "../twins/postings.ts";

const REGION_BYTES = 1 << 22;
const ROOM_BYTES = 1 << 20;
const core = new Core();
const kernels = core.exports;
const tokenizer = new Tokenizer(core, { stopWords: ["the", "of"] });
const region = core.reserve(REGION_BYTES);
const [text, list, positions, lengths] = Array.from({ length: 4 }, () => core.reserve(ROOM_BYTES));
const writer = core.reserve(DICTIONARY_WRITER_BYTES);
const dictionary = core.reserve(ROOM_BYTES);
const locale = tokenizer.localeCode();

/** A value of a field: a text, or null for a leaf that has none. */
interface Value {
  field: number;
  text: string | null;
}
interface Document {
  docid: number;
  values: Value[];
}

/** Feeds one document; false when the region is full. */
function add(document: Document): boolean {
  return addBy(tokenizer, document);
}

function addBy(tokenizer: Tokenizer, document: Document): boolean {
  kernels.inverterBeginDocument(region, document.docid);
  for (const value of document.values) {
    const bytes = Buffer.from(value.text ?? "");
    core.write(text, bytes);
    const error =
      value.text === null
        ? kernels.inverterEmptyLeaf(region, value.field)
        : kernels.inverterLeaf(region, tokenizer.handle, value.field, locale, text, bytes.length);
    if (error < 0) return false;
  }
  return kernels.inverterEndDocument(region) === 0;
}

const withTokens = (document: Document): IndexedDocument => ({
  docid: document.docid,
  leaves: document.values.map((value) => ({
    field: value.field,
    tokens: value.text === null ? [] : tokenizer.tokenize(value.text),
  })),
});

/** Sorts the inverter and compares all it holds with the twin's index; `most` terms are encoded at once. */
function assertHolds(documents: readonly Document[], most: number): void {
  const expected = [...invert(documents.map(withTokens))].sort(([x], [y]) => (x < y ? -1 : 1));
  const count = kernels.inverterSort(region);
  assert.equal(count, expected.length);
  const terms = expected.map((_, index) => {
    const at = kernels.inverterTerm(region, index);
    return Buffer.from(core.read(at, kernels.inverterTermLength(region, index))).toString("latin1");
  });
  assert.deepEqual(
    terms,
    expected.map(([term]) => term),
  );
  assert.equal(kernels.inverterTermBytes(region), terms.join("").length);
  for (let from = 0; from < count; ) {
    const done = kernels.inverterEncode(region, from, list, ROOM_BYTES, positions, ROOM_BYTES, lengths, most);
    assert.ok(done > 0);
    assertEncoded(expected.slice(from, from + done).map(([, postings]) => postings));
    from += done;
  }
}

function assertEncoded(all: readonly Posting[][]): void {
  let [listAt, positionsAt] = [list, positions];
  all.forEach((postings, index) => {
    const [length, positionsLength] = core.u32.subarray((lengths >>> 2) + 2 * index);
    const bytes = encode(postings);
    assert.deepEqual(core.read(listAt, length), bytes.list);
    assert.deepEqual(core.read(positionsAt, positionsLength), bytes.positions);
    listAt += length;
    positionsAt += positionsLength;
  });
}

const word = fc.oneof(
  fc.constantFrom(
    "the",
    "of",
    "a",
    "ab",
    "abc",
    "abcd",
    "abcde",
    "sea",
    "seahorse",
    "Ångström",
    "日本語",
    "x".repeat(250),
    "x".repeat(251),
    "x".repeat(260),
  ),
  fc.string({ maxLength: 12 }),
);
const separator = fc.constantFrom(" ", "  ", ". ", "! ", "-", "; ", ", ", "\n");
const sentence = fc
  .array(fc.tuple(word, separator), { maxLength: 45, size: "max" })
  .map((parts) => parts.flat().join(""));
const value = fc.record({ field: fc.constantFrom(0, 1, 3, 700), text: fc.option(sentence, { freq: 5 }) });
const documents = fc
  .array(fc.tuple(fc.nat(300), fc.array(value, { maxLength: 6 })), { maxLength: 12 })
  .map((some): Document[] => {
    let docid = -1;
    return some.map(([less, values]) => {
      docid += less + 1;
      return { docid, values: values.sort((x, y) => x.field - y.field) };
    });
  });

test("words, positions and word counts equal the twin's", () => {
  fc.assert(
    fc.property(documents, fc.integer({ min: 1, max: 300 }), (some, most) => {
      kernels.inverterStart(region, REGION_BYTES);
      for (const document of some) assert.ok(add(document));
      assertHolds(some, most);
    }),
    { numRuns: 150 },
  );
});

test("leaves start 8 behind the last word, also empty ones; hard separators are 8 wide, stop words 1", () => {
  kernels.inverterStart(region, REGION_BYTES);
  const values = ["red the fox. Dog", null, "sea", "", "owl"].map((some) => ({ field: 2, text: some }));
  assert.ok(add({ docid: 5, values }));
  const terms = kernels.inverterSort(region);
  const found = new Map<string, number>();
  for (let index = 0; index < terms; index++) {
    const at = kernels.inverterTerm(region, index);
    const term = Buffer.from(core.read(at, kernels.inverterTermLength(region, index))).toString();
    if (term.startsWith("\0")) continue;
    kernels.inverterEncode(region, index, list, ROOM_BYTES, positions, ROOM_BYTES, lengths, 1);
    const [length, positionsLength] = core.u32.subarray(lengths >>> 2);
    const documents = decodePositions(core.read(positions, positionsLength));
    assert.equal(kernels.postingsCount(list, length), 1);
    assert.deepEqual(
      documents.map((keys) => keys.map((key) => key >>> 16)),
      [[2]],
    );
    found.set(term, documents[0][0] & 0xffff);
  }
  const expected = { red: 0, fox: 2, dog: 10, sea: 26, owl: 42 };
  assert.deepEqual(Object.fromEntries(found), Object.fromEntries(Object.entries(expected).sort()));
});

test("beginnings are of one byte or two, and white space of any kind belongs to no word", () => {
  const texts = [
    "हिन्दी ภาษา ja été я",
    "日本 \u{10400}x éa",
    "\u0085owl\u0085 \u1680fox \u3000sea\u205F \u2028",
  ];
  const documents = texts.map((text, docid) => ({ docid, values: [{ field: 0, text }] }));
  kernels.inverterStart(region, REGION_BYTES);
  assert.ok(documents.every(add));
  assertHolds(documents, 1000);
});

test("white space at the ends of words, where it separates nothing, is left out", () => {
  const spaces = Array.from({ length: 0x3001 }, (_, code) => String.fromCharCode(code)).filter((c) =>
    /\s|\x85/.test(c),
  );
  const joining = new Tokenizer(core, { nonSeparatorTokens: spaces });
  kernels.inverterStart(region, REGION_BYTES);
  const texts = spaces.map(
    (space) => `${space}owl${space}${space}-fox${space}-${space}-a${space}b-${space}elk`,
  );
  assert.ok(addBy(joining, { docid: 3, values: texts.map((one) => ({ field: 0, text: one })) }));
  const terms = Array.from({ length: kernels.inverterSort(region) }, (_, index) =>
    Buffer.from(
      core.read(kernels.inverterTerm(region, index), kernels.inverterTermLength(region, index)),
    ).toString(),
  );
  const expected = new Set([
    "owl",
    "fox",
    "elk",
    ...spaces.flatMap((space) => joining.foldTokens(`a${space}b`)),
  ]);
  assert.deepEqual(
    terms.filter((one) => !one.startsWith("\0")),
    [...expected].sort((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y))),
  );
});

test("positions end at 65535", () => {
  const words = (length: number) => Array.from({ length }, (_, index) => `w${index % 50}`);
  const texts = [
    words(9000).join("! "),
    // The last steps are of one position each, so that one word has the last position.
    `${words(8192).join("! ")} ${words(20).join(" ")}`,
  ];
  const documents = texts.map((long, docid) => ({
    docid,
    values: [
      { field: 0, text: long },
      { field: 0, text: "behind" },
    ],
  }));
  kernels.inverterStart(region, REGION_BYTES);
  assert.ok(documents.every(add));
  assertHolds(documents, 1000);
});

test("terms of many documents fill blocks and grow the table", () => {
  const some = Array.from({ length: 900 }, (_, index): Document => {
    const words = Array.from({ length: 12 }, (_, place) =>
      place < 3 ? `common${place}` : `t${(index * 12 + place) % 7001}`,
    );
    return { docid: index * 3, values: [{ field: index % 3, text: words.join(" ") }] };
  });
  kernels.inverterStart(region, REGION_BYTES);
  for (const document of some) assert.ok(add(document));
  assertHolds(some, 500);
});

test("a document for which there is no room is dropped, all others stay", () => {
  fc.assert(
    fc.property(fc.nat(400), fc.nat(3), (seed, common) => {
      kernels.inverterStart(region, INVERTER_BYTES_MIN);
      const kept: Document[] = [];
      for (let docid = 0; ; docid++) {
        const words = Array.from(
          { length: 40 },
          (_, place) => `w${place < common * 10 ? place : (seed + docid * 40 + place) % 5003}`,
        );
        const document = { docid, values: [0, 1].map((field) => ({ field, text: words.join(" ") })) };
        if (!add(document)) break;
        kept.push(document);
      }
      assert.ok(kept.length > 3);
      // The document is dropped by the first sort, and stays so.
      for (let sorts = 0; sorts < 2; sorts++) assertHolds(kept, 1000);
    }),
    { numRuns: 15 },
  );
});

test("nothing is written behind the outputs, and a term that does not fit is told by 0", () => {
  kernels.inverterStart(region, REGION_BYTES);
  for (let docid = 0; docid < 400; docid++)
    assert.ok(add({ docid: docid * 9, values: [{ field: 0, text: "sea" }] }));
  const last = kernels.inverterSort(region) - 1;
  const needed = encode(Array.from({ length: 400 }, (_, docid) => ({ docid: docid * 9, keys: [0] })));
  core.u8.fill(0xee, list, list + 4096);
  const capacity = needed.list.length - 1;
  assert.equal(kernels.inverterEncode(region, last, list, capacity, positions, 4000, lengths, 9), 0);
  assert.equal(core.u8[list + capacity], 0xee);
  core.u8.fill(0xee, positions, positions + 4096);
  assert.equal(kernels.inverterEncode(region, last, list, 4000, positions, 300, lengths, 9), 0);
  assert.equal(core.u8[positions + 300], 0xee);
});

test("positions of any room are either whole, or told not to fit; nothing is written behind them", () => {
  kernels.inverterStart(region, REGION_BYTES);
  const counts = [3, 9, 30, 200];
  for (let docid = 0; docid < 200; docid++) {
    const words = counts.flatMap((count, i) => (docid < count ? [`w${i}`] : []));
    assert.ok(add({ docid: docid * 9, values: [{ field: 0, text: words.join(" ") }] }));
  }
  const terms = kernels.inverterSort(region);
  for (let term = 0; term < terms; term++) {
    for (let capacity = 0; capacity < 1000; capacity++) {
      core.u8.fill(0xee, positions, positions + 1024);
      kernels.inverterEncode(region, term, list, 4000, positions, capacity, lengths, 1);
      assert.ok(core.read(positions + capacity, 24).every((byte) => byte === 0xee));
    }
  }
});

test("the dictionary gets all terms in order", () => {
  kernels.inverterStart(region, REGION_BYTES);
  assert.ok(add({ docid: 1, values: [{ field: 0, text: "sea seahorse ab abc zebra" }] }));
  const count = kernels.inverterSort(region);
  const capacity = dictionaryCapacity(count, kernels.inverterTermBytes(region));
  kernels.dictionaryWriterStart(writer, dictionary, capacity);
  assert.equal(kernels.inverterWriteDictionary(region, writer), 0);
  assert.ok(kernels.dictionaryWriterFinish(writer) > 0);
  const found = new Dictionary(core, dictionary);
  const terms = Array.from({ length: count }, (_, ordinal) => found.term(ordinal));
  const beginnings = ["\0a", "\0s", "\0z"];
  assert.deepEqual(terms, ["\0\0\0\x05", ...beginnings, "ab", "abc", "sea", "seahorse", "zebra"]);
  kernels.dictionaryWriterStart(writer, dictionary, 140);
  assert.ok(kernels.inverterWriteDictionary(region, writer) < 0);
});

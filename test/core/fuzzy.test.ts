// Words near a query come out exactly as a pass over all words with the full distance table finds them.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Core } from "../../src/core/core.ts";
import {
  DICTIONARY_CURSOR_BYTES,
  DICTIONARY_FUZZY_BYTES,
  DICTIONARY_WRITER_BYTES,
  Dictionary,
  dictionaryCapacity,
  typoWords,
} from "../../src/core/dictionary.ts";
import { type NearWord, nearWords, sortedWords, typoSets } from "../twins/dictionary.ts";

const core = new Core();
const kernels = core.exports;
const writer = core.reserve(DICTIONARY_WRITER_BYTES);
const input = core.reserve(512);
const scratch = core.reserve(DICTIONARY_FUZZY_BYTES);
const cursor = core.reserve(DICTIONARY_CURSOR_BYTES);
const results = core.reserve(1 << 16);
const SECTION_ROOM_BYTES = 1 << 20;
const sections = [0, 1, 2].map(() => core.reserve(SECTION_ROOM_BYTES));
const PLANES_ROOM_BYTES = 1 << 16;
const planes = core.reserve(sections.length * PLANES_ROOM_BYTES);

/** A dictionary with its planes; what lay in their place before is not zero. */
function open(words: readonly string[], section = sections[0]): Dictionary {
  const bytes = words.reduce((sum, word) => sum + Buffer.byteLength(word), 0);
  kernels.dictionaryWriterStart(writer, section, dictionaryCapacity(words.length, bytes));
  for (const word of words) {
    const encoded = Buffer.from(word);
    core.write(input, encoded);
    assert.equal(kernels.dictionaryWriterAdd(writer, input, encoded.length), 0);
  }
  assert.ok(kernels.dictionaryWriterFinish(writer) > 0);
  const room = planes + sections.indexOf(section) * PLANES_ROOM_BYTES;
  const planesBytes = kernels.dictionaryPlanesBytes(section);
  assert.ok(planesBytes <= PLANES_ROOM_BYTES);
  core.fill(room, 0x61, planesBytes);
  kernels.dictionaryPlanes(section, room, cursor);
  return new Dictionary(core, section, () => room);
}

/** Results of the kernel in portions of `most`, each asked for behind the one before. */
function lookUp(
  dictionary: Dictionary,
  query: string,
  budget: number,
  prefix: boolean,
  most: number,
): NearWord[] {
  const near: NearWord[] = [];
  const encoded = Buffer.from(query);
  core.write(input, encoded);
  for (let from = 0; ; from = near[near.length - 1].ordinal + 1) {
    const { pointer } = dictionary;
    const flag = prefix ? 1 : 0;
    const count = kernels.dictionaryFuzzy(
      pointer,
      dictionary.planes,
      input,
      encoded.length,
      budget,
      flag,
      from,
      scratch,
      results,
      most,
    );
    for (let i = results >>> 2; i < (results >>> 2) + 2 * count; i += 2) {
      near.push({ ordinal: core.u32[i], kind: core.u32[i + 1] });
    }
    if (count < most) return near;
  }
}

const latin = fc.constantFrom("a", "b", "c");
const mixed = fc.constantFrom("a", "b", "é", "è", "日", "旦", "本", "😀", "😁");
/** The first and the last letters of one to four bytes, and others with the same first bytes. */
const edge = fc.constantFrom(..."a\x7f\x80\u07ff\u0800\u0e01\u0939\uffff\u{10000}\u{10ffff}");
const wordOf = (letter: fc.Arbitrary<string>, maxLength: number): fc.Arbitrary<string> =>
  fc.array(letter, { minLength: 1, maxLength, size: "max" }).map((letters) => letters.join(""));
const pseudo = fc.constantFrom("\0a", "\0ab", "\0é");

/** Begin with ASCII, hold other letters, and are longer than what planes hold of them. */
const mixedBehindLatin = fc.tuple(latin, wordOf(fc.oneof(latin, mixed), 13)).map((parts) => parts.join(""));

/** Share more letters with their neighbours than the half of a head can tell. */
const withLongBeginning = fc
  .tuple(fc.constantFrom("abc".repeat(5), "abc".repeat(6)), wordOf(latin, 4))
  .map((parts) => parts.join(""));

/** A vocabulary, and a query that is often near to one of its words. */
function cases(word: fc.Arbitrary<string>): fc.Arbitrary<[string[], string]> {
  const words = fc.array(fc.oneof({ weight: 30, arbitrary: word }, pseudo), {
    maxLength: 300,
    size: "max",
  });
  return fc
    .tuple(words.map(sortedWords), word, fc.nat(), fc.boolean())
    .map(([sorted, query, pick, isNear]) => {
      const word = sorted[pick % Math.max(1, sorted.length)];
      if (!isNear || word === undefined || word.startsWith("\0")) return [sorted, query];
      const letters = [...word];
      letters.splice(pick % letters.length, pick % 3, ...(pick % 2 ? [[...query][0]] : []));
      return [sorted, letters.join("") || query];
    });
}

const options = fc.record({
  budget: fc.constantFrom(1, 2),
  prefix: fc.boolean(),
  most: fc.constantFrom(1, 2, 7, 4096),
});

for (const [name, arbitrary, numRuns] of [
  ["short words of three letters", cases(wordOf(latin, 6)), 300],
  ["longer words of three letters", cases(wordOf(latin, 14)), 150],
  ["letters of one to four bytes", cases(wordOf(mixed, 8)), 300],
  ["letters at the ends of their lengths", cases(wordOf(edge, 6)), 200],
  ["a Latin letter before mixed ones", cases(mixedBehindLatin), 150],
  ["words with long beginnings in common", cases(withLongBeginning), 150],
] as const) {
  test(`near words of a vocabulary: ${name}`, () => {
    fc.assert(
      fc.property(arbitrary, options, ([words, query], { budget, prefix, most }) => {
        const dictionary = open(words);
        const expected = nearWords(words, query, budget, prefix);
        assert.deepEqual(lookUp(dictionary, query, budget, prefix, most), expected);
        const withoutPlanes = new Dictionary(core, dictionary.pointer);
        assert.deepEqual(lookUp(withoutPlanes, query, budget, prefix, most), expected);
      }),
      { numRuns },
    );
  });
}

test("queries of up to 250 bytes are compared whole", () => {
  const long = fc
    .tuple(fc.integer({ min: 58, max: 250 }), fc.nat(), fc.constantFrom("a", "x"))
    .map(([length, at, letter]) => {
      const text = "abcdefghij".repeat(25).slice(0, length);
      return text.slice(0, at % length) + letter + text.slice((at % length) + 1);
    });
  const words = fc.array(long, { minLength: 1, maxLength: 40, size: "max" }).map(sortedWords);
  fc.assert(
    fc.property(words, long, options, (sorted, query, { budget, prefix }) => {
      assert.deepEqual(
        lookUp(open(sorted), query, budget, prefix, 4096),
        nearWords(sorted, query, budget, prefix),
      );
    }),
    { numRuns: 25 },
  );
});

test("words of other scripts are near wherever in many blocks they hold the second letter", () => {
  const letters = Array.from({ length: 300 }, (_, i) => String.fromCodePoint(0x4e00 + i));
  const places = fc.uniqueArray(fc.nat(letters.length - 1), { maxLength: 6 });
  fc.assert(
    fc.property(places, options, (rare, { prefix, most }) => {
      const words = sortedWords([
        ...letters.map((letter) => `${letter}日`),
        ...rare.map((i) => `${letters[i]}a本`),
      ]);
      const found = lookUp(open(words), "éa本", 2, prefix, most);
      assert.deepEqual(found, nearWords(words, "éa本", 2, prefix));
    }),
  );
});

test("a query of more than 250 bytes is near nothing", () => {
  for (const length of [251, 260, 480]) {
    const dictionary = open(["x".repeat(length)]);
    for (const budget of [1, 2])
      for (const prefix of [false, true])
        assert.deepEqual(lookUp(dictionary, `${"x".repeat(length - 1)}y`, budget, prefix, 9), []);
  }
});

test("values of columns, up to 480 bytes long, are looked up like words", () => {
  const long = fc
    .tuple(wordOf(latin, 6), fc.integer({ min: 0, max: 480 }), wordOf(latin, 3))
    .map(([start, length, end]) => start.padEnd(length - end.length, "x") + end);
  const values = fc.array(long, { minLength: 1, maxLength: 100, size: "max" }).map(sortedWords);
  fc.assert(
    fc.property(values, wordOf(latin, 8), options, (sorted, query, { budget, prefix, most }) => {
      const expected = nearWords(sorted, query, budget, prefix);
      const dictionary = open(sorted);
      assert.deepEqual(lookUp(dictionary, query, budget, prefix, most), expected);
      const withoutPlanes = new Dictionary(core, dictionary.pointer);
      assert.deepEqual(lookUp(withoutPlanes, query, budget, prefix, most), expected);
    }),
    { numRuns: 100 },
  );
});

test("queries without letters, too long, or without a budget have no near words", () => {
  const dictionary = open(["a", "ab", "b"]);
  assert.deepEqual(lookUp(dictionary, "", 2, true, 16), []);
  assert.deepEqual(lookUp(dictionary, "a", 0, false, 16), []);
  assert.deepEqual(dictionary.fuzzy("a".repeat(251), 2, true).ordinals, []);
});

test("reading of a prefix stops where a shorter beginning of the query is not nearer", () => {
  const words = ["so", "soa", "sof"];
  assert.deepEqual(lookUp(open(words), "sfbo", 2, true, 16), [{ ordinal: 0, kind: 2 }]);
});

test("a changed first letter needs the budget of two", () => {
  const words = ["acket", "backet", "pakcet", "pbcket", "racket"];
  const spell = (near: NearWord[]): string[] => near.map(({ ordinal, kind }) => `${words[ordinal]} ${kind}`);
  assert.deepEqual(spell(lookUp(open(words), "packet", 1, false, 16)), ["pakcet 1", "pbcket 1"]);
  assert.deepEqual(spell(lookUp(open(words), "packet", 2, false, 16)), [
    "acket 3",
    "backet 3",
    "pakcet 1",
    "pbcket 1",
    "racket 3",
  ]);
});

test("typo words of several segments are those of their union, with ordinals in each", () => {
  const segments = fc.array(fc.array(wordOf(latin, 5), { maxLength: 250, size: "max" }).map(sortedWords), {
    minLength: 1,
    maxLength: 3,
  });
  const eligibility = fc.constantFrom(1, 2, 3, 7);
  fc.assert(
    fc.property(
      segments,
      wordOf(latin, 5),
      options,
      eligibility,
      (vocabularies, query, { budget, prefix }, every) => {
        const isEligible = (segment: number, ordinal: number): boolean => (segment + ordinal) % every === 0;
        const dictionaries = vocabularies.map((words, i) => open(words, sections[i]));
        const found = typoWords(dictionaries, query, budget, prefix, isEligible);
        const expected = typoSets(vocabularies, query, budget, prefix, isEligible);
        for (const set of ["one", "two"] as const) {
          assert.deepEqual(
            found[set].map(({ text }) => text),
            expected[set],
          );
          for (const { text, ordinals } of found[set]) {
            assert.deepEqual(
              ordinals,
              vocabularies.map((words) => words.indexOf(text)),
            );
          }
        }
      },
    ),
    { numRuns: 150 },
  );
});

test("full sets end the collection; a full second set sends changed first letters into the first", () => {
  const numbers = Array.from({ length: 300 }, (_, i) => String.fromCodePoint(0x4e00 + i));
  const changed = numbers.map((letter) => `${letter}ueries`);
  const inserted = numbers.map((letter) => `quer${letter}ies`);
  const words = sortedWords([...changed, ...inserted]);
  const other = sortedWords([...changed.filter((_, i) => i % 2), "😀ueries", "\ufffdueries"]);
  const dictionaries = [open(words, sections[0]), open(other, sections[1])];
  for (const vocabularies of [[words], [words, other]]) {
    const found = typoWords(dictionaries.slice(0, vocabularies.length), "queries", 2, false);
    const expected = typoSets(vocabularies, "queries", 2, false, () => true);
    assert.deepEqual(
      found.one.map(({ text }) => text),
      expected.one,
    );
    assert.deepEqual(
      found.two.map(({ text }) => text),
      expected.two,
    );
    assert.equal(found.one.length, 150);
    assert.equal(found.two.length, 50);
  }
  const onlyChanged = typoWords([open(changed, sections[2])], "queries", 2, false);
  assert.deepEqual([onlyChanged.one.length, onlyChanged.two.length], [150, 50]);
  assert.deepEqual(onlyChanged.one[0], { text: changed[50], ordinals: [50] });
});

test("the union is in the order of bytes, not of UTF-16 units", () => {
  const [low, high] = ["\uff5eueries", "😀ueries"];
  const dictionaries = [open([high], sections[0]), open([low], sections[1])];
  const { two } = typoWords(dictionaries, "queries", 2, false);
  assert.deepEqual(two, [
    { text: low, ordinals: [-1, 0] },
    { text: high, ordinals: [0, -1] },
  ]);
});

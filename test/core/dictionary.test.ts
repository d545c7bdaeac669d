// The term dictionary finds, lists and spells exactly the terms it was written from, in the room it promises
// to need.
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
} from "../../src/core/dictionary.ts";
import { compareBytes, nearWords, prefixRange, sortedWords } from "../twins/dictionary.ts";

const core = new Core();
const kernels = core.exports;
const writer = core.reserve(DICTIONARY_WRITER_BYTES);
const cursor = core.reserve(DICTIONARY_CURSOR_BYTES);
const term = core.reserve(1024);
const SECTION_ROOM_BYTES = 1 << 20;
const HEADER_BYTES = 32;
const section = core.reserve(SECTION_ROOM_BYTES);
const CUTS_MAX = 480;
const cuts = core.reserve(12 * CUTS_MAX);

/**
 * Writes words that are already in order; returns the bytes of the section, or the error of the first
 * refusal.
 */
function write(words: readonly (string | Buffer)[], capacity = capacityOf(words)): number {
  core.u8.fill(0xaa, section, section + Math.min(capacity + 64, SECTION_ROOM_BYTES));
  kernels.dictionaryWriterStart(writer, section, capacity);
  for (const word of words) {
    const bytes = Buffer.from(word as string);
    core.write(term, bytes);
    const result = kernels.dictionaryWriterAdd(writer, term, bytes.length);
    if (result < 0) return result;
  }
  return kernels.dictionaryWriterFinish(writer);
}

const capacityOf = (words: readonly (string | Buffer)[]): number =>
  dictionaryCapacity(
    words.length,
    words.reduce((sum, word) => sum + Buffer.byteLength(word), 0),
  );

function open(words: readonly string[]): Dictionary {
  const bytes = write(words);
  assert.ok(bytes > 0);
  assert.equal(kernels.dictionaryBytes(section), bytes);
  assert.equal(kernels.dictionaryCheck(section, bytes), 1);
  return new Dictionary(core, section);
}

/** The cuts of a text into two of some words. */
function cutsOf(words: readonly string[], text: string): { bytes: number; left: number; right: number }[] {
  const { pointer } = open(words);
  const letters = Buffer.from(text);
  core.write(term, letters);
  const count = kernels.dictionaryCuts(pointer, term, letters.length, cuts, CUTS_MAX);
  return Array.from({ length: count }, (_, i) => {
    const [bytes, left, right] = core.u32.subarray(cuts / 4 + 3 * i, cuts / 4 + 3 * i + 3);
    return { bytes, left, right };
  });
}

const letter = fc.constantFrom("a", "b", "c", "é", "è", "ë", "日", "本", "😀", "\u{10ffff}");
const word = fc.oneof(
  fc.array(letter, { minLength: 1, maxLength: 6, size: "max" }).map((letters) => letters.join("")),
  fc.array(letter, { minLength: 1, maxLength: 60, size: "max" }).map((letters) => letters.join("")),
  fc.constantFrom("a".repeat(480), "a".repeat(300), "a".repeat(250)),
  fc.constantFrom(`${"a".repeat(20)}b`, "\0s", "\0sé", "\0t"),
);
const vocabulary = fc.array(word, { maxLength: 200, size: "max" }).map(sortedWords);

test("every term is found, spelled and walked over; nothing else is found", () => {
  fc.assert(
    fc.property(vocabulary, word, fc.nat(), (words, stranger, pick) => {
      const dictionary = open(words);
      assert.equal(dictionary.count, words.length);
      words.forEach((text, ordinal) => {
        assert.equal(dictionary.find(text), ordinal);
        assert.equal(dictionary.term(ordinal), text);
      });
      assert.equal(dictionary.find(stranger), words.indexOf(stranger));
      assert.equal(dictionary.term(words.length), "");
      const start = pick % (words.length + 1);
      assert.deepEqual(walk(start), words.slice(start));
    }),
    { numRuns: 60 },
  );
});

test("a text is cut wherever that leaves two terms", () => {
  const short = fc.string({ unit: fc.constantFrom("a", "b", "é", "字", "🍎"), minLength: 1, maxLength: 4 });
  const terms = fc.array(short, { maxLength: 60 }).map(sortedWords);
  fc.assert(
    fc.property(
      terms,
      fc.tuple(short, short).map((parts) => parts.join("")),
      (words, text) => {
        const letters = [...text];
        const all = letters.slice(1).map((_, i) => {
          const [left, right] = [letters.slice(0, i + 1).join(""), letters.slice(i + 1).join("")];
          return { bytes: Buffer.byteLength(left), left: words.indexOf(left), right: words.indexOf(right) };
        });
        const expected = all.filter(({ left, right }) => left >= 0 && right >= 0);
        assert.deepEqual(cutsOf(words, text), expected);
      },
    ),
    { numRuns: 300 },
  );
});

test("a long text is cut everywhere", () => {
  const letters = Array.from({ length: 480 }, (_, i) => "a".repeat(i + 1));
  assert.deepEqual(
    cutsOf(letters, "a".repeat(480)).map(({ bytes, left, right }) => [bytes, left, right]),
    letters.slice(1).map((_, i) => [i + 1, i, 478 - i]),
  );
});

function walk(start: number): string[] {
  const seen: string[] = [];
  for (
    let on = kernels.dictionaryCursorStart(cursor, section, start);
    on === 1;
    on = kernels.dictionaryCursorNext(cursor)
  ) {
    assert.equal(kernels.dictionaryCursorOrdinal(cursor), start + seen.length);
    const length = kernels.dictionaryCursorLength(cursor);
    seen.push(Buffer.from(core.read(kernels.dictionaryCursorTerm(cursor), length)).toString());
  }
  assert.equal(kernels.dictionaryCursorOrdinal(cursor), kernels.dictionaryCount(section));
  assert.equal(kernels.dictionaryCursorLength(cursor), 0);
  return seen;
}

test("prefix ranges hold the words that begin with the prefix, pseudo-terms only when asked for", () => {
  fc.assert(
    fc.property(
      vocabulary,
      fc.oneof(word, fc.constantFrom("", "a", "é", "\0", "\0s", "\u{10ffff}")),
      (words, prefix) => {
        const [from, to] = open(words).prefix(prefix);
        const [first, end] = prefixRange(words, prefix);
        if (first < 0) assert.equal(from, to);
        else assert.deepEqual([from, to], [first, end]);
      },
    ),
    { numRuns: 150 },
  );
});

test("a prefix may end inside a letter", () => {
  const dictionary = open(["a", "é", "éa", "ë", "日", "本"]);
  assert.deepEqual(dictionary.prefix(Buffer.from([0xc3])), [1, 4]);
  assert.deepEqual(dictionary.prefix(Buffer.from([0xe6])), [4, 6]);
});

test("a walk begins at a term, and nowhere else", () => {
  open(["a", "b"]);
  for (const ordinal of [-33, -1, 2, 40])
    assert.equal(kernels.dictionaryCursorStart(cursor, section, ordinal), 0, `${ordinal}`);
  assert.equal(kernels.dictionaryCursorStart(cursor, section, 1), 1);
  assert.equal(kernels.dictionaryCursorLength(cursor), 1);
});

test("dictionaries of no term, one term and whole blocks are complete", () => {
  for (const count of [0, 1, 2, 31, 32, 33, 63, 64, 65, 1024]) {
    const words = Array.from({ length: count }, (_, i) => String(10_000 + i));
    const dictionary = open(words);
    assert.equal(dictionary.find("0"), -1);
    assert.equal(dictionary.find("9"), -1);
    assert.equal(dictionary.find("10000"), count > 0 ? 0 : -1);
    assert.equal(dictionary.find(String(10_000 + count)), -1);
    assert.deepEqual(dictionary.prefix("1"), [0, count]);
    assert.deepEqual(dictionary.prefix(""), [0, count]);
    assert.deepEqual(walk(0), words);
    const near = nearWords(words, "10000", 1, false).map(({ ordinal }) => ordinal);
    assert.deepEqual(dictionary.fuzzy("10000", 1, false).ordinals, near);
  }
});

test("terms out of order, empty or too long are refused and change nothing", () => {
  const words = ["b", "bc"];
  const expected = Buffer.from(core.read(section, write(words)));
  kernels.dictionaryWriterStart(writer, section, 1000);
  const add = (text: string): number => {
    core.write(term, Buffer.from(text));
    return kernels.dictionaryWriterAdd(writer, term, Buffer.byteLength(text));
  };
  assert.deepEqual(
    [add("b"), add("b"), add("a"), add(""), add("bc"), add("b"), add("bb")],
    [0, -2, -2, -2, 0, -2, -2],
  );
  assert.equal(add("z".repeat(481)), -2);
  assert.deepEqual(Buffer.from(core.read(section, kernels.dictionaryWriterFinish(writer))), expected);
});

test("the promised capacity suffices, and a smaller one is reported without a write behind it", () => {
  fc.assert(
    fc.property(vocabulary, fc.double({ min: 0, max: 1, noNaN: true }), (words, share) => {
      assert.ok(write(words) > 0);
      const capacity = Math.floor(capacityOf(words) * share);
      const bytes = write(words, capacity);
      assert.ok(bytes === -1 || bytes <= capacity);
      if (bytes === -1) assert.equal(kernels.dictionaryWriterFinish(writer), -1);
      assert.ok(core.read(section + capacity, 64).every((byte) => byte === 0xaa));
    }),
  );
});

test("a damaged section is refused, or every look-up in it ends", () => {
  const damages = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), {
    minLength: 1,
    maxLength: 4,
  });
  let accepted = 0;
  fc.assert(
    fc.property(vocabulary, word, damages, (words, text, places) => {
      const bytes = write(words);
      for (const [place, bits] of places) core.u8[section + (place % bytes)] ^= bits;
      if (kernels.dictionaryCheck(section, bytes) === 0) return;
      accepted++;
      const dictionary = new Dictionary(core, section);
      dictionary.find(text);
      dictionary.prefix(text);
      walk(0);
      for (const budget of [1, 2]) for (const prefix of [false, true]) dictionary.fuzzy(text, budget, prefix);
    }),
    { numRuns: 200 },
  );
  assert.ok(accepted > 0);
});

test("any capacity around the bytes of a section gives this section, or tells that it is too small", () => {
  const words = Array.from({ length: 70 }, (_, i) => `${"word".repeat(i % 5)}${String(i).padStart(3, "0")}`);
  for (const count of [1, 31, 32, 33, 64, 70]) {
    const some = sortedWords(words.slice(0, count));
    const bytes = write(some);
    const whole = Buffer.from(core.read(section, bytes));
    for (let capacity = bytes - 40; capacity < bytes + 60; capacity++) {
      if (write(some, capacity) >= 0) assert.deepEqual(Buffer.from(core.read(section, bytes)), whole);
      assert.ok(core.read(section + capacity, 64).every((byte) => byte === 0xaa));
    }
  }
});

test("terms of a damaged section that nobody has checked are no longer than any term", () => {
  const out = core.reserve(1024);
  const damages = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 8 });
  const words = Array.from({ length: 40 }, (_, i) => `${"a".repeat(460)}${String(i).padStart(3, "0")}`);
  fc.assert(
    fc.property(damages, (places) => {
      write(words);
      // Heads, and the numbers of bytes between the tails.
      for (const [place, byte] of places) core.u8[section + 33 + (place % 31)] = byte;
      for (let ordinal = 0; ordinal < 32; ordinal++) {
        core.u8.fill(0xee, out + 512, out + 1024);
        assert.ok(kernels.dictionaryTerm(section, ordinal, out) <= 480);
        assert.ok(core.read(out + 512, 512).every((byte) => byte === 0xee));
      }
    }),
    { numRuns: 200 },
  );
});

test("no more cuts are written than are asked for", () => {
  open(["a", "aa", "aaa", "aaaa"]);
  core.write(term, Buffer.from("aaaaa"));
  for (let most = 0; most <= 4; most++) {
    core.u8.fill(0xee, cuts + 12 * most, cuts + 60);
    assert.equal(kernels.dictionaryCuts(section, term, 5, cuts, most), most);
    assert.ok(core.read(cuts + 12 * most, 60 - 12 * most).every((byte) => byte === 0xee));
  }
});

test("a section with more pseudo-terms than terms is refused", () => {
  const bytes = write(["a", "b"]);
  for (const [pseudo, answer] of [
    [0, 1],
    [2, 1],
    [3, 0],
    [-1, 0],
  ]) {
    core.i32[section / 4 + 1] = pseudo;
    assert.equal(kernels.dictionaryCheck(section, bytes), answer);
  }
});

test("a term that shares more than the term before it has is refused", () => {
  const bytes = write(["ab", "abcd"]);
  for (let shared = 0; shared < 15; shared++) {
    core.u8[section + HEADER_BYTES + 1] = (shared << 4) | 1;
    assert.equal(kernels.dictionaryCheck(section, bytes), Number(shared <= 2), `${shared}`);
  }
});

test("a section with room between its blocks and its index is refused", () => {
  for (const letters of ["a", "ab", "abc", "abcd"]) {
    const bytes = write([letters]);
    const [index] = core.u32.slice(section / 4 + 3);
    core.u32.copyWithin((section + index) / 4 + 1, (section + index) / 4, (section + bytes) / 4);
    core.u32.set([index + 4, bytes + 4], section / 4 + 3);
    assert.equal(kernels.dictionaryCheck(section, bytes + 4), 0, letters);
  }
});

test("sections cut short are refused", () => {
  const words = Array.from({ length: 100 }, (_, i) => `word${String(i).padStart(3, "0")}`);
  const bytes = write(words);
  for (let kept = 0; kept < bytes; kept++) assert.equal(kernels.dictionaryCheck(section, kept), 0);
});

test("terms are compared by their bytes", () => {
  fc.assert(
    fc.property(word, word, (a, b) => {
      const [first, second] = [Buffer.from(a), Buffer.from(b)];
      core.write(term, first);
      core.write(term + 512, second);
      const order = kernels.dictionaryCompare(term, first.length, term + 512, second.length);
      assert.equal(Math.sign(order), Math.sign(compareBytes(a, b)));
    }),
  );
});

test("strings longer than any term are not found", () => {
  const dictionary = open(["a".repeat(480)]);
  assert.equal(dictionary.find("a".repeat(481)), -1);
  assert.equal(dictionary.find("é".repeat(241)), -1);
  const [from, to] = dictionary.prefix("a".repeat(600));
  assert.equal(from, to);
});

test("the regions of the host are as large as the kernels ask for", () => {
  assert.equal(kernels.DICTIONARY_WRITER_BYTES.value, DICTIONARY_WRITER_BYTES);
  assert.equal(kernels.DICTIONARY_CURSOR_BYTES.value, DICTIONARY_CURSOR_BYTES);
  assert.equal(kernels.DICTIONARY_FUZZY_BYTES.value, DICTIONARY_FUZZY_BYTES);
});

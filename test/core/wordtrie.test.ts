// Words of languages without spaces: tries of them, and the ways they cut text.
import assert from "node:assert/strict";
import { resolve } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { cutChinese, shortWords, weightOf } from "../../src/core/chinesewords.ts";
import { readChineseWords, readThaiWords } from "../../src/core/wordfile.ts";
import { WordTrie } from "../../src/core/wordtrie.ts";

interface Tool {
  trieOf(words: ReadonlyMap<string, number>): Uint8Array;
}

const { trieOf }: Tool = await import(pathToFileURL(resolve("tools/wordtrie.mjs")).href);

const letters = fc.constantFrom("a", "b", "c", "7", "京", "北", "京\u{20000}", "ก", "\uffff");
const word = fc.array(letters, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("").slice(0, 5));
const weights = fc.array(fc.tuple(word.filter(isBasic), fc.integer({ min: 1, max: 255 })), { maxLength: 30 });
const text = fc.array(letters, { maxLength: 12 }).map((parts) => parts.join(""));

function isBasic(word: string): boolean {
  return !/[\ud800-\udfff]/.test(word);
}

test("the longest word at any place of a text is that of a set of words", () => {
  fc.assert(
    fc.property(weights, text, (entries, input) => {
      const words = new Map(entries);
      const trie = new WordTrie(trieOf(words));
      for (const [word] of words) assert.equal(trie.has(word), true);
      for (let at = 0; at <= input.length; at++) {
        const found = Array.from(words.keys()).filter((word) => input.startsWith(word, at));
        assert.equal(trie.longestAt(input, at), Math.max(0, ...found.map(({ length }) => length)));
      }
    }),
  );
});

test("the weight of a word stands where it ends", () => {
  fc.assert(
    fc.property(weights, (entries) => {
      const words = new Map(entries);
      const trie = new WordTrie(trieOf(words));
      for (const [word, weight] of words) {
        let node = 0;
        for (let at = 0; at < word.length; at++) node = trie.next(node, word.charCodeAt(at));
        assert.equal(trie.weightAt(node), weight);
      }
    }),
  );
});

test("what is no file of words is refused", () => {
  const file = trieOf(new Map([["北京", 3]]));
  for (let length = 0; length < file.length; length++)
    assert.throws(() => new WordTrie(file.subarray(0, length)), RangeError);
  assert.throws(
    () => new WordTrie(new TextEncoder().encode("<!doctype html><title>Not found</title>")),
    RangeError,
  );
});

/** Scores of all ways to cut a text, by their words. */
function* ways(
  words: ReadonlyMap<string, number>,
  rest: string,
): Generator<{ cut: string[]; score: number }> {
  if (rest === "") yield { cut: [], score: 0 };
  const found = Array.from(words.keys()).filter((word) => rest.startsWith(word));
  const unknown = String.fromCodePoint(rest.codePointAt(0) ?? 0);
  for (const word of rest === "" ? [] : found.length > 0 ? found : [unknown]) {
    const cost = weightOf(60_101_964);
    for (const { cut, score } of ways(words, rest.slice(word.length)))
      yield { cut: [word, ...cut], score: score + (words.get(word) ?? 1) - cost };
  }
}

test("Chinese text is cut where its words are the most frequent together", () => {
  const characters = fc.constantFrom("甲", "乙", "丙", "\u{20000}");
  const short = fc
    .array(characters, { minLength: 1, maxLength: 2 })
    .map((parts) => parts.join(""))
    .filter(isBasic);
  const entries = fc.array(fc.tuple(short, fc.integer({ min: 1, max: 90 })), { maxLength: 10 });
  const piece = fc.array(characters, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(entries, piece, (given, input) => {
      const words = new Map(given);
      const cut = cutChinese(new WordTrie(trieOf(words)), input);
      assert.equal(cut.join(""), input);
      const all = Array.from(ways(words, input));
      const best = Math.max(...all.map(({ score }) => score));
      const own = all.find((way) => way.cut.join(" ") === cut.join(" "));
      assert.equal(own?.score, best, cut.join(" "));
    }),
  );
});

/** What a few words make of a text. */
const cut = (words: Record<string, number>, text: string): string =>
  cutChinese(new WordTrie(trieOf(new Map(Object.entries(words)))), text).join(" ");

test("of ways that are as good, the one with the longer first word is taken", () => {
  assert.equal(cut({ 甲: 9, 甲乙: 9, 乙丙: 9, 丙: 9 }, "甲乙丙"), "甲乙 丙");
});

test("a character where a word begins is not unknown, however rare the word", () => {
  assert.equal(cut({ 甲乙: 1, 乙丙: 90 }, "甲乙丙"), "甲乙 丙");
});

test("an unknown character counts as one of frequency 1", () => {
  assert.equal(cut({ 甲乙: 1, 甲: 150 }, "甲乙"), "甲乙");
  assert.equal(cut({ 甲乙: 1, 甲: 160 }, "甲乙"), "甲 乙");
});

test("long words are cut into words of two characters before words of three", () => {
  assert.equal(cut({ 甲乙丙丁: 90, 甲乙: 1, 甲乙丙: 1, 丙丁: 1 }, "甲乙丙丁"), "甲乙 丙丁");
  assert.equal(cut({ 甲乙丙丁: 90, 甲乙丙: 1 }, "甲乙丙丁"), "甲乙丙 丁");
  assert.equal(cut({ 甲乙丙丁: 90, 乙丙: 1 }, "甲乙丙丁"), "甲 乙丙 丁");
});

test("the words that come with the code cut text as speakers do", () => {
  const chinese = new WordTrie(readChineseWords());
  assert.deepEqual(cutChinese(chinese, "人工智能与机器学习"), ["人工", "智能", "与", "机器", "学习"]);
  assert.deepEqual(cutChinese(chinese, "他来到了网易杭研大厦"), [
    "他",
    "来到",
    "了",
    "网易",
    "杭",
    "研",
    "大厦",
  ]);
  assert.deepEqual(cutChinese(chinese, "2008年x座"), ["2008", "年", "x", "座"]);
  assert.deepEqual(shortWords(chinese, "人工智能"), ["人工", "智能"]);
  const thai = new WordTrie(readThaiWords());
  assert.equal(thai.longestAt("ภาษาอังกฤษดี", 0), "ภาษาอังกฤษ".length);
  assert.equal(thai.longestAt("ะะ", 0), 0);
});

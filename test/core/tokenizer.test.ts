// The tokenizer of the core against its twin, on generated texts of all scripts, valid or not, and generated
// settings.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Core } from "../../src/core/core.ts";
import type { TokenizerSettings } from "../../src/core/patterns.ts";
import { Segmenter } from "../../src/core/segmenter.ts";
import { type Token, Tokenizer } from "../../src/core/tokenizer.ts";
import { tokenizeTwin } from "../twins/tokenizer.ts";
import { variants } from "../twins/tokenizer-characters.ts";

/** Longer words are not indexed: what of them the core keeps is its own affair. */
const WORD_BYTES_MAX = 250;

const tokenizer = new Tokenizer(new Core());
const encode = (text: string) => new TextEncoder().encode(text);

/** Strings of characters of one range. */
const ranges = `
  61-7A 41-5A 20-7E 00-7F 80-24F 1E00-1EFF 370-3FF 400-52F 530-58F 590-5FF 600-6FF FB00-FEFF 900-97F E01-E5B
  1780-17DD 10A0-10FF 1C90-1CBF AC00-D7A3 1100-11FF 3041-30FF 4E00-4E80 3001-30FF FF01-FFEE 2000-22FF 300-36F
  1F300-1F64F 1D400-1D7FF 2F800-2FA1D E0100-E01EF E000-10FFFF 1680-D7FF
  3400-9FEF 9480-94FF`;
const scripts = fc.oneof(
  ...ranges
    .trim()
    .split(/\s+/)
    .map((range) => {
      const [min, max] = range.split("-").map((hex) => Number.parseInt(hex, 16));
      const character = fc.integer({ min, max }).map((codePoint) => String.fromCodePoint(codePoint));
      return fc.array(character, { minLength: 1, maxLength: 8 }).map((characters) => characters.join(""));
    }),
);
const words = `
  . , J.R.R. the The cat concatenate &sep; C++ … ½ ﬁ Æther œuvre İstanbul ß ΟΔΟΣ ς ς\u0301 l’eau Åse
  o\u0308 A\u030A ﷺ بحر الرياض أل ـ كتابي ۱۲ 北京大学 我喜欢 ドバイ 東京タワー ภาษาไทย ភាសាខ្មែរ ។ល។ 두바이 Դուբայ đĐðÐ ı
  29.3°F! 台湾 臺灣 学习 龙 \u0000 a\u0001b \u200D`;
const phrases = fc.constantFrom(
  ...words.trim().split(/\s+/),
  " ",
  ", ",
  ". ",
  "  ",
  "\n",
  "\u0085",
  "\u00A0",
  "\u202F",
  "\uFEFF",
  "\u000B",
);
const text = fc.array(fc.oneof(scripts, phrases, phrases), { maxLength: 24 }).map((parts) => parts.join(""));
/** At the edges of UTF-8: overlong forms, surrogates, beyond U+10FFFF, and characters beside them. */
const edges = `
  c080 c1bf c280 e09fbf e0a080 ed9fbf eda080 edbfbf ee8080 f08fbfbf f0908080 f48fbfbf f4908080 f5808080
  f8 ff 80 bf e0a0 f09080`;
const invalid = fc
  .constantFrom(...edges.trim().split(/\s+/))
  .map((hex) => Uint8Array.from(Buffer.from(hex, "hex")));
const bytes = fc.oneof(
  { weight: 3, arbitrary: text.map(encode) },
  fc
    .array(fc.oneof(text.map(encode), fc.uint8Array({ maxLength: 6 }), invalid), { maxLength: 6 })
    .map((parts) => Uint8Array.from(parts.flatMap((part) => Array.from(part)))),
);
const strings = fc.array(
  fc.oneof(
    phrases,
    fc.constantFrom("-", "_", "@", "|", "e", "E", "é", "!", "、", "。", " ", "th", ""),
    scripts,
  ),
  { maxLength: 5 },
);
const settings: fc.Arbitrary<TokenizerSettings> = fc.oneof(
  fc.constant({}),
  fc.record(
    { stopWords: strings, separatorTokens: strings, nonSeparatorTokens: strings, dictionary: strings },
    { requiredKeys: [] },
  ),
);
const locales = fc.oneof(
  fc.constant(undefined),
  fc.array(fc.constantFrom("en", "zh", "zho", "cmn", "ja", "jpn", "sv", "swe", "ar", "fa", "pes", "urd"), {
    maxLength: 3,
  }),
);

/** A long lemma may be cut; everything else must be equal. */
function assertSame(actual: Token[], expected: Token[]): void {
  const isLong = (token: Token) => encode(token.lemma).length > WORD_BYTES_MAX;
  const short = (token: Token) => (isLong(token) ? { ...token, lemma: "long" } : token);
  assert.deepEqual(actual.map(short), expected.map(short));
}

test("tokens equal those of the twin for any text, settings and locales", () => {
  fc.assert(
    fc.property(bytes, settings, locales, (input, options, languages) => {
      tokenizer.configure(options);
      assertSame(tokenizer.tokenizeUtf8(input, languages), tokenizeTwin(input, options, languages));
    }),
    { numRuns: 3000 },
  );
});

test("long texts are cut the same way wherever the buffers end", () => {
  const word = fc.oneof(
    fc.string({ maxLength: 9 }),
    fc.constantFrom(", ", ". ", " ", "\n", "é", "x".repeat(70), "y".repeat(1500)),
    fc.nat({ max: 70 }).map((length) => "-".repeat(length)),
  );
  fc.assert(
    fc.property(fc.array(word, { minLength: 400, maxLength: 3000 }), (words) => {
      const input = encode(words.join(""));
      tokenizer.configure({ stopWords: ["a", "b"] });
      assertSame(tokenizer.tokenizeUtf8(input), tokenizeTwin(input, { stopWords: ["a", "b"] }));
    }),
    { numRuns: 25 },
  );
});

test("a word longer than the buffers is one token with a cut lemma", () => {
  tokenizer.configure({});
  for (const letter of ["x", "é", "я", "한"]) {
    const input = encode(letter.repeat(40_000));
    const [token, ...others] = tokenizer.tokenizeUtf8(input);
    assert.equal(others.length, 0);
    assert.equal(token.end, input.length);
    const lemmaBytes = encode(token.lemma).length;
    assert.ok(lemmaBytes > WORD_BYTES_MAX && lemmaBytes <= 1024, `${letter}: ${lemmaBytes}`);
  }
});

test("a long piece of text without spaces is cut into words that together are the piece", () => {
  tokenizer.configure({});
  const input = encode("我喜欢北京大学的生活".repeat(2000));
  const tokens = tokenizer.tokenizeUtf8(input);
  assert.ok(tokens.length > 8000);
  let end = 0;
  for (const token of tokens) {
    assert.equal(token.start, end);
    end = token.end;
  }
  assert.equal(end, input.length);
});

test("a piece that is longer than its parts is cut as it would be whole", () => {
  tokenizer.configure({});
  const segmenter = new Segmenter();
  const texts = { 1: "他来到了网易杭研大厦2008年", 3: "คอมพิวเตอร์ภาษาอังกฤษที่ฉันรักมากกว่าสิ่งอื่น" };
  for (const [language, text] of Object.entries(texts)) {
    for (let pad = 0; pad < 40; pad++) {
      const input = text.slice(0, 1).repeat(pad) + text.repeat(120);
      const own = tokenizer.tokenize(input).map(({ start, end }) => end - start);
      assert.deepEqual(
        own,
        segmenter.cut(input, Number(language)).map((word) => encode(word).length),
        `${language} ${pad}`,
      );
    }
  }
});

test("numbers and ASCII marks beside text without spaces are cut as the twin does", () => {
  tokenizer.configure({});
  for (const text of ["北京 10$+5 大学", "ภาษา 3$=4| ไทย", "2008年 2008 ๑๒ ก", "ドバイ 1+1=2 東京"])
    assertSame(tokenizer.tokenizeUtf8(encode(text)), tokenizeTwin(encode(text), {}));
});

test("what is cut as one language is cut anew as another", () => {
  const segmenter = new Segmenter();
  assert.deepEqual(
    [1, 2].map((language) => segmenter.cut("东京大学", language).length > 0),
    [true, true],
  );
  assert.notDeepEqual(segmenter.cut("ภาษาไทย", 1), segmenter.cut("ภาษาไทย", 3));
});

test("Chinese characters are folded to one of their forms, Japanese ones are not", () => {
  tokenizer.configure({});
  const lemmas = (text: string, ...locales: string[]) =>
    tokenizer.tokenizeUtf8(encode(text), locales).map(({ lemma }) => lemma);
  assert.deepEqual(lemmas("學習"), ["學", "習"]);
  assert.deepEqual(lemmas("学习"), ["學習"]);
  assert.deepEqual(lemmas("鉴"), ["鑒"]);
  assert.deepEqual(lemmas("学", "jpn"), ["学"]);
  assert.deepEqual(lemmas("学", "eng"), ["学"]);
});

test("a Chinese form beyond U+FFFF is whole", () => {
  tokenizer.configure({});
  const far = Array.from(variants).filter(([, form]) => form.length === 2);
  assert.ok(far.length > 100);
  for (const [character, form] of far) {
    assert.deepEqual(tokenizer.tokenizeUtf8(encode(character), ["cmn"])[0].lemma, form);
  }
});

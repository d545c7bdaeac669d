// What users see of the tokenizer: separators, positions of words, foldings, settings and locales, by
// example.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Core } from "../../src/core/core.ts";
import { normalizeStopWord, type TokenizerSettings } from "../../src/core/patterns.ts";
import { Tokenizer } from "../../src/core/tokenizer.ts";
import { LANGUAGES } from "../../src/schemas/locales.ts";

const tokenizer = new Tokenizer(new Core());

/** Tokens as text: words as they are, `-stop-`, `<hard>`, `(soft)`, `[]` for an empty lemma. */
function show(text: string, settings: TokenizerSettings = {}, locales?: string[]): string {
  tokenizer.configure(settings);
  const marks = { none: "[]", word: "", stop: "--", hard: "<>", soft: "()" };
  return tokenizer
    .tokenize(text, locales)
    .map(
      ({ lemma, kind }) =>
        marks[kind].slice(0, marks[kind].length / 2) + lemma + marks[kind].slice(marks[kind].length / 2),
    )
    .join(" ");
}

test("punctuation separates words, softly or hard", () => {
  assert.equal(show("it's 29.3°F!"), "it (') s ( ) 29 (.) 3°f <!>");
  assert.equal(show("Hello, World. x,y.z"), "hello <, > world <. > x (,) y (.) z");
  assert.equal(show("end."), "end (.)");
  assert.equal(show("a; b? c: d"), "a <;> ( ) b <?> ( ) c (:) ( ) d");
  assert.equal(show("你，好。"), "你 (,) 好 <。>");
});

test("every separator character is a token of its own", () => {
  assert.equal(show("a  b--c"), "a ( ) ( ) b (-) (-) c");
});

test("some ASCII symbols belong to words", () => {
  assert.equal(show("a=b c|d 10$ x~y <z>"), "a=b ( ) c|d ( ) 10$ ( ) x~y ( ) <z>");
});

test("a no-break space becomes a space inside the word, or a separator when alone", () => {
  assert.equal(show("a\u00A0b -\u00A0-"), "a b ( ) (-) ( ) (-)");
});

test("separators are judged by their decomposition", () => {
  assert.equal(show("a…b"), "a ... b");
  assert.equal(show("a‼b"), "a !! b");
  assert.equal(show("a\u0000b"), "a [] b");
  assert.equal(show("a：b"), "a (:) b");
});

test("case, accents, ligatures and quotes are folded in Latin text", () => {
  assert.equal(
    show("ÉTÉ Æther œuvre Đông İstanbul ısı ﬁn Straße"),
    show("ete aether oeuvre dong istanbul isi fin straße"),
  );
  assert.equal(show("l’été"), "l (') ete");
});

test("all quotes, and all forms of d and i, are folded in Latin text", () => {
  assert.equal(show("l\u2018a l\u2019a l\u201Ba"), "l (') a ( ) l (') a ( ) l (') a");
  assert.equal(show("xÐ xð xĐ xđ xı"), "xd ( ) xd ( ) xd ( ) xd ( ) xi");
});

test("a comma at the end of a text is no pair with a space that follows the text in memory", () => {
  for (const settings of [{}, { stopWords: ["the"] }]) {
    tokenizer.configure(settings);
    for (const length of [1, 62, 63, 64, 127]) {
      const text = "a".repeat(length);
      tokenizer.tokenize(`${text}, b`);
      assert.equal(show(`${text},`, settings), `${text} (,)`);
    }
  }
});

test("pairs are found wherever they lie, and strings of the settings end with their text", () => {
  for (let length = 58; length < 70; length++) {
    const word = "a".repeat(length);
    assert.equal(show(`${word}, b. c`), `${word} <, > b <. > c`);
  }
  const settings = { dictionary: ["abcd", "aя"] };
  assert.equal(show("abcd", settings), "abcd");
  assert.equal(show("abc", settings), "abc");
  assert.equal(show("aя", settings), "a я");
});

test("control characters are nothing, also where they separate", () => {
  assert.equal(show("a\x7Fb~c\u{E01EF}d"), "ab~cd");
  assert.equal(show("a\x7Fb", { separatorTokens: ["\x7F"] }), "a [] b");
});

test("text with one kana in twenty characters is Chinese, with more it is Japanese", () => {
  for (const han of [17, 18, 19, 20]) {
    const isChinese = show(`${"学".repeat(han)}ラ`).includes("學");
    assert.equal(isChinese, han >= 19, `${han}`);
  }
});

test("a text of any number of short words has all of them", () => {
  tokenizer.configure({});
  for (const word of ["é", "я", "ab"]) {
    const tokens = tokenizer.tokenize(`${word}-`.repeat(2100));
    assert.equal(tokens.length, 4200);
    tokens.forEach(({ lemma }, i) => {
      assert.equal(lemma, i % 2 ? "-" : word === "é" ? "e" : word);
    });
  }
});

test("a whole text is folded by the script of most of its characters, whatever was folded before", () => {
  tokenizer.configure({});
  for (const before of ["", "日".repeat(50), "я".repeat(50), "É".repeat(50)]) {
    tokenizer.fold(before);
    assert.equal(tokenizer.fold("АБВ 日"), "абв 日");
    assert.equal(tokenizer.fold("ÉÀ. я"), "ea. я");
    assert.equal(tokenizer.fold(""), "");
  }
});

test("Cyrillic keeps its marks, decomposed", () => {
  assert.equal(show("Йод Ёж"), "и\u0306од ( ) е\u0308ж");
});

test("Greek loses accents and final sigma", () => {
  assert.equal(show("Ελλάς ΟΔΟΣ"), "ελλασ ( ) οδοσ");
});

test("Hangul syllables become letters", () => {
  assert.equal(show("한"), "\u1112\u1161\u11AB");
});

test("Arabic words lose the article and variants of letters", () => {
  assert.equal(show("الرياض"), "ال رياض");
  assert.equal(show("مدينة"), "مدينه");
  assert.equal(show("أحمد"), "احمد");
  assert.equal(show("کتابي", {}, ["fa"]), "کتابی");
  assert.equal(show("الرياض", {}, ["ur"]), "الرياض");
});

test("text without spaces is cut by dictionaries, long Chinese words into their parts", () => {
  assert.equal(show("我喜欢北京大学"), "我 喜歡 北京 大學");
  assert.equal(show("我喜歡北京大學"), "我 喜 歡 北京 大 學");
  assert.equal(show("中華人民共和國"), "中 華 人民 共和 國");
  assert.equal(show("ฉันรักภาษาไทยมาก"), "ฉน รก ภาษาไทย มาก");
  assert.equal(show("กกฮฮ๙"), "กก ฮ ฮ ๙");
  assert.equal(show("东京", {}, ["eng"]), "东京");
  assert.equal(show("12345 北京"), "12345 ( ) 北京");
});

test("Han and kana are judged from one separator to the next, unless locales say what they are", () => {
  assert.equal(show("ラホール,学习"), "ラホール (,) 學習");
  assert.equal(show("ラホール,学习", {}, ["cmn", "jpn"]), "ラホール (,) 學習");
  assert.equal(show("ラホール,学习", {}, ["eng", "jpn"]), "ラホール (,) 学习");
  assert.equal(show("ラホール学习ラ", { dictionary: ["学习"] }), "ラホール 學習 ラ");
  const chinese = "他来到了网易杭研大厦".repeat(20);
  assert.match(show(`${chinese},ラーメン,${chinese}`), / ラーメン /);
  assert.equal(show("东京"), show("ラホール,东京").split(" ").slice(2).join(" "));
  assert.equal(show("ラホール,学习", {}, ["jpn"]), "ラホール (,) 学习");
  assert.equal(show("会社に行く"), "会社 に 行く");
});

test("a dictionary word is one word wherever it occurs, in its own case", () => {
  assert.equal(show("J.R.R. Tolkien", { dictionary: ["J.R.R."] }), "j.r.r. ( ) tolkien");
  assert.equal(show("concatenate Cat", { dictionary: ["cat"] }), "con cat enate ( ) cat");
  assert.equal(show("abcd", { dictionary: ["ab", "abc"] }), "abc d");
});

test("separators can be added and taken away", () => {
  assert.equal(show("a&sep;b|c", { separatorTokens: ["&sep;", "|"] }), "a (&sep;) b (|) c");
  assert.equal(show("#tag a_b", { nonSeparatorTokens: ["#", "_"] }), "#tag ( ) a_b");
  assert.equal(show("a  b.", { nonSeparatorTokens: [" "] }), "a  b (.)");
  // The dictionary of Thai cuts white space, before its first letter as well.
  for (const space of [" ", "\t", "\n", "\r"]) {
    const expected = [space, space, "(.)", "ก"].join(" ");
    assert.equal(show(`${space}${space}.ก`, { nonSeparatorTokens: [space] }), expected);
  }
  assert.equal(show("a|b", { separatorTokens: ["|"], nonSeparatorTokens: ["|"] }), "a|b");
  assert.equal(show("a, b", { nonSeparatorTokens: [", "] }), "a (,) ( ) b");
  assert.equal(show("x, y", { nonSeparatorTokens: [","] }), "x <, > y");
});

test("stop words are compared before the case is lowered", () => {
  assert.equal(show("the The", { stopWords: ["the"] }), "-the- ( ) the");
  assert.equal(show("the The", { stopWords: ["The"] }), "the ( ) -the-");
  assert.equal(show("été ete", { stopWords: ["été"] }), "-ete- ( ) ete");
});

test("stop words are kept decomposed and without control characters", () => {
  assert.equal(normalizeStopWord("Été\u0001"), "E\u0301te\u0301");
  assert.equal(normalizeStopWord("ﬁ"), "fi");
  assert.equal(normalizeStopWord("\u00E5"), "\u00E5");
});

test("Swedish letters stay when the locale says so", () => {
  assert.equal(show("Åse går över é", {}, ["sv"]), "åse ( ) går ( ) över ( ) e");
  assert.equal(show("Kattlår moé oë", {}, ["sv"]), "kattlår ( ) moe ( ) oe");
  assert.equal(show("Åse går över é", {}, ["sv", "en"]), "ase ( ) gar ( ) over ( ) e");
});

test("a run is what most of its characters say", () => {
  assert.equal(show("Բարեւ ABC"), "բարեւ ( ) abc");
  assert.equal(show("Բարեւ œ"), "բարեւ ( ) œ");
  assert.equal(show("Բ œuvre"), "բ ( ) oeuvre");
  assert.equal(show("カタカナと漢字", {}, ["zh", "ja"]).replaceAll(" ", ""), "カタカナと漢字");
});

test("of equally frequent scripts the one wins that a vote of moving places prefers", () => {
  assert.equal(show("Հայ été"), "հայ ( ) ete");
  assert.equal(show("Հայ कमल"), "Հայ ( ) कमल");
  assert.equal(show("éééééé Հայերէ"), "eeeeee ( ) հայերէ");
  assert.equal(show(`${"é".repeat(30)} ${"Ա".repeat(30)}`), `${"e\u0301".repeat(30)} ( ) ${"ա".repeat(30)}`);
  tokenizer.configure({});
  assert.equal(tokenizer.fold("한국 中国"), "한국 中國".normalize("NFKD"));
  // Two of Armenian win, even when all other scripts have passed it; nothing else here has capitals.
  const others = "\u0d9a\u1780";
  assert.equal(tokenizer.fold(`ԱԱ${others}`), `աա${others}`);
});

test("a whole value is folded as its beginning is", () => {
  tokenizer.configure({});
  assert.equal(tokenizer.fold("国会"), "國會");
  assert.equal(tokenizer.fold("国会の図書館"), "國會の圖書館");
  assert.equal(tokenizer.fold("国会の図書館", ["jpn"]), "国会の図書館");
  assert.equal(tokenizer.fold("国会の図書館", ["cmn", "jpn"]), "国会の図書館");
  assert.equal(tokenizer.fold("国会", ["cmn", "jpn"]), "國會");
  assert.equal(tokenizer.fold("国会図書館カ", ["cmn", "jpn"]), "国会図書館カ");
  assert.equal(tokenizer.fold("Мир är", ["swe"]), "мир är");
});

test("tokens tell their bytes in the text", () => {
  tokenizer.configure({});
  const places = tokenizer.tokenize("é, x").map(({ start, end }) => [start, end]);
  assert.deepEqual(places, [
    [0, 2],
    [2, 4],
    [4, 5],
  ]);
});

test("settings of one tokenizer do not reach another of the same core", () => {
  const core = new Core();
  const first = new Tokenizer(core, { stopWords: ["the"] });
  const second = new Tokenizer(core);
  assert.equal(first.tokenize("the")[0].kind, "stop");
  assert.equal(second.tokenize("the")[0].kind, "word");
});

test("the only language of several that is written in the script of a text is its language", () => {
  const lemmas = (text: string, ...locales: string[]) =>
    tokenizer.tokenize(text, locales).map(({ lemma }) => lemma);
  const swedish = lemmas("ängsö", "swe");
  assert.notDeepEqual(swedish, lemmas("ängsö"));
  for (const others of [["cmn"], ["jpn", "rus"], ["ar", "zh"]])
    assert.deepEqual(lemmas("ängsö", ...others, "sv"), swedish);
  assert.deepEqual(lemmas("ängsö", "swe", "eng"), lemmas("ängsö"));
  const persian = lemmas("۱۲ كتاب", "pes");
  assert.deepEqual(lemmas("۱۲ كتاب", "pes", "eng"), persian);
  assert.deepEqual(lemmas("۱۲ كتاب", "pes", "ara"), lemmas("۱۲ كتاب", "ara"));
});

test("the article stays with its word when none of several languages has it", () => {
  assert.equal(show("الشجرة"), "ال شجره");
  assert.equal(show("الشجرة", {}, ["eng", "ara"]), "ال شجره");
  assert.equal(show("الشجرة", {}, ["eng", "pes"]), "ال شجره");
  assert.equal(show("الشجرة", {}, ["eng", "fra"]), "الشجره");
  assert.equal(show("الشجرة", {}, ["eng", "urd"]), "الشجره");
  assert.equal(show("الشجرة", {}, ["eng"]), "الشجره");
});

test("the scripts of all languages are known", () => {
  const scriptOf = (language: string) => new Intl.Locale(language).maximize().script;
  // The code of a set says whether the first language is the only one of its script.
  const isAlone = (language: string, other: string, bit: number) =>
    (tokenizer.localeCode([language, other]) & bit) !== 0;
  for (const other of Object.values(LANGUAGES)) {
    if (other !== "swe") assert.equal(isAlone("swe", other, 2), scriptOf(other) !== "Latn", other);
    if (other !== "pes") assert.equal(isAlone("pes", other, 4), scriptOf(other) !== "Arab", other);
  }
});

test("locale codes tell the languages apart that matter", () => {
  const code = (...locales: string[]) => tokenizer.localeCode(locales);
  assert.equal(code(), tokenizer.localeCode());
  assert.equal(code("zh"), code("cmn", "zho"));
  assert.equal(code("en"), code("deu"));
  assert.notEqual(code("en"), code());
  assert.notEqual(code("en", "zh"), code("en", "ja"));
  assert.equal(new Set([code("ja"), code("sv"), code("ar"), code("fa"), code("zh"), code("en")]).size, 6);
});

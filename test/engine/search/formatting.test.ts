// Highlighted and cropped texts and the positions of matches: compared with the naive formatter on generated
// documents and queries, and known answers for what it does not cover. FORMATTING_RUNS: number of indexes.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { SearchBody } from "../../../src/schemas/search.ts";
import type { SettingsPatch } from "../../../src/schemas/settings.ts";
import { NaiveFormatter } from "./naiveformatter.ts";
import { NaiveIndex, type TestDocument } from "./naiveindex.ts";
import { SearchIndex } from "./searchindex.ts";

const RUNS = Number(process.env.FORMATTING_RUNS ?? 150);
const MILLISECONDS_MAX = process.env.FORMATTING_RUNS ? undefined : 8000;
const QUERIES_PER_INDEX = 6;
const LIMITS = { numRuns: RUNS, interruptAfterTimeLimit: MILLISECONDS_MAX, markInterruptAsFailure: false };

const words = [
  ..."sun flower sunflower sunflowers flowers the of king boat ship summer holiday sum holidya".split(" "),
  ..."Crème creme cre\u0300me brûlée Straße strasse naïve ﬁne fine ёлка йод Йога и\u0306од".split(" "),
  ..."🍎 apple🍏apple 电影 上海电影节 42 3.5 a b Ångström".split(" "),
];
const word = fc.constantFrom(...words);
const joint = fc.constantFrom(" ", " ", " ", " ", "-", ", ", ". ", "! ", "\n", "  ", '"', "\\", " … ");
const text = (most: number) =>
  fc.array(fc.tuple(word, joint), { maxLength: most }).map((parts) => parts.flat().join(""));
const document = fc.record(
  {
    title: text(5),
    body: text(40),
    tags: fc.array(text(3), { maxLength: 3 }),
    n: fc.constantFrom(42, 3.5, -7),
  },
  { requiredKeys: ["title", "body"] },
);
const documents = fc
  .array(document, { minLength: 2, maxLength: 8 })
  .map((list) => list.map((fields, i) => ({ id: 100 + i, ...fields }) as TestDocument));

const queryWord = fc.oneof(
  { weight: 4, arbitrary: word },
  {
    weight: 3,
    arbitrary: fc.tuple(word, fc.nat(6)).map(([word, cut]) => [...word].slice(0, 1 + cut).join("")),
  },
  { weight: 1, arbitrary: fc.tuple(word, word).map(([a, b]) => `"${a} ${b}"`) },
  { weight: 1, arbitrary: fc.tuple(word, word, word).map((list) => `"${list.join(" ")}"`) },
);
const q = fc
  .array(queryWord, { minLength: 1, maxLength: 4 })
  .chain((parts) => fc.constantFrom(parts.join(" "), `${parts.join(" ")} `));
const settings: fc.Arbitrary<SettingsPatch> = fc.record(
  {
    searchableAttributes: fc.constantFrom(["title"], ["title", "body"]),
    stopWords: fc.constant(["the", "of"]),
    synonyms: fc.constant({ boat: ["ship", "summer holiday"], "sun flower": ["king"] }),
    separatorTokens: fc.constant(["🍏"]),
    dictionary: fc.constant(["3.5"]),
    prefixSearch: fc.constantFrom("disabled" as const, "indexingTime" as const),
    typoTolerance: fc.constantFrom({ enabled: false }, { minWordSizeForTypos: { oneTypo: 3, twoTypos: 5 } }),
  },
  { requiredKeys: [] },
);
const format = fc.record({
  highlight: fc.boolean(),
  crop: fc.oneof(fc.nat(8), fc.constantFrom(12, 20)),
  marker: fc.constantFrom("…", "", ' "cut" '),
  tags: fc.constantFrom<[string, string]>(["<em>", "</em>"], ['<b class="x">', "\n"], ["", ""]),
});

test("texts of hits are formatted as the definitions say", () => {
  const searches = fc.array(fc.tuple(q, format), { minLength: 1, maxLength: QUERIES_PER_INDEX });
  const property = fc.property(documents, settings, searches, (documents, patch, searches) => {
    const index = new SearchIndex(patch);
    index.add(documents);
    const naive = new NaiveIndex(documents, patch);
    for (const [q, format] of searches) {
      const formatter = new NaiveFormatter(naive, q);
      const { hits } = index.search({
        q,
        matchingStrategy: "last",
        showMatchesPosition: true,
        attributesToHighlight: format.highlight ? ["*"] : [],
        attributesToCrop: ["*"],
        cropLength: format.crop,
        cropMarker: format.marker,
        highlightPreTag: format.tags[0],
        highlightPostTag: format.tags[1],
      });
      for (const { id, _formatted, _matchesPosition } of hits) {
        const document = documents.find((one) => one.id === id)!;
        const expected = [formatter.formatted(document, format), formatter.positions(document)];
        assert.deepEqual([_formatted, _matchesPosition], expected, JSON.stringify({ q, document, format }));
      }
    }
    index.close();
  });
  fc.assert(property, LIMITS);
});

function formatted(text: unknown, query: SearchBody, settings: SettingsPatch = {}): unknown {
  const index = new SearchIndex(settings);
  index.add([{ id: 1, text }]);
  const [hit] = index.search({ attributesToRetrieve: [], ...query }).hits;
  index.close();
  return (hit?._formatted as Record<string, unknown> | undefined)?.text;
}

test("a word that stands for more of the query is tagged whole", () => {
  const tagged = { attributesToHighlight: ["text"] };
  assert.equal(formatted("coconut co", { q: "co co", ...tagged }), "<em>coco</em>nut <em>co</em>");
  const text = formatted("nanana na nan", { q: "na na na", ...tagged });
  assert.equal(text, "<em>nanana</em> <em>na</em> <em>na</em>n");
});

test("a last match that fills the window by itself is passed over", () => {
  const text = "xx ee yy zz ww vv uu ss aa bb cc tt";
  const query = { q: 'ee "aa bb cc"', attributesToCrop: ["text"], cropLength: 3 };
  assert.equal(formatted(text, query), "xx ee yy…");
  assert.equal(formatted("xx aa bb cc", { ...query, q: '"aa bb cc"' }), "…aa bb cc");
});

test("a window of words stands around the matches, without separators at its ends", () => {
  const text = "aa aa xx yy zz aa aa.";
  const crop = (q: string, cropLength: number) =>
    formatted(text, { q, attributesToCrop: ["text"], cropLength });
  assert.equal(crop("xx yy zz", 2), "…xx yy…");
  assert.equal(crop("xx yy zz", 1), "…xx…");
  assert.equal(crop("xx yy zz", 0), text);
  assert.equal(crop("xx", 100), text);
  const bracketed = formatted("(aa bb cc dd? ee)", { q: "", attributesToCrop: ["text:4"] });
  assert.equal(bracketed, "(aa bb cc dd…");
});

test("the nearer pair of matches wins, up to seven words apart", () => {
  const pair = (between: number) => `xx ${"a ".repeat(between)}yy`;
  const apart = " b".repeat(30);
  const crop = (first: number, second: number) =>
    formatted(`${pair(first)}${apart} ${pair(second)}`, { q: "xx yy", attributesToCrop: ["text:12"] });
  assert.match(String(crop(5, 4)), /^….*yy$/);
  assert.match(String(crop(6, 5)), /^….*yy$/);
  assert.match(String(crop(7, 6)), /^xx.*…$/);
  assert.match(String(crop(9, 8)), /^xx.*…$/);
});

test("a sequence is tagged as one, and only where its words follow each other", () => {
  const highlight = (q: string) =>
    formatted("sun king flower, sun flower", { q, attributesToHighlight: ["*"] });
  assert.equal(highlight('"sun flower"'), "sun king flower, <em>sun flower</em>");
  assert.equal(highlight("sunflower"), "sun king flower, <em>sun flower</em>");
  assert.equal(highlight("sun flower"), "<em>sun</em> king <em>flower</em>, <em>sun</em> <em>flower</em>");
});

test("of several mistyped beginnings of a word the first in order counts", () => {
  const highlight = (text: string) => formatted(text, { q: "sunflowerss", attributesToHighlight: ["*"] });
  assert.equal(highlight("sunflowers"), "<em>sunflowers</em>");
  assert.equal(highlight("sunflowers sunflower"), "<em>sunflower</em>s <em>sunflower</em>");
});

test("a phrase that is longer than the window loses its end", () => {
  const search = { q: '"bb cc dd"', attributesToCrop: ["text:2"], attributesToHighlight: ["text"] };
  assert.equal(formatted("aa bb cc dd ee", search), "aa <em>bb cc</em>…");
});

test("only what was typed of a word is tagged, in letters of the text", () => {
  const highlight = (text: string, q: string) => formatted(text, { q, attributesToHighlight: ["*"] });
  assert.equal(highlight("Crème brûlée", "brul"), "Crème <em>brûl</em>ée");
  assert.equal(highlight("cre\u0300me", "cre"), "<em>cre\u0300</em>me");
  assert.equal(highlight("🍎 apple🍏 apples", "appl"), "🍎 <em>appl</em>e🍏 <em>appl</em>es");
  assert.equal(highlight("ﬁnal", "f"), "<em>ﬁ</em>nal");
  assert.equal(highlight("上海电影节", "电影"), "上海<em>电影</em>节");
  // The first letter does not tell that the word is Greek, whose marks do not count.
  assert.equal(highlight("ὕδωρ", "υδ"), "<em>ὕδ</em>ωρ");
  assert.equal(highlight("ἠῶἠ δῖαν", "ηω"), "<em>ἠῶ</em>ἠ δῖαν");
  assert.equal(highlight(`${"ὕ".repeat(40)}δ`, "υυ"), `<em>ὕὕ</em>${"ὕ".repeat(38)}δ`);
  assert.equal(highlight("śյՁ", "ś"), "<em>ś</em>յՁ");
  // A letter that stands for a whole formula: its lemma is longer than lemmas can be.
  const formula = "\ufdfa";
  const tagged = `<em>صل</em>ى <em>${formula}</em>${formula.repeat(39)}`;
  assert.equal(highlight(`صلى ${formula.repeat(40)}`, "صل"), tagged);
});

test("lengths for all attributes and for one are told apart", () => {
  const crop = (attributesToCrop: string[]) =>
    formatted("aa bb cc dd", { q: "", attributesToCrop, cropLength: 3 });
  assert.equal(crop(["text"]), "aa bb cc…");
  assert.equal(crop(["text:x"]), "aa bb cc…");
  assert.equal(crop(["text:18446744073709551616"]), "aa bb cc…");
  assert.equal(crop(["text:0018446744073709551615"]), "aa bb cc dd");
  assert.equal(crop(["*:2"]), "aa bb…");
  assert.equal(crop(["text:+2"]), "aa bb…");
  assert.equal(crop(["*:2", "text:1"]), "aa…");
  assert.equal(crop(["text:1", "*:2"]), "aa bb…");
  assert.equal(crop(["other:1"]), undefined);
});

test("hidden and unknown attributes are not formatted", () => {
  const index = new SearchIndex({ displayedAttributes: ["id", "shown", "part.seen"] });
  index.add([{ id: 1, shown: "boat", hidden: "boat", part: { seen: "boat", unseen: "boat" } }]);
  const search = (attributesToHighlight: string[]) =>
    index.search({ q: "boat", attributesToHighlight, attributesToRetrieve: [] }).hits[0]._formatted;
  const [shown, part] = ["<em>boat</em>", { seen: "<em>boat</em>" }];
  assert.deepEqual(search(["*"]), { id: "1", shown, part });
  assert.deepEqual(search(["shown", "hidden"]), { shown });
  assert.deepEqual(search(["part.seen"]), { part });
  for (const name of ["hidden", "part", "part.unseen", "nothing"]) assert.equal(search([name]), undefined);
});

test("what lies in an object is formatted though it is not searched", () => {
  const format = (searchableAttributes: string[], attribute: string) => {
    const index = new SearchIndex({ searchableAttributes });
    index.add([{ id: 1, part: { a: "boat", b: "boat" } }]);
    const search = { q: "boat", attributesToHighlight: [attribute], attributesToRetrieve: [] };
    return index.search(search).hits[0]?._formatted;
  };
  assert.deepEqual(format(["part.b"], "part.a"), { part: { a: "<em>boat</em>" } });
  assert.deepEqual(format(["*"], "part.a"), { part: { a: "<em>boat</em>" } });
  for (const name of ["part.c", "other", "other.a"]) assert.equal(format(["*"], name), undefined);
  assert.equal(format(["part.b"], "other.a"), undefined);
  // What is nowhere in such an object is not known to be nowhere, unless it would be searched.
  assert.deepEqual(format(["part.b"], "part.c"), { part: {} });
  assert.equal(format(["part.b"], "part.*"), undefined);
  assert.equal(format(["part"], "part.c"), undefined);
});

test("of a list only the objects are formatted in which something is selected, and all lists", () => {
  const index = new SearchIndex();
  index.add([{ id: 1, list: [{ a: "boat" }, { b: 1 }, 2, {}, [{ b: 1 }, 3]] }]);
  const format = (attribute: string) =>
    index.search({ q: "boat", attributesToHighlight: [attribute], attributesToRetrieve: [] }).hits[0]
      ._formatted;
  const [a, b] = [{ a: "<em>boat</em>" }, { b: "1" }];
  assert.deepEqual(format("list.a"), { list: [a, []] });
  assert.deepEqual(format("list"), { list: [a, b, "2", {}, [b, "3"]] });
});

test("an attribute that is searched is known before a document has it", () => {
  const index = new SearchIndex({ searchableAttributes: ["later", "part.later", "text"] });
  index.add([{ id: 1, text: "boat", part: {} }]);
  const format = (parameters: SearchBody) =>
    index.search({ q: "boat", attributesToRetrieve: ["text"], ...parameters }).hits[0]._formatted;
  assert.deepEqual(format({ attributesToHighlight: ["later"] }), { text: "boat" });
  assert.deepEqual(format({ attributesToCrop: ["later:2"] }), { text: "boat" });
  assert.deepEqual(format({ attributesToHighlight: ["part.later"] }), { text: "boat", part: {} });
  assert.equal(format({ attributesToHighlight: ["never"] }), undefined);
});

test("a name that leads nowhere leaves its parent out of the formatted attributes, too", () => {
  const shown = new SearchIndex({ displayedAttributes: ["id", "part.c"] });
  shown.add([{ id: 1, part: { a: "boat" } }]);
  assert.deepEqual(shown.search({ attributesToHighlight: ["*"] }).hits[0]._formatted, { id: "1" });
  const index = new SearchIndex();
  index.add([{ id: 1, text: "boat", part: { a: "boat" } }]);
  const search = { q: "boat", attributesToRetrieve: ["id", "part.c"], attributesToHighlight: ["text"] };
  assert.deepEqual(index.search(search).hits[0]._formatted, { id: "1", text: "<em>boat</em>" });
});

test("a match that touches the window from outside leaves an empty pair of tags", () => {
  const crop = (q: string, cropLength: number) =>
    formatted("我爱北京天安门", {
      q,
      cropLength,
      attributesToCrop: ["text"],
      attributesToHighlight: ["text"],
    });
  assert.equal(crop("我爱", 1), "<em>我</em><em></em>…");
  assert.equal(crop("我", 1), "<em>我</em>…");
  assert.equal(crop("我 天安门", 1), "<em>我</em>…");
  // From the left: the end of the word counts, however little of it matches.
  assert.equal(crop("爱 天安门", 3), "…<em></em>北京<em>天安</em><em>门</em>");
});

test("a word that comes with a stop word in a phrase is no match", () => {
  const settings = { stopWords: ["of", "the"] };
  const highlight = (q: string) =>
    formatted("boat of the king", { q, attributesToHighlight: ["*"] }, settings);
  assert.equal(highlight('"boat of the king"'), "boat of the king");
  assert.equal(highlight("boat of "), "<em>boat</em> of the king");
});

test("places in nested arrays are told from the outermost on, the last value with matches counts", () => {
  const index = new SearchIndex();
  index.add([{ id: 1, rows: [["red", "x"], ["a", "is red"], ["y"]], deep: [{ list: ["red"] }] }]);
  const { hits } = index.search({ q: "red", showMatchesPosition: true });
  assert.deepEqual(hits[0]._matchesPosition, {
    "deep.list": [{ start: 0, length: 3, indices: [0, 0] }],
    rows: [{ start: 3, length: 3, indices: [1, 1] }],
  });
});

test("numbers are shown as they are searched, whether they are formatted or not", () => {
  const index = new SearchIndex();
  const numbers = "[19.90,1e5,2.50,1e15,12,-0,123456789012345678901,1.7e300]";
  index.add([`{"id":1,"plain":${numbers},"found":${numbers}}`]);
  const query = { q: "2.5", attributesToHighlight: ["found"], showMatchesPosition: true };
  const [hit] = index.search(query).hits;
  const large = ["1000000000000000.0", "12", "-0.0", "1.2345678901234568e+20", "1.7e+300"];
  const plain = ["19.9", "100000.0", "2.5", ...large];
  const found = ["19.9", "100000.0", "<em>2</em>.<em>5</em>", ...large];
  assert.deepEqual(hit._formatted, { id: "1", plain, found });
  const place = [0, 2].map((start) => ({ start, length: 1, indices: [2] }));
  assert.deepEqual(hit._matchesPosition, { plain: place, found: place });
  index.close();
});

// What a search thread answers to a federated search, there and back as bytes.
import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import { readAnswer, writtenAnswer } from "../../../src/engine/federation/answerbytes.ts";
import { emptyAnswer, type IndexAnswer } from "../../../src/engine/federation/asked.ts";
import { FoundHit } from "../../../src/engine/federation/besthits.ts";

const answer: IndexAnswer = { ...emptyAnswer("ключ"), total: 3 };

const hit = (order: number, docid: number, json: string, keys: string[] | null = null) => {
  const values = [{ weightedScore: 0.1 + 0.2 }, { sort: { asc: true, value: "ä" } }];
  const place = { position: 7, order, docid, values, weightedScore: 1 / 3, keys };
  return new FoundHit(place, false, () => json);
};

test("hits keep their bytes and their scores, and get the number that their index has in the request", () => {
  const texts = ['{"name":"Größe 🦐"}', "{}", '{"name":"\\u0000","n":1e400}'];
  const lists = [[hit(1, 4, texts[0], ["é"]), hit(0, 2, texts[1])], [], [hit(0, 1, texts[2])]];
  const read = readAnswer(
    writtenAnswer({ answers: [answer, answer], lists, passed: 0, refused: null }),
    [3, 9],
  );
  deepEqual(read.answers, [answer, answer]);
  equal(read.refused, null);
  const shown = read.lists.map((list) => list.map(({ bytes }) => Buffer.from(bytes).toString()));
  deepEqual(shown, [[texts[0], texts[1]], [], [texts[2]]]);
  const { bytes: _, ...first } = read.lists[0][0];
  const values = [{ weightedScore: 0.1 + 0.2 }, { sort: { asc: true, value: "ä" } }];
  deepEqual(first, { position: 7, order: 9, docid: 4, values, weightedScore: 1 / 3, keys: ["é"] });
  deepEqual(
    read.lists.flat().map(({ order }) => order),
    [9, 3, 3],
  );
});

test("hits have the values that they were found with, none included, whoever shares them", () => {
  const sorted = [{ sort: { asc: false, value: 3 } }, { weightedScore: 0.5 }];
  const ways = [
    [{ weightedScore: 0.7 }],
    [{ weightedScore: 0.5 }],
    [{ vectorSort: 0.7 }],
    [],
    sorted,
    sorted,
  ];
  const list = ways.map((values, docid) => {
    const place = { position: 0, order: 0, docid, values, weightedScore: 0.7, keys: null };
    return new FoundHit(place, false, () => "{}");
  });
  const [read] = readAnswer(
    writtenAnswer({ answers: [], lists: [list], passed: 0, refused: null }),
    [0],
  ).lists;
  deepEqual(
    read.map(({ values }) => values),
    ways,
  );
  deepEqual(
    read.map(({ docid, weightedScore, keys }) => [docid, weightedScore, keys]),
    ways.map((_, docid) => [docid, 0.7, null]),
  );
});

test("values that hits share are told once, and keys only where there are some", () => {
  const [values, alike] = [1, 2].map(() => [{ sort: { asc: false, value: "long ".repeat(100) } }]);
  const found = (own: typeof values, keys: string[] | null = null) => {
    const place = { position: 0, order: 0, docid: 1, values: own, weightedScore: 0.7, keys };
    return new FoundHit(place, false, () => "{}");
  };
  const written = (...hits: FoundHit[]) =>
    writtenAnswer({ answers: [], lists: [hits], passed: 0, refused: null });
  const one = written(found(values)).length;
  ok(written(found(values), found(values), found(values)).length < one + 200);
  ok(written(found(values), found(alike)).length > one + 500);
  const [[first, second]] = readAnswer(written(found(values), found(values)), [0]).lists;
  equal(first.values, second.values);
  const [[third, fourth]] = readAnswer(written(found(values, ["a"]), found(values)), [0]).lists;
  deepEqual([third.keys, fourth.keys], [["a"], null]);
  const plain = [{ weightedScore: 0.7 }];
  const hit = { position: 0, order: 0, docid: 1, values: plain, weightedScore: 0.7, keys: null };
  ok(!written(new FoundHit(hit, false, () => "{}")).includes("weightedScore"));
});

test("an answer is read wherever it lies", () => {
  const written = writtenAnswer({ answers: [answer], lists: [[hit(0, 4, "{}")]], passed: 0, refused: null });
  const unaligned = Buffer.concat([Buffer.alloc(1), written]).subarray(1);
  deepEqual(readAnswer(unaligned, [3]), readAnswer(written, [3]));
});

test("an index that cannot be opened is told by its number in the request", () => {
  const refused = { order: 1, code: "invalid_store_file", message: "offset 8" } as const;
  const read = readAnswer(writtenAnswer({ answers: [], lists: [], passed: 0, refused }), [3, 9]);
  deepEqual(read, { answers: [], lists: [], passed: 0, refused: { ...refused, order: 9 } });
});

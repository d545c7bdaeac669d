// Hits of another server as they go out again: all but `_federation` stays as it was.
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { beginningWith, cutAnswer } from "../../src/network/hitbytes.ts";
import { readRemoteAnswer } from "../../src/network/remoteanswer.ts";

const given = JSON.stringify({
  indexUid: "i",
  queriesPosition: 2,
  weightedRankingScore: 0.5,
  weightedScoreValues: [{ weightedScore: 0.5 }],
  distinctKeys: ["k"],
});
const shown = '{"indexUid":"i","queriesPosition":2,"weightedRankingScore":0.5,"remote":"east"}';

const read = (answer: Buffer) => readRemoteAnswer("east", answer, 1000);

async function written(hit: string): Promise<string> {
  const answer = `{"hits":[${hit}],"processingTimeMs":1,"estimatedTotalHits":1}`;
  const [first] = (await read(Buffer.from(answer))).hits;
  deepEqual(first.keys, ["k"]);
  return Buffer.from(first.write()).toString();
}

test("what only the merge needs is taken out, wherever it stands", async () => {
  const member = (value: string) => `"_federation":${value}`;
  const hits: ((federation: string) => string)[] = [
    (federation) => `{"n":1.50,${member(federation)}}`,
    (federation) => `{${member(federation)},"n":12345678901234567890}`,
    (federation) => `{${member(federation)},"a":{"_federation":{"x":1}}}`,
    (federation) => `{"text":"\\\\\\"_federation\\":{}",${member(federation)}}`,
    (federation) => `{"a":{"_federation":{"x":1}},${member(federation)}}`,
  ];
  for (const hit of hits) equal(await written(hit(given)), hit(shown));
});

/** The answer of a server that tells where its hits lie, and one of the same hits that does not. */
function answers(hits: readonly string[]): [withBytes: Buffer, without: Buffer] {
  const bytes = hits.map((hit) => Buffer.from(hit));
  const rest = '"processingTimeMs":1,"estimatedTotalHits":7,"metadata":[{"primaryKey":"é"}]}';
  const all = Buffer.from(`${hits.join()}],${rest}`);
  return [Buffer.concat([beginningWith(bytes), all]), Buffer.concat([Buffer.from('{"hits":['), all])];
}

const shapes = async (answer: Buffer) => {
  const { hits, ...rest } = await read(answer);
  return { hits: hits.map((hit) => ({ ...hit, write: Buffer.from(hit.write()).toString() })), ...rest };
};

test("hits whose places are told are the same as those that are looked for", async () => {
  const documents = [
    '"a":"}],[{\\"_federation\\":1",',
    '"é":"日本","n":1.50,',
    '"b":[{"_federation":{"x":[1]}}],',
    "",
  ];
  const scores = [
    "",
    ',"_rankingScore":0.25',
    ',"_rankingScoreDetails":{"words":{"order":0}},"_rankingScore":1',
    ',"_formatted":{"a":"<em>","_federation":"x"},"_rankingScore":1',
    ',"_formatted":{"a":{"_federation":{"x":1}}}',
  ];
  const hits = documents.flatMap((document) =>
    scores.map((score) => `{${document}"_federation":${given}${score}}`),
  );
  for (const some of [[], hits.slice(0, 1), hits]) {
    const [withBytes, without] = answers(some);
    deepEqual(cutAnswer(withBytes, some.length)?.hits.map(String), some);
    equal(cutAnswer(without, some.length), null);
    if (some.length > 0) equal(cutAnswer(withBytes, some.length - 1), null);
    deepEqual(await shapes(withBytes), await shapes(without));
    deepEqual(
      (await shapes(withBytes)).hits.map(({ write }) => write),
      some.map((hit) => hit.replace(given, shown)),
    );
  }
});

test("hits of servers that write blanks stay what they are", async () => {
  for (const blank of [" ", "\n\t"]) {
    const hits = ["", ',"_rankingScore":1'].map((end) => `{"a":1,"_federation":${blank}${given}${end}}`);
    const [withBytes] = answers(hits);
    const written = (await shapes(withBytes)).hits.map(({ write }) => write);
    deepEqual(
      written,
      hits.map((hit) => hit.replace(blank, "").replace(given, shown)),
    );
  }
});

test("an answer whose hits lie elsewhere than it tells is read as one that tells nothing", async () => {
  const [withBytes] = answers([`{"_federation":${given}}`, `{"_federation":${given}}`]);
  const text = withBytes.toString();
  for (const [from, to] of [
    [/\d+,\d+/, "5,7"],
    [/\d+,/, ""],
    [/\d+,/, "$&$&"],
    [/\[\d+/, "[1e99"],
    [/\d+,/, "x,"],
  ] as const)
    equal(cutAnswer(Buffer.from(text.replace(from, to)), 1000), null, to);
  for (let end = 0; end < text.length - 60; end++) await rejects(read(Buffer.from(text.slice(0, end))));
});

test("numbers below nothing are no answer", async () => {
  const answer = (hit: object, rest: object) => {
    const _federation = { ...JSON.parse(given), ...hit };
    const counted = { distribution: { kind: { lamp: 1 } } };
    const whole = { hits: [{ _federation }], processingTimeMs: 1, facetsByIndex: { i: counted }, ...rest };
    return read(Buffer.from(JSON.stringify(whole)));
  };
  deepEqual((await answer({}, {})).hits.length, 1);
  await rejects(answer({ queriesPosition: -1 }, {}));
  for (const name of ["estimatedTotalHits", "totalHits", "processingTimeMs"])
    await rejects(answer({}, { [name]: -1 }));
  await rejects(answer({}, { facetsByIndex: { i: { distribution: { kind: { lamp: -1 } } } } }));
});

test("a long answer of garbage is refused without holding up others", async () => {
  const of = (part: string, length: number) => part.repeat(length / part.length);
  const names = Array.from({ length: 2e5 }, (_, i) => `"k${i}":1`).join();
  await rejects(read(Buffer.from("[".repeat(4e6))), /nested deeper/);
  const ends = Array(30).fill(`{"_federation":${given},"a":[${of("1,", 1e5)}1]}`);
  const garbage: [answer: Buffer, reason: RegExp][] = [
    [Buffer.from(`{"hits":[${of("{},", 4e6)}{}],"processingTimeMs":1}`), /more than the 1000/],
    [Buffer.from(`{"hits":[],"processingTimeMs":1,"facetsByIndex":{${names}}}`), /facetsByIndex/],
    [Buffer.from(`{"hitBytes":[${of("2,", 4e6)}2],"hits":[${of("{},", 4e6)}{}]}`), /more than the 1000/],
    [Buffer.from(answers(ends)[0].toString().replace('"processingTimeMs":1', '"a":1')), /processingTimeMs/],
  ];
  for (const [answer, reason] of garbage) {
    let isOver = false;
    let turns = 0;
    const reading = rejects(read(answer), reason).finally(() => {
      isOver = true;
    });
    for (; !isOver; turns++) await turn();
    await reading;
    ok(turns > 5, answer.toString("latin1", 0, 40));
  }
});

test("a long answer that is right is read, whatever it holds", async () => {
  const tags = Array.from({ length: 2e5 }, (_, i) => `"${i}"`).join();
  const [withBytes, without] = answers([`{"tags":[${tags}],"_federation":${given}}`]);
  for (const answer of [withBytes, without]) equal((await read(answer)).hits.length, 1);
});

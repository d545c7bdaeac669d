// No refusal repeats a secret that came with a wrong type, in a wrong place, or in a body that is no JSON;
// what else was found is still shown.
import { doesNotMatch, equal, match } from "node:assert/strict";
import { before, test } from "node:test";
import type { App } from "../../src/http/app.ts";
import { withoutSecretFields } from "../../src/schemas/secretnames.ts";
import { startFixture } from "./harness.ts";

const KEY = "tell-nobody";

let app: App;
before(async () => {
  ({ app } = await startFixture());
  const payload = { network: true, multimodal: true };
  await app.inject({ method: "PATCH", url: "/experimental-features", payload });
});

async function refusal(line: string, payload: string): Promise<{ code: string; message: string }> {
  const [method, url] = line.split(" ");
  const headers = { "content-type": "application/json" };
  const response = await app.inject({ method: method as "POST", url, payload, headers });
  equal(response.statusCode, 400, `${line} ${payload}`);
  return response.json();
}

const SETTINGS = "PATCH /indexes/teas/settings";
const EMBEDDERS = "PATCH /indexes/teas/settings/embedders";
const wrong: [line: string, body: unknown, shown: RegExp][] = [
  [SETTINGS, { embedders: { e: { source: "rest", apiKey: [KEY] } } }, /apiKey`.*found an array$/],
  [EMBEDDERS, { e: { source: "rest", headers: KEY } }, /headers`.*found a string$/],
  [EMBEDDERS, { e: { headers: { authorization: [KEY] } } }, /\.authorization`.*found an array$/],
  [EMBEDDERS, { e: { searchEmbedder: { apiKey: { a: KEY } } } }, /apiKey`.*found an object$/],
  [EMBEDDERS, [{ source: "rest", apiKey: KEY }], /found an array: `\[{"source":"rest","apiKey":\.\.\.}\]`/],
  [EMBEDDERS, { e: JSON.stringify({ source: "rest", apiKey: KEY }) }, /found a string: `"{.*source.*apiKey/],
  [EMBEDDERS, { e: [{ apikey: KEY, model: "m" }] }, /"model":"m"/],
  [
    "PATCH /network",
    { remotes: { a: { url: "http://a", searchApiKey: [KEY] } } },
    /searchApiKey`.*an array$/,
  ],
  ["PATCH /network", { remotes: { a: { url: "http://a", writeApiKey: 12345678 } } }, /a positive integer$/],
  ["PATCH /network", { remotes: [{ url: "http://a", searchApiKey: KEY }] }, /"url":"http:\/\/a"/],
  ["POST /webhooks", { url: "http://a", headers: KEY }, /headers`.*found a string$/],
  ["POST /webhooks", { url: "http://a", headers: { a: [KEY] } }, /found an array$/],
  ["POST /webhooks", { url: `ftp://user:${KEY}@a/`, headers: {} }, /ftp:\/\/\.\.\.@a/],
  ["POST /webhooks", { url: [`http://a/?key=${KEY}`, "b"] }, /http:\/\/a\/\?\.\.\."/],
  [EMBEDDERS, { e: [`Bearer ${KEY}`] }, /found an array: `\["Bearer \.\.\."\]`/],
  ["PATCH /network", { remotes: { a: { url: `x://user:${KEY}@a` } } }, /x:\/\/\.\.\.@a/],
  ["POST /export", { url: "http://a", apiKey: [KEY] }, /apiKey`.*found an array$/],
];
for (const [line, body, shown] of wrong) {
  const text = JSON.stringify(body);
  test(`${line} ${text}`, async () => {
    const { message } = await refusal(line, text);
    doesNotMatch(message, /tell-|nobody|1234/);
    match(message, shown);
  });
}

test("a body that is no JSON is shown up to its first secret", async () => {
  const bodies = [
    `{"apiKey":"${KEY}",}`,
    `{'apiKey': '${KEY}'}`,
    `{apiKey: ${KEY}}`,
    `{"apiKey","${KEY}"}`,
    `{"headers" {"${KEY}"}}`,
    `["Bearer ${KEY}"`,
    `{"url":"http://a","headers":{"Authorization":"${KEY}"`,
    `"{\\"searchApiKey\\":\\"${KEY}\\"}"}`,
    `{"url":"http://user:${KEY}@a"`,
  ];
  for (const body of bodies) {
    const { code, message } = await refusal(EMBEDDERS, body);
    equal(code, "malformed_payload");
    doesNotMatch(message, /tell-|nobody/);
    match(message, /at `["{[]/);
  }
  match((await refusal(EMBEDDERS, '{"model": m}')).message, /at `{"model": m}`/);
});

test("words that only resemble the name of a secret hide nothing", () => {
  for (const text of [
    '{"monkey":1}',
    "header in the text",
    "bearer",
    "a//b?c",
    '{"apiKeys":1}',
    '{"secretary":"x"}',
    "//a/b@c",
  ])
    equal(withoutSecretFields(text), text);
});

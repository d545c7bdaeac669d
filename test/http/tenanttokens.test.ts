// Tenant tokens: what is refused, which indexes they open, and the filters they add to searches.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { putKey } from "../../src/tasks/keys.ts";
import { INDEX, startFixture } from "./harness.ts";
import { bearer, keyValue, MASTER_KEY, READER_UID, storedKey, tenantToken, uidOf } from "./keyring.ts";

const NARROW_UID = uidOf(1);
const ADDER_UID = uidOf(2);
const EXPIRED_UID = uidOf(3);
const MIGHTY_UID = uidOf(4);
const SEARCH = `POST /indexes/${INDEX}/search`;
const REFUSED = [403, "invalid_api_key"];
const OPEN = [200, null];

async function startTokens() {
  const fixture = await startFixture({ masterKey: MASTER_KEY }, "{}", {
    instance: async (instance) => {
      await putKey(instance, storedKey(READER_UID, ["search"]));
      await putKey(instance, storedKey(NARROW_UID, ["search"], [`${INDEX}*`]));
      await putKey(instance, storedKey(ADDER_UID, ["documents.add"]));
      await putKey(instance, storedKey(MIGHTY_UID, ["*"]));
      await putKey(instance, storedKey(EXPIRED_UID, ["*"], ["*"], "2001-01-01T00:00:00Z"));
    },
  });
  const search = (token: string, line = SEARCH, body: object = {}) => fixture.code(line, body, bearer(token));
  /** Filters that the engine was asked with. */
  const filters = () =>
    fixture.calls
      .filter(([name]) => name === "search" || name === "facetSearch")
      .map(([, , query]) => (query as { filter: unknown }).filter);
  return { ...fixture, search, filters };
}

const all = { searchRules: ["*"] };
const now = () => Math.floor(Date.now() / 1000);

test("every rule about signatures and claims is held", async () => {
  const { search } = await startTokens();
  const sign = tenantToken;
  const unsigned = (await sign(all)).replace(/^[^.]*/, base64({ alg: "none" })).replace(/[^.]*$/, "");
  const refused: Record<string, string> = {
    "another secret": await sign(all, { secret: "x".repeat(64) }),
    "the master key as secret": await sign(all, { secret: MASTER_KEY }),
    "an empty signature": (await sign(all)).replace(/[^.]*$/, "AA"),
    "no algorithm": unsigned,
    "no algorithm, with a signature": `${unsigned}AA`,
    "another algorithm than its signature has": signedByHand({ alg: "RS256" }),
    "an extension that must be known": signedByHand({ alg: "HS256", crit: ["x"], x: 1 }),
    "claims of another token": await forged(),
    "no uid": await sign({ ...all, apiKeyUid: undefined }),
    "a uid in a list": await sign({ ...all, apiKeyUid: [READER_UID] }),
    "a uid that is none": await sign({ ...all, apiKeyUid: "short" }),
    "a uid of no key": await sign({ ...all, apiKeyUid: uidOf(9) }, { secret: keyValue(uidOf(9)) }),
    "an audience": await sign({ ...all, aud: "me" }),
    "no rules": await sign({}),
    "rules that are a text": await sign({ searchRules: "*" }),
    "rules that are null": await sign({ searchRules: null }),
    "an empty list": await sign({ searchRules: [] }),
    "an empty object": await sign({ searchRules: {} }),
    "a pattern that is none": await sign({ searchRules: [INDEX, "*x"] }),
    "a number as pattern": await sign({ searchRules: [5] }),
    "a rule that is a text": await sign({ searchRules: { [INDEX]: "a = 1" } }),
    "a rule that is a list": await sign({ searchRules: { [INDEX]: [] } }),
    "an expiration in the past": await sign({ ...all, exp: now() - 2 }),
    "an expiration at the beginning of time": await sign({ ...all, exp: 0 }),
    "an expiration that is an empty text": await sign({ ...all, exp: "" }),
    "an expiration that is a text": await sign({ ...all, exp: String(now() + 60) }),
    "an expiration with a fraction": await sign({ ...all, exp: now() + 60.5 }),
    "a key that may not search": await sign(all, { uid: ADDER_UID }),
    "a key that has expired": await sign(all, { uid: EXPIRED_UID }),
    "no token at all": "a.b.c",
    "four parts": `${await sign(all)}.x`,
    padding: `${await sign(all)}=`,
    "a signature with a character too many": `${await sign(all)}a`,
    "a signature with bits too many": (await sign(all)).replace(/.$/, besideInBase64),
    "a header with a character too many": signedByHand({ alg: "HS256" }, (header) => `${header}A`),
    "a header that is no UTF-8": signedByHand({ alg: "HS256" }, () =>
      Buffer.from('{"alg":"HS256","kid":"\xff"}', "latin1").toString("base64url"),
    ),
  };
  for (const [what, token] of Object.entries(refused)) {
    assert.deepEqual(await search(token), REFUSED, what);
    assert.deepEqual(await search(token), REFUSED, `${what}, again`);
  }
  const accepted: Record<string, string> = {
    "a header of our own": signedByHand({ alg: "HS256" }),
    HS384: await sign(all, { algorithm: "HS384" }),
    HS512: await sign(all, { algorithm: "HS512" }),
    "an expiration in the future": await sign({ ...all, exp: now() + 60 }),
    "an expiration of null": await sign({ ...all, exp: null }),
    "other claims": await sign({ ...all, nbf: now() + 60, iat: now() + 60, sub: "me" }),
    "another notation of the uid": await sign({ ...all, apiKeyUid: READER_UID.toUpperCase() }),
  };
  for (const [what, token] of Object.entries(accepted)) assert.deepEqual(await search(token), OPEN, what);
});

test("a token that was accepted is refused once it expires, or its key is gone or changed", async () => {
  const { search, app } = await startTokens();
  const exp = now() + 1;
  const soon = await tenantToken({ ...all, exp });
  while (now() <= exp) {
    await search(soon);
    await pause(10);
  }
  assert.deepEqual(await search(soon), REFUSED);
  const lasting = await tenantToken(all);
  assert.deepEqual(await search(lasting), OPEN);
  const manage = (method: "PATCH" | "DELETE", payload?: object) =>
    app.inject({
      method,
      url: `/keys/${READER_UID}`,
      headers: bearer(MASTER_KEY),
      ...(payload && { payload }),
    });
  await manage("PATCH", { name: "renamed" });
  assert.deepEqual(await search(lasting), OPEN);
  await manage("DELETE");
  assert.deepEqual(await search(lasting), REFUSED);
});

test("more credentials than are remembered are told apart", async () => {
  const { search } = await startTokens();
  const tokens = [];
  for (let made = 0; made < 1100; made++) tokens.push(await tenantToken({ ...all, made }));
  for (const token of tokens) assert.deepEqual(await search(token), OPEN);
  assert.deepEqual(await search(tokens[0]), OPEN);
  assert.deepEqual(await search(`${tokens[0]}A`), REFUSED);
});

test("a token opens the indexes that it and its key name, for searches only", async () => {
  const { search, code, app } = await startTokens();
  const rules = async (searchRules: unknown, uid = READER_UID) => tenantToken({ searchRules }, { uid });
  for (const sound of [["*"], [INDEX], [`${INDEX}*`], ["te*"], { "*": null }, { [INDEX]: {} }, ["x", "*"]]) {
    assert.deepEqual(await search(await rules(sound)), OPEN, JSON.stringify(sound));
  }
  for (const other of [["cups"], [`${INDEX}x*`], { cups: { filter: "a = 1" } }]) {
    assert.deepEqual(await search(await rules(other)), REFUSED, JSON.stringify(other));
  }
  const narrow = await rules(["*"], NARROW_UID);
  assert.deepEqual(await search(narrow), OPEN);
  assert.deepEqual(await search(narrow, "POST /indexes/cups/search"), REFUSED);
  assert.deepEqual(await search(await rules(["*"]), "POST /indexes/cups/search"), [404, "index_not_found"]);
  const mighty = await rules(["*"], MIGHTY_UID);
  assert.deepEqual(await search(mighty), OPEN);
  for (const line of ["GET /indexes", `GET /indexes/${INDEX}/documents`, "GET /keys", "GET /version"]) {
    assert.deepEqual(await code(line, undefined, bearer(mighty)), REFUSED, line);
  }
  const told = async (token: string) => {
    const url = "/indexes/cups/search";
    return (await app.inject({ method: "POST", url, payload: {}, headers: bearer(token) })).json().message;
  };
  assert.match(await told(await rules(["teas*"])), /`cups`.*`teas\*`/, "a tenant learns its rules");
  assert.doesNotMatch(await told(narrow), /teas/, "and not the indexes of the key");
  assert.doesNotMatch(await told(await rules(["*"], EXPIRED_UID)), /2001/, "nor its end");
});

test("the filter of the rule that says most about the index is joined to that of the search", async () => {
  const { search, filters, calls } = await startTokens();
  const asked = async (searchRules: unknown, body: object = {}, line = SEARCH) => {
    calls.length = 0;
    assert.deepEqual(await search(await tenantToken({ searchRules }), line, body), OPEN);
    return filters()[0];
  };
  const rule = (filter: unknown) => ({ "*": { filter } });
  assert.deepEqual(await asked(rule("a = 1")), ["a = 1"]);
  assert.deepEqual(await asked(rule("a = 1"), { filter: "b = 2 OR c = 3" }), ["a = 1", "b = 2 OR c = 3"]);
  assert.deepEqual(await asked(rule(["a = 1", ["b = 2", "c = 3"]]), { filter: [["d = 4"], "e = 5"] }), [
    "a = 1",
    ["b = 2", "c = 3"],
    ["d = 4"],
    "e = 5",
  ]);
  assert.deepEqual(await asked(rule(null), { filter: "b = 2" }), "b = 2");
  assert.deepEqual(await asked(rule(""), { filter: "b = 2" }), ["", "b = 2"]);
  assert.equal(await asked(["*"]), null);
  const several = {
    "*": { filter: "a = 1" },
    "t*": { filter: "a = 2" },
    "te*": { filter: "a = 3" },
    "tea*": null,
    [INDEX]: { filter: "a = 4" },
  };
  assert.deepEqual(await asked(several), ["a = 4"]);
  assert.equal(await asked({ ...several, [INDEX]: undefined }), null);
  assert.deepEqual(await asked({ "te*": several["te*"], "t*": several["t*"], "*": several["*"] }), ["a = 3"]);
  assert.deepEqual(await asked({ cups: { filter: "a = 9" }, "*": several["*"] }), ["a = 1"]);
  assert.deepEqual(await asked(rule("a = 1"), { facetName: "a" }, `POST /indexes/${INDEX}/facet-search`), [
    "a = 1",
  ]);
});

test("documents are similar only to one that the token shows, among those that it shows", async () => {
  const { search, calls } = await startTokens();
  const token = await tenantToken({ searchRules: { "*": { filter: "a = 1" } } });
  const query = { id: 1, embedder: "e" };
  const line = `/indexes/${INDEX}/similar`;
  assert.deepEqual(await search(token, `POST ${line}`, query), OPEN);
  assert.deepEqual(await search(token, `POST ${line}`, { ...query, filter: "b = 2" }), OPEN);
  const asked = calls
    .filter(([name]) => name === "similar")
    .map(([, , similar]) => similar as { filter: unknown; visible: unknown });
  assert.deepEqual(
    asked.map(({ filter, visible }) => [filter, visible]),
    [
      [["a = 1"], ["a = 1"]],
      [["a = 1", "b = 2"], ["a = 1"]],
    ],
  );
});

test("a wrong filter in a token is told when it is used", async () => {
  const { search } = await startTokens();
  for (const filter of [5, {}, ["a = 1", 5], [["a = 1", []]], "a = ", "a CONTAINS b"]) {
    const [status, code] = await search(await tenantToken({ searchRules: { "*": { filter } } }));
    const expected = filter === "a CONTAINS b" ? "feature_not_enabled" : "invalid_search_filter";
    assert.deepEqual([status, code], [400, expected], JSON.stringify(filter));
  }
});

function base64(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** For headers that the library does not write. */
function signedByHand(header: object, written = (text: string) => text): string {
  const text = `${written(base64(header))}.${base64({ apiKeyUid: READER_UID, ...all })}`;
  return `${text}.${createHmac("sha256", keyValue(READER_UID)).update(text).digest("base64url")}`;
}

/** The same bytes for a decoder that passes over the last two bits, which HS256 has no use for. */
function besideInBase64(last: string): string {
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return digits[digits.indexOf(last) + 1];
}

/** Signature and header of a sound token, with other claims. */
async function forged(): Promise<string> {
  const [header, , signature] = (await tenantToken({ searchRules: ["cups"] })).split(".");
  return [header, base64({ apiKeyUid: READER_UID, ...all }), signature].join(".");
}

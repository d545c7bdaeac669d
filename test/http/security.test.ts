// Attacks on a whole server: names that every JavaScript object has, paths that lead out, headers with line
// breaks, forged tokens, bombs. Nothing may be answered 500, nothing may leak into other objects, and the
// server goes on.
import assert from "node:assert/strict";
import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { type OpenServer, openServer } from "../../src/node.ts";
import { defaultOptions } from "../../src/options.ts";

const MASTER = "a master key of enough bytes";
/** Names that every object of JavaScript has, or that change its prototype. */
const NAMES = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf"];
const PAYLOAD_BYTES_MAX = 2_000_000;

const folder = mkdtempSync(join(tmpdir(), "tarsier-security-"));
let server: OpenServer;
before(async () => {
  server = await openServer({
    ...defaultOptions(),
    dbPath: join(folder, "db"),
    dumpDir: join(folder, "dumps"),
    snapshotDir: join(folder, "snapshots"),
    httpAddr: "127.0.0.1:0",
    threads: 0,
    masterKey: MASTER,
    logLevel: "off" as const,
    httpPayloadSizeLimit: PAYLOAD_BYTES_MAX,
  });
});
after(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

interface Reply {
  status: number;
  body: Body;
}

/** What the tests look at, of answers of all kinds. */
interface Body {
  code: string;
  taskUid: number;
  status: string;
  error: { code: string } | null;
  details: { synonyms: object };
  hits: { id: number }[];
  facetDistribution: object;
  fieldDistribution: object;
  synonyms: object;
  uid: string;
  key: string;
  t: string;
}

async function send(
  line: string,
  body?: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const [method, path] = line.split(" ");
  const response = await fetch(server.url + path, {
    method,
    headers: { authorization: `Bearer ${MASTER}`, "content-type": "application/json", ...headers },
    body,
  });
  const text = await response.text();
  assert.notEqual(response.status, 500, `${line}: ${text}`);
  const isJson = response.headers.get("content-type")?.includes("json");
  return { status: response.status, body: isJson ? JSON.parse(text) : {} };
}

async function work(line: string, body: string): Promise<Body> {
  const reply = await send(line, body);
  assert.equal(reply.status, 202, JSON.stringify(reply.body));
  for (;;) {
    const { body: task } = await send(`GET /tasks/${reply.body.taskUid}`);
    if (task.status !== "enqueued" && task.status !== "processing") return task;
    await new Promise((done) => setTimeout(done, 5));
  }
}

function assertUnpolluted(): void {
  const bare = {} as Record<string, unknown>;
  for (const name of ["polluted", "id", "isAdmin", "deep"]) assert.equal(bare[name], undefined, name);
  assert.deepEqual(Object.keys(Object.prototype), []);
}

/** As text: in a literal `__proto__` would set the prototype. */
const object = (name: string, value: string) => `{${JSON.stringify(name)}:${value}}`;

describe("names that every object has", () => {
  test("in documents: kept, found, filtered, sorted, counted and shown as any other name", async () => {
    for (const [id, name] of NAMES.entries()) {
      const pollution = `{"polluted":true,"deep":"almond${id}"}`;
      const polluted = `{"id":${id},"year":${id},${JSON.stringify(name)}:${pollution}}`;
      const documents = `[${polluted},{"id":${id + 100},${JSON.stringify(name)}:"plain"}]`;
      assert.equal((await work("POST /indexes/names/documents", documents)).status, "succeeded", name);
      assertUnpolluted();
    }
    const attributes = JSON.stringify([...NAMES, ...NAMES.map((name) => `${name}.deep`)]);
    const settings = `{"filterableAttributes":${attributes},"sortableAttributes":${attributes}}`;
    assert.equal((await work("PATCH /indexes/names/settings", settings)).status, "succeeded");
    for (const [id, name] of NAMES.entries()) {
      const { body } = await send(`GET /indexes/names/documents/${id}`);
      assert.deepEqual(Object.getOwnPropertyDescriptor(body, name)?.value, {
        polluted: true,
        deep: `almond${id}`,
      });
      const field = `${name}.deep`;
      const shown = { facets: ["*"], attributesToHighlight: ["*"], showMatchesPosition: true };
      const chosen = { q: `almond${id}`, filter: `${field} EXISTS`, sort: [`${field}:asc`] };
      const query = JSON.stringify({ ...chosen, ...shown });
      const { status, body: found } = await send("POST /indexes/names/search", query);
      assert.equal(status, 200, `${name}: ${JSON.stringify(found)}`);
      assert.deepEqual(
        found.hits.map((hit: { id: number }) => hit.id),
        [id],
        name,
      );
      const counts = Object.getOwnPropertyDescriptor(found.facetDistribution, `${name}.deep`)?.value;
      assert.deepEqual(counts, { [`almond${id}`]: 1 });
      const facets = await send(
        "POST /indexes/names/facet-search",
        `{"facetName":"${name}.deep","facetQuery":"alm"}`,
      );
      assert.equal(facets.status, 200);
      assertUnpolluted();
    }
    const { body: stats } = await send("GET /indexes/names/stats");
    for (const name of NAMES)
      assert.equal(Object.getOwnPropertyDescriptor(stats.fieldDistribution, name)?.value, 2, name);
  });

  test("in settings: kept where any name may stand, else refused", async () => {
    for (const name of NAMES) {
      const patches = [
        object("synonyms", object(name, '["tea"]')),
        object("localizedAttributes", `[{"attributePatterns":["${name}"],"locales":["eng"]}]`),
        object("embedders", object(name, '{"source":"userProvided","dimensions":2}')),
        object("typoTolerance", `{"disableOnAttributes":["${name}"],"disableOnWords":["${name}"]}`),
        object("faceting", `{"sortFacetValuesBy":${object(name, '"count"')}}`),
      ];
      for (const patch of patches) {
        const { status, body } = await send("PATCH /indexes/settings/settings", patch);
        assert.ok(status === 202 || status === 400, JSON.stringify(body));
        assertUnpolluted();
      }
      for (const body of [object(name, "1"), object(name, '{"polluted":true}')]) {
        for (const line of [
          "PATCH /indexes/settings/settings",
          "POST /indexes",
          "POST /keys",
          "PATCH /experimental-features",
          "POST /webhooks",
          "PATCH /network",
          "POST /multi-search",
          "POST /indexes/names/search",
          "POST /indexes/names/documents/fetch",
          "POST /export",
        ]) {
          const { status } = await send(line, body);
          assert.ok(status === 400, `${line} ${body}: ${status}`);
          assertUnpolluted();
        }
      }
    }
    const task = await work("POST /indexes/settings/documents", '[{"id":1,"_vectors":{"__proto__":[1,2]}}]');
    assert.ok(["succeeded", "failed"].includes(task.status));
    await send("POST /indexes/settings/search", '{"q":"__proto__ constructor"}');
    const patch = `{"synonyms":${object("__proto__", '["tea"]')}}`;
    const changed = await work("PATCH /indexes/settings/settings", patch);
    assert.deepEqual(Object.keys(changed.details.synonyms), ["__proto__"]);
    const { body } = await send("GET /indexes/settings/settings");
    assert.deepEqual(Object.getOwnPropertyDescriptor(body.synonyms, "__proto__")?.value, ["tea"]);
    assertUnpolluted();
  });

  test("as uids, parameters, filters, sorts and facets", async () => {
    for (const name of NAMES) {
      for (const line of [
        `GET /indexes/${name}`,
        `GET /indexes/${name}/stats`,
        `GET /keys/${name}`,
        `GET /webhooks/${name}`,
        `GET /tasks/${name}`,
        `GET /tasks?${name}=1`,
        `GET /indexes/names/settings/${name}`,
        `GET /indexes/names/search?${name}=1`,
        `GET /indexes/names/documents/${name}`,
        `DELETE /logs/${name}`,
      ]) {
        const { status } = await send(line);
        assert.ok(status >= 400 && status < 500, `${line}: ${status}`);
      }
      const federation = object("facetsByIndex", object(name, "[]"));
      const merged = `{"federation":${federation},"queries":[{"indexUid":"names"}]}`;
      assert.ok((await send("POST /multi-search", merged)).status < 500);
      assertUnpolluted();
    }
  });
});

describe("paths", () => {
  test("that lead out of their folder are no uids", async () => {
    for (const uid of [
      "..",
      "../x",
      "..%2f..%2fetc",
      "%2e%2e%2fx",
      "a/../../b",
      "a%00b",
      "a\\b",
      ".",
      "C:",
      "a.b",
    ]) {
      for (const line of [`GET /indexes/${uid}`, `DELETE /indexes/${uid}`, `GET /indexes/${uid}/search`]) {
        // Some are resolved before they are sent.
        const path = line.slice(line.indexOf(" ") + 1);
        if (new URL(path, server.url).pathname !== path) continue;
        const { status } = await send(line);
        assert.ok(status >= 400 && status < 500, `${line}: ${status}`);
      }
      const { status, body } = await send("POST /indexes", JSON.stringify({ uid: decodeURIComponent(uid) }));
      assert.deepEqual([status, body.code], [400, "invalid_index_uid"], uid);
      const swap = JSON.stringify([{ indexes: [uid, "names"] }]);
      assert.equal((await send("POST /swap-indexes", swap)).status, 400);
      assert.equal((await send(`PATCH /indexes/names`, JSON.stringify({ uid }))).status, 400);
    }
    assert.equal(existsSync(join(folder, "x")), false);
  });

  test("that are very long, or no text, are refused", async () => {
    for (const path of [
      `/indexes/${"a".repeat(8000)}`,
      "/indexes/%ff",
      "/indexes/%c3%28/search",
      "/%",
      "/indexes/%ED%A0%80",
    ]) {
      const { status } = await send(`GET ${path}`);
      assert.ok(status >= 400 && status < 500, `${path.slice(0, 40)}: ${status}`);
    }
    const long = `GET /indexes/names/search?q=${"almond%20".repeat(1000)}`;
    assert.equal((await send(long)).status, 200);
  });
});

describe("odd texts", () => {
  test("lone surrogates, zeros and broken UTF-8 are mended, kept or refused, and searched", async () => {
    const surrogates =
      '[{"id":1,"t":"\\ud800 almond \\udc00"},{"id":2,"u":"x\\u0000y"},{"id":3,"t":"\\ud83d\\ude00"}]';
    const task = await work("POST /indexes/odd/documents", surrogates);
    assert.equal(task.status, "succeeded", JSON.stringify(task));
    const { body } = await send("GET /indexes/odd/documents/1");
    assert.equal(body.t, "\ufffd almond \ufffd");
    for (const q of ["\\ud800", "almond", "x\\u0000y", "\\udc00\\ud800", "\\uffff"]) {
      const { status } = await send("POST /indexes/odd/search", `{"q":"${q}","attributesToHighlight":["*"]}`);
      assert.equal(status, 200, q);
    }
    for (const filter of ["t = '\\ud800'", "\\ud800 = 1", "t = '\\u0000'"]) {
      const { status } = await send(
        "POST /indexes/odd/search",
        `{"filter":${JSON.stringify(filter).replaceAll("\\\\u", "\\u")}}`,
      );
      assert.ok(status === 400, `${filter}: ${status}`);
    }
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0x22, 0xc3, 0x22],
      [0xef, 0xbb, 0xbf],
    ]) {
      const body = Buffer.concat([Buffer.from('[{"id":9,"t":'), Buffer.from(bytes), Buffer.from("}]")]);
      const { status } = await send("POST /indexes/odd/documents", body);
      assert.ok(status === 202 || status === 400, String(status));
      const search = Buffer.concat([Buffer.from('{"q":'), Buffer.from(bytes), Buffer.from("}")]);
      assert.ok([200, 400].includes((await send("POST /indexes/odd/search", search)).status));
    }
    assert.equal((await send("POST /indexes/odd/documents/fetch", "{}")).status, 200);
  });
});

const NO_MODES = process.platform === "win32" && "the system has no such permissions";

test("files, dumps and snapshots can be read by their owner alone", { skip: NO_MODES }, async () => {
  await work("PATCH /indexes/modes/settings", '{"searchableAttributes":["a"]}');
  await work("POST /indexes/modes/documents", '[{"id":1,"a":"one"}]');
  for (const line of ["POST /dumps", "POST /snapshots"])
    assert.equal((await work(line, "")).status, "succeeded", line);
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  for (const end of [".dump", ".snapshot", "journal.log", "VERSION"])
    assert.ok(
      names.some((name) => name.endsWith(end)),
      end,
    );
  const open = names.filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0);
  assert.deepEqual(open, []);
});

describe("bombs", () => {
  test("a body that unpacks to more than the limit is refused", async () => {
    const zeros = Buffer.alloc(30_000_000, 0x20);
    const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
    for (const [coding, bytes] of [
      ["gzip", gzipSync(zeros, { level: 1 })],
      ["br", brotliCompressSync(zeros, quick)],
    ] as const) {
      for (const path of ["/indexes/bomb/documents", "/indexes/names/search", "/indexes/bomb/settings"]) {
        const method = path.endsWith("settings") ? "PATCH" : "POST";
        const { status, body } = await send(`${method} ${path}`, bytes, { "content-encoding": coding }).catch(
          cut,
        );
        if (status !== 0)
          assert.deepEqual([status, body.code], [413, "payload_too_large"], `${coding} ${path}`);
      }
    }
    assert.equal((await send("GET /health")).status, 200);
  });

  test("nesting, conditions and words without end are refused or answered", async () => {
    const deep = (open: string, close: string, n: number) => open.repeat(n) + close.repeat(n);
    const filters = [
      deep("(", ")", 10_000),
      `${"NOT ".repeat(10_000)}id = 1`,
      Array.from({ length: 20_000 }, (_, i) => `id = ${i}`).join(" OR "),
      `id IN [${Array.from({ length: 100_000 }, (_, i) => i)}]`,
    ];
    for (const filter of filters) {
      const { status } = await send("POST /indexes/names/search", JSON.stringify({ filter }));
      assert.ok(status === 200 || status === 400, String(status));
    }
    assert.equal(
      (await send("POST /indexes/names/search", `{"filter":${deep("[", "]", 100_000)}}`)).status,
      400,
    );
    const words = "almond ".repeat(100_000);
    assert.equal((await send("POST /indexes/names/search", JSON.stringify({ q: words }))).status, 200);
    const nested = `[{"id":1,"a":${deep("[", "]", 100_000)}}]`;
    const { status, body } = await send("POST /indexes/deep/documents", nested);
    assert.ok(status === 400 || status === 202, JSON.stringify(body));
    const fields = `[{"id":1,${Array.from({ length: 70_000 }, (_, i) => `"f${i}":1`)}}]`;
    const task = await work("POST /indexes/deep/documents", fields);
    assert.deepEqual([task.status, task.error?.code], ["failed", "max_fields_limit_exceeded"]);
    const many = JSON.stringify({
      queries: Array.from({ length: 2000 }, () => ({ indexUid: "names", limit: 0 })),
    });
    assert.ok((await send("POST /multi-search", many)).status < 500);
  });
});

/** A connection that was closed while the bomb was still on its way. */
function cut(error: unknown): Reply {
  assert.ok(error instanceof TypeError, String(error));
  return { status: 0, body: {} as Body };
}

describe("headers", () => {
  test("of webhooks cannot carry line breaks, and internal addresses are not called", async () => {
    for (const value of ["a\r\nx: y", "a\nb", "\u0000", "a\u2028\r"]) {
      const body = JSON.stringify({ url: "https://example.org", headers: { authorization: value } });
      assert.equal((await send("POST /webhooks", body)).status, 400, JSON.stringify(value));
    }
    for (const name of ["a b", "a\r\nb", "", "__proto__:"]) {
      const body = JSON.stringify({ url: "https://example.org", headers: { [name]: "x" } });
      assert.equal((await send("POST /webhooks", body)).status, 400, JSON.stringify(name));
    }
    const target = JSON.stringify({ url: "http://169.254.169.254/latest", indexes: { "*": {} } });
    const task = await work("POST /export", target);
    assert.equal(task.status, "failed");
  });
});

describe("tokens", () => {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

  test("of other algorithms, of none, and with confused keys are refused", async () => {
    const { body: key } = await send(
      "POST /keys",
      JSON.stringify({ actions: ["search"], indexes: ["*"], expiresAt: null }),
    );
    const claims = encode({ searchRules: ["*"], apiKeyUid: key.uid, exp: null });
    const hs256 = (head: object, secret = key.key) => {
      const signed = `${encode(head)}.${claims}`;
      return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
    };
    const search = (token: string) =>
      send("POST /indexes/names/search", "{}", { authorization: `Bearer ${token}` });
    assert.equal((await search(hs256({ alg: "HS256", typ: "JWT" }))).status, 200);
    const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const rs = `${encode({ alg: "RS256", typ: "JWT" })}.${claims}`;
    const good = hs256({ alg: "HS256", typ: "JWT" });
    const forged = [
      `${encode({ alg: "none", typ: "JWT" })}.${claims}.`,
      `${encode({ alg: "None" })}.${claims}.`,
      `${encode({ alg: "none" })}.${claims}.${good.split(".")[2]}`,
      hs256({ alg: "none" }),
      hs256({ alg: "RS256" }),
      hs256({ typ: "JWT" }),
      hs256({ alg: ["HS256"] }),
      `${rs}.${sign("sha256", Buffer.from(rs), pair.privateKey).toString("base64url")}`,
      hs256({ alg: "HS256" }, ""),
      hs256({ alg: "HS256" }, key.uid),
      hs256({ alg: "HS256", jwk: { kty: "oct", k: "" } }, ""),
      `${good}=`,
      `${good}.${good}`,
      good.slice(0, -2),
      "..",
      `${"a".repeat(10_000)}.b.c`,
    ];
    for (const token of forged) {
      const { status, body } = await search(token);
      assert.deepEqual([status, body?.code], [403, "invalid_api_key"], token.slice(0, 60));
    }
  });
});

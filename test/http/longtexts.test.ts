// Texts of requests and documents with long runs in them, which are gone through once. Once for each of
// their letters, they would take minutes of the thread that answers everybody: these tests would be out of
// time.
import { deepEqual, equal, match, rejects, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import { Type } from "typebox";
import { DECIMAL } from "../../src/decimals.ts";
import { defaultSettings } from "../../src/engine/defaultsettings.ts";
import { FieldSelection } from "../../src/engine/documents/selection.ts";
import { facetFields } from "../../src/engine/facets/fields.ts";
import { beginsNear } from "../../src/engine/facets/searchkeys.ts";
import { facetText } from "../../src/engine/filter/facettext.ts";
import { Lexer } from "../../src/engine/filter/lexer.ts";
import { openLocalEngine } from "../../src/engine/pool.ts";
import { cropWindow } from "../../src/engine/search/cropping.ts";
import { maskSecret } from "../../src/engine/secrets.ts";
import { shownUrl } from "../../src/http/failures.ts";
import { IndexScope } from "../../src/http/indexscope.ts";
import { LEVELS, leastLevel, parseTarget } from "../../src/http/logtarget.ts";
import type { Access } from "../../src/operations/services.ts";
import { swapsOf } from "../../src/operations/swaps.ts";
import { strictObject } from "../../src/schemas/fields.ts";
import { splitCriteria } from "../../src/schemas/parameters.ts";
import { validator } from "../../src/schemas/validator.ts";
import { parseSize } from "../../src/sizes.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import { isSlash, trimmed, withoutEnd } from "../../src/trimming.ts";
import { decode, scanner, withDocument } from "../engine/documents/raw.ts";
import { INDEX, startFixture } from "./harness.ts";

const MANY = 500_000;
const everything = { checkUse: () => {} } as unknown as Access;

describe("a text with a long run in it", { timeout: 20_000 }, () => {
  it("is trimmed at its ends only", () => {
    const inner = `a${"/".repeat(MANY)}b`;
    equal(trimmed(`//${inner}///`, isSlash), inner);
    equal(withoutEnd(`//${inner}///`, isSlash), `//${inner}`);
    deepEqual([trimmed("///", isSlash), trimmed("", isSlash), withoutEnd("///", isSlash)], ["", "", ""]);
  });

  it("is a value of a facet without the blanks around it", () => {
    const inner = `É${" \u3000\t".repeat(MANY)}b`;
    equal(facetText(`\u2028 ${inner}\u00a0\n`), inner.normalize("NFKD").toLowerCase());
    equal(facetText(" \t "), "");
  });

  it("is a URL that logs show without the values of keys", () => {
    const slashes = "/".repeat(MANY);
    equal(shownUrl(slashes), slashes.slice(0, 200));
    equal(shownUrl(`/keys${"/".repeat(50)}value/x`), `/keys${"/".repeat(50)}KEY/x`);
    equal(shownUrl(`/keys/keys/value${slashes}`).slice(0, 20), "/keys/KEY/KEY///////");
  });

  it("is no size", () => {
    equal(parseSize(`1${" ".repeat(MANY)}!`), undefined);
    equal(parseSize(` 1 ${" ".repeat(MANY)} kB `), 1000);
  });

  it("is no number", () => {
    equal(DECIMAL.test(`${"1".repeat(MANY)}x`), false);
    equal(DECIMAL.test(`-${"1".repeat(MANY)}.5e3`), true);
  });

  it("is cropped around its best run of matches", () => {
    const positions = [0];
    const matches = Array.from({ length: MANY }, (_, at) => {
      const [word, token] = [2 * at, 4 * at];
      return { firstWord: word, lastWord: word, firstToken: token, lastToken: token, positions };
    });
    const isSeparator = (token: number) => token % 2 === 1;
    const count = 4 * MANY;
    const tokens = { count, isSeparator, isHard: () => false, start: (token: number) => token };
    const window = cropWindow(tokens as never, matches as never, MANY);
    deepEqual(window, { from: 0, to: 2 * MANY - 1 });
  });

  it("is a value of a filter, escapes and all", () => {
    const escapes = ["\\n", "\\x41", "\\u{42}", "\\'"].map((one) => one.repeat(MANY)).join("");
    const lexer = new Lexer(`'${escapes}'`, "invalid_search_filter");
    equal(lexer.value().text, ["\n", "A", "B", "'"].map((letter) => letter.repeat(MANY)).join(""));
  });

  it("is a secret that is shown by its beginning", () => {
    const secret = `\u{1f600}${"s".repeat(MANY)}`;
    for (let times = 0; times < 10_000; times++) equal(maskSecret(secret), "\u{1f600}ssssXXXXXX...");
  });

  it("begins near no query that is much longer or shorter", () => {
    const query = [..."e".repeat(1_000)];
    for (let times = 0; times < 100_000; times++) equal(beginsNear(query, "Élan", 2), false);
    equal(beginsNear([..."elan"], `Élan${"x".repeat(MANY)}`, 1), true);
  });

  it("is a list of sort criteria", () => {
    const quotes = '"'.repeat(MANY);
    deepEqual(splitCriteria(`""a:asc, b${quotes}c:desc"`), ["a:asc", `b${quotes}c:desc`]);
    deepEqual(splitCriteria("_geoPoint(1, 2):asc,a:asc"), ["_geoPoint(1,2):asc", "a:asc"]);
    deepEqual(splitCriteria("a:asc,_geoPoint(1,b:desc"), ["a:asc", "_geoPoint(1,b:desc"]);
    deepEqual(splitCriteria("_geoPoint(1):asc,_geoPoint(1,2"), ["_geoPoint(1):asc", "_geoPoint(1,2"]);
    deepEqual(splitCriteria(`_geoPoint(${",".repeat(MANY)}`), [`_geoPoint(${",".repeat(MANY)}`]);
  });
});

describe("a long list", { timeout: 20_000 }, () => {
  it("of indexes of a key names the longest beginning of each", () => {
    const scope = new IndexScope([...Array.from({ length: MANY }, (_, at) => `i${at}*`), "i*", "j"]);
    const names = ["i7x", "i", "ix", `i${MANY - 1}`, "j", "jj"];
    deepEqual(
      names.map((name) => scope.bestPattern(name)),
      ["i7*", "i*", "i*", `i${MANY - 1}*`, "j", null],
    );
  });

  it("of facets meets a long list of rules", () => {
    const names = Array.from({ length: 20_000 }, (_, at) => `n${at}`);
    const reader = {
      knownFields: new Set(names.map((name) => `${name}.below`)),
      settings: { ...defaultSettings(), filterableAttributes: names },
    };
    equal(facetFields(reader as never, names)?.length, names.length);
  });

  it("of swaps names each index once", () => {
    const swaps = Array.from({ length: MANY }, (_, at) => ({ indexes: [`a${at}`, `b${at}`] }));
    equal(swapsOf(swaps, everything).length, MANY);
    throws(
      () => swapsOf([...swaps, { indexes: ["a7", "c"] }], everything),
      (error) => /`a7`/.test((error as Error).message),
    );
  });

  it("is refused for the item that is wrong, wherever it is", () => {
    const faultOf = validator(
      strictObject({ ids: Type.Array(Type.Number()), lists: Type.Array(Type.Any()) }),
    );
    for (const at of [0, 999, 1000, 15_999, 16_000, MANY - 1]) {
      const ids: unknown[] = Array.from({ length: MANY }, (_, item) => item);
      ids[at] = "x";
      match(
        faultOf({ ids, lists: [] })!.message,
        new RegExp(`^Field \`\\.ids\\[${at}\\]\`: expected a number`),
      );
    }
  });

  it("is refused where a list in it is wrong far behind, too", () => {
    const faultOf = validator(strictObject({ lists: Type.Array(Type.Array(Type.Number())) }));
    const lists: unknown[][] = Array.from({ length: 3_000 }, () => [1]);
    lists[2_500] = Array.from({ length: 5_000 }, (_, item) => (item === 4_000 ? "x" : item));
    match(faultOf({ lists })!.message, /^Field `\.lists\[2500\]\[4000\]`: expected a number/);
  });

  it("of fields below one another is looked up in a document", () => {
    const names = Array.from({ length: MANY / 10 }, (_, at) => `a.b${at}`);
    const selection = new FieldSelection(names, [], () => false);
    const list = Array.from({ length: 1_000 }, (_, at) => ({ [`b${at * 7}`]: 1, c: 2 }));
    withDocument(JSON.stringify({ a: list, d: 1 }), (pointer, length) => {
      const shown = JSON.parse(decode(selection.select(scanner, pointer, length)));
      deepEqual(shown, { a: list.map(({ c, ...rest }) => rest) });
    });
  });

  it("of parts of the log has a least level", () => {
    const parts = Array.from({ length: MANY }, (_, at) => `part${at}=warn`);
    equal(leastLevel(parseTarget(`error,${parts.join()}`)), LEVELS.warn);
  });
});

it("a text that is longer than a record of the journal is refused", async () => {
  const { instance } = await startFixture();
  const long = "x".repeat(65 * 2 ** 20);
  await rejects(instance.put("webhook", "w", { url: long }), { code: "payload_too_large", status: 413 });
  await instance.put("webhook", "w", { url: "short" });
  deepEqual(instance.value("webhook", "w"), { url: "short" });
});

it("a text with very many matches is not shown with tags of any length", async () => {
  const storage = new MemoryStorage();
  const bytes = 32 * 2 ** 20;
  const engine = openLocalEngine(storage, { threads: 0, indexingBytes: bytes, searchBytes: bytes });
  const { app, instance } = await startFixture({}, "{}", { storage, engine });
  try {
    const send = (url: string, payload: object) => app.inject({ method: "POST", url, payload });
    await send(`/indexes/${INDEX}/documents`, [{ id: 1, text: "a ".repeat(20_000) }]);
    await instance.idle();
    const body = { q: "a", attributesToRetrieve: ["id"], attributesToHighlight: ["text"] };
    const search = (highlightPreTag: string) =>
      send(`/indexes/${INDEX}/search`, { ...body, highlightPreTag, highlightPostTag: "" });
    const shown = (await search("<b>")).json().hits[0]._formatted.text;
    equal(shown, "<b>a ".repeat(20_000));
    const refused = (await search("x".repeat(8_000))).json();
    const cropped = await send(`/indexes/${INDEX}/search`, {
      ...body,
      highlightPreTag: "x".repeat(8_000),
      highlightPostTag: "",
      attributesToCrop: ["text:2"],
    });
    equal(cropped.json().hits[0]._formatted.text, `${`${"x".repeat(8_000)}a `.repeat(2).trimEnd()}…`);
    deepEqual([refused.code, /shorter tags/.test(refused.message)], ["bad_request", true]);
  } finally {
    await app.close();
    await instance.close();
    await engine.close();
  }
});

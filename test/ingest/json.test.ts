// JSON and NDJSON bodies become lines with the bytes that came; what is not JSON is refused with its place.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { NESTING_LEVELS_MAX } from "../../src/ingest/json-lines.ts";
import { receive, refusal } from "./receive.ts";

const object = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ maxDepth: 4 }));
const blanks = fc.string({ unit: fc.constantFrom(" ", "\n", "\t", "\r"), maxLength: 3 });

/** JSON with white space between its tokens. */
function spread(value: unknown, blank: string): string {
  if (Array.isArray(value))
    return `[${blank}${value.map((item) => spread(item, blank)).join(`${blank},${blank}`)}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([name, item]) => `${JSON.stringify(name)}${blank}:${spread(item, blank)}`,
  );
  return `{${blank}${fields.join(`,${blank}`)}${blank}}`;
}

/** The bytes of a text, cut into chunks of the given lengths over and over. */
function cut(text: string, lengths: readonly number[]): Uint8Array[] {
  const bytes = Buffer.from(text);
  const chunks: Uint8Array[] = [];
  for (let start = 0, turn = 0; start < bytes.length; turn++) {
    const end = start + lengths[turn % lengths.length];
    chunks.push(bytes.subarray(start, end));
    start = end;
  }
  return chunks;
}

const chunkLengths = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 5 });

test("a list of documents arrives whole, however it is spaced and cut", async () => {
  const property = fc.asyncProperty(
    fc.array(object),
    blanks,
    chunkLengths,
    async (documents, blank, lengths) => {
      const { lines, ...counts } = await receive("json", cut(spread(documents, blank), lengths));
      deepEqual(
        lines.map((line) => JSON.parse(line)),
        JSON.parse(JSON.stringify(documents)),
      );
      equal(counts.documents, documents.length);
      equal(counts.bytes, Buffer.byteLength(counts.text));
    },
  );
  await fc.assert(property, { numRuns: 100 });
});

test("documents behind each other arrive whole, with any white space between them", async () => {
  const bodies = fc.array(fc.tuple(object, blanks, blanks));
  const property = fc.asyncProperty(bodies, chunkLengths, async (parts, lengths) => {
    const body = `\n${parts.map(([document, inside, after]) => spread(document, inside) + after).join("")}`;
    const { lines } = await receive("ndjson", cut(body, lengths));
    deepEqual(
      lines.map((line) => JSON.parse(line)),
      parts.map(([document]) => JSON.parse(JSON.stringify(document))),
    );
  });
  await fc.assert(property, { numRuns: 100 });
});

test("the verdict on a damaged document is that of JSON.parse, but for infinite numbers", async () => {
  const damages = fc.record({
    place: fc.nat(),
    removed: fc.nat({ max: 2 }),
    put: fc.constantFrom(
      "",
      '"',
      "\\",
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      "0",
      "-",
      ".",
      "e",
      "\\u00e",
      "\n",
      "t",
      "\u0001",
    ),
  });
  const property = fc.asyncProperty(
    object,
    blanks,
    damages,
    async (document, blank, { place, removed, put }) => {
      const text = spread(document, blank);
      const at = place % text.length;
      const damaged = text.slice(0, at) + put + text.slice(at + removed);
      const taken = await receive("json", damaged).catch(() => null);
      equal(taken !== null, isDocuments(damaged), JSON.stringify(damaged));
    },
  );
  await fc.assert(property, { numRuns: 500 });
});

function isDocuments(text: string): boolean {
  try {
    const value = JSON.parse(text, (_, part) => {
      if (part === Number.POSITIVE_INFINITY || part === Number.NEGATIVE_INFINITY) throw new RangeError();
      return part;
    });
    const isObject = (item: unknown) => typeof item === "object" && item !== null && !Array.isArray(item);
    return Array.isArray(value) ? value.every(isObject) : isObject(value);
  } catch {
    return false;
  }
}

test("the bytes of a document stay as they came", async () => {
  const document = '{ "a":1.0,\t"b" : 1e3, "a":"\\u00e9é😀\\/" , "big":12345678901234567890123 }';
  const { text } = await receive("ndjson", `  ${document}\t\n\n  {"c":2}  `);
  equal(text, `${document}\n{"c":2}\n`);
});

test("a name holds no half of a surrogate pair, however cut; in a value it becomes U+FFFD", async () => {
  const units = fc.constantFrom(
    "\\ud83d",
    "\\uDE00",
    "\\uDBFF",
    "\\udfff",
    "\\uD7ff",
    "\\ue000",
    "\\u0ddd",
    "\\n",
    "\\\\",
    "ud83d",
    "d",
    "\u{1f600}",
  );
  const property = fc.asyncProperty(fc.array(units), chunkLengths, async (parts, lengths) => {
    const text = parts.join("");
    const bodies = [`[{"a":{"${text}":1}}]`, `[{"a":["${text}"]}]`].map((body) => cut(body, lengths));
    const [named] = await Promise.allSettled(bodies.map((body) => receive("json", body)));
    equal(named.status === "rejected", /\p{Surrogate}/u.test(JSON.parse(`"${text}"`)), text);
    const [line] = (await receive("json", bodies[1])).lines;
    equal(line.length, `{"a":["${text}"]}`.length, text);
    deepEqual(JSON.parse(line), { a: [Buffer.from(JSON.parse(`"${text}"`)).toString()] }, text);
    deepEqual((await receive("json", bodies[0], { isStored: true })).lines, [`{"a":{"${text}":1}}`]);
  });
  await fc.assert(property, { numRuns: 500 });
  const kept = "\\\\ud83d \\ud83d\\ude00 \\uD83D\\uDE00 \\ud7ff \\ue000";
  deepEqual((await receive("ndjson", `{"a":"${kept}"}`)).lines, [`{"a":"${kept}"}`]);
  match((await refusal("json", '[{"a":"\\ud83d\\udg')).message, /found `g` where four hexadecimal digits/);
  match((await refusal("json", '[{"a\\udc00\\udc00":1}]')).message, /rest of a surrogate pair/);
  match((await refusal("json", '[{"a\\ud800b":1}]')).message, /found `b` where the rest of a surrogate pair/);
});

test("a body that ends in or behind an escape is refused there, with what is missing", async () => {
  const digits = "four hexadecimal digits behind `\\u`";
  const ends = {
    "\\ud8": digits,
    "\\ud83": digits,
    "\\udc0": digits,
    "\\ud83d": "a character that is not a control character",
    "\\ude00": "a character that is not a control character",
    "\\ud83d\\": "behind a backslash",
    "\\ud83d\\ud": digits,
    "\\ud83d\\ude0": digits,
  };
  for (const [end, missing] of Object.entries(ends)) {
    for (const body of [[`[{"a":"${end}`], [...`[{"a":"${end}`]]) {
      const { message } = await refusal("json", body);
      const place = `byte offset ${body.join("").length}: found the end of the body where`;
      ok(message.includes(place) && message.includes(missing), message);
    }
  }
});

test("line feeds between the tokens of a document become blanks", async () => {
  const { text } = await receive("json", '[\n{\n"a": [\n1,\n2]\n}\n,\n{"b":"\\n"}\n]\n');
  equal(text, '{ "a": [ 1, 2] }\n{"b":"\\n"}\n');
});

test("a single object is one document, and an empty list none", async () => {
  deepEqual((await receive("json", '{"id":1}')).lines, ['{"id":1}']);
  deepEqual(await receive("json", " [ ] "), { documents: 0, bytes: 0, text: "", lines: [] });
  deepEqual(await receive("ndjson", " \n \n"), { documents: 0, bytes: 0, text: "", lines: [] });
});

test("a byte order mark in front says nothing", async () => {
  deepEqual((await receive("ndjson", '\ufeff{"id":1}\n')).lines, ['{"id":1}']);
  deepEqual((await receive("json", ["\ufeff", '{"id":1}'])).lines, ['{"id":1}']);
});

test("a byte order mark is counted where a refusal tells of a place, however it is cut", async () => {
  for (const body of [['\ufeff{"id":x}'], ["\ufeff", '{"id":x}'], cut('\ufeff{"id":x}', [1])])
    match((await refusal("json", body)).message, /byte offset 9: found `x`/);
});

test("a document larger than every buffer passes through", async () => {
  const text = "long ".repeat(1_000_000);
  const { lines, bytes } = await receive("json", JSON.stringify([{ id: 1, text }, { id: 2 }]));
  equal(JSON.parse(lines[0]).text, text);
  equal(lines[1], '{"id":2}');
  equal(bytes, Buffer.byteLength(lines.join("\n")) + 1);
});

test("documents may nest as deep as the bound, and no deeper", async () => {
  const nested = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
  equal((await receive("json", nested(NESTING_LEVELS_MAX))).documents, 1);
  const { code, message } = await refusal("json", nested(NESTING_LEVELS_MAX + 1));
  equal(code, "malformed_payload");
  match(message, /at line 1, document 1, byte offset 516: nesting is deeper than 512 levels/);
});

test("a refusal names the place, what was found, and what should be there", async () => {
  const cases: ["json" | "ndjson", string, RegExp][] = [
    [
      "ndjson",
      '{"id":1}\n{id:2}\n',
      /ndjson .* at line 2, document 2, byte offset 10: found `i` where a field name/,
    ],
    [
      "ndjson",
      '{"id":1}\n{"id":2',
      /at line 2, document 2, byte offset 16: found the end of the body where a digit or/,
    ],
    [
      "ndjson",
      '{"id":1},\n{"id":2}',
      /at line 1, document 2, byte offset 8: found `,` where an object should be/,
    ],
    ["ndjson", "[1]", /found `\[` where an object should be/],
    ["json", "12", /found `1` where an object or a list of objects should be/],
    ["json", "[1,2]", /found `1` where an object or `\]` should be/],
    ["json", '[{"id":1},', /found the end of the body where an object should be/],
    ["json", '[{"id":1}] x', /found `x` where the end of the body should be/],
    ["json", '{"id":1}{"id":2}', /found `\{` where the end of the body should be/],
    ["json", "  ", /found the end of the body where an object or a list/],
    ["json", '{"a":"\n"}', /found a line feed where a character/],
    ["json", '{"a":é}', /found a character beyond ASCII where a value/],
    ["json", '{"a":01}', /found `1` where the end of the number/],
    ["json", '{"a":nul}', /found `\}` where `true`, `false` or `null`/],
  ];
  for (const [format, body, expected] of cases) {
    const { code, message } = await refusal(format, body);
    equal(code, "malformed_payload");
    match(message, expected);
  }
});

test("a number that is too large for programs is refused, wherever it is cut", async () => {
  for (const number of ["1e400", "-12.5E+309", "9e308", "1e0400"]) {
    const body = `[{"a":1},{"n":[${number}]}]`;
    for (const length of [1, 2, 3, 100]) {
      const { code, message } = await refusal("json", cut(body, [length]));
      equal(code, "malformed_payload");
      match(message, new RegExp(`\\x60${number.replace(/[.+]/g, ".")}\\x60 is too large`), `${length}`);
    }
  }
  const long = "9".repeat(309);
  for (const number of [long, `-${long}`, `${long}.5`, `1${"0".repeat(5000)}`]) {
    for (const length of [1, 2, 3, 100, 310, 10_000]) {
      const { message } = await refusal("json", cut(`[{"a":1},{"n":[${number},1]}]`, [length]));
      match(message, /`-?\d{39,40}\.\.\.` is too large/, `${length}`);
    }
  }
  const digits = "0".repeat(308);
  const longs = `[{"a":1${digits},"b":0.${digits}${digits},"c":[${"1234567890,".repeat(60)}-1${digits}]}]`;
  for (const length of [1, 4, 100, 10_000]) equal((await receive("json", cut(longs, [length]))).documents, 1);
  const fine = '[{"a":1e308,"b":-1.5E-400,"c":0e999,"d":[1e2,3E+1]}]';
  for (const length of [1, 4, 100]) equal((await receive("json", cut(fine, [length]))).documents, 1);
});

test("a control character is refused wherever it stands in a text", async () => {
  for (let byte = 0; byte < 0x20; byte++) {
    for (let before = 0; before < 8; before++) {
      const text = `${"x".repeat(before)}${String.fromCharCode(byte)}${"y".repeat(8)}`;
      match((await refusal("json", `[{"a":"${text}"}]`)).message, /control character/);
    }
  }
});

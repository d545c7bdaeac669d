// Bodies with documents, compared with other readers of the same formats: JSON.parse and csv-parse. Chunks
// are cut at any byte.
import assert from "node:assert/strict";
import { parse } from "csv-parse/sync";
import type { Random } from "../../crash/random.ts";
import { receive } from "../../ingest/receive.ts";
import { isAccepted, type Subject, type Target } from "../fuzzing.ts";
import { anyValue, changedBytes, changedText, type Grammar, grown } from "../making.ts";

const NAMES = ["id", "a", "b\u2028", "__proto__", "é", "_vectors", "a.b", ""];
const JSON_PARTS = [
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
  "E+",
  "\\u00e",
  "\\ud83d",
  "\n",
  "tru",
  "null",
  "\u0001",
  "//",
  "1e400",
  "\ufeff",
  '"a":1',
  "[[[[[[[[",
  '{"a":',
];
/** Behind this many levels the server refuses what JSON.parse takes. */
const DEEP = /[[{]{100}/;
const TABLE: Grammar = {
  start: ["<head>\n", "<head>\n<row>", "<head>\r\n<row>\r\n<row>", "<head>\n<row>\n<row>\n<row>\n"],
  head: ["id,a,b", '"id",a,"b c"', "id,a:number,b:boolean", "id,a,a", "id,a:string,b:x"],
  row: ["<cell>,<cell>,<cell>", "<cell>,<cell>,<cell>", "<cell>,<cell>", "<cell>"],
  cell: ["1", "", "x y", '"q ""r"" s"', '"a,b"', '"l\nm"', "true", "-1.5e3", "é", " 7 ", "1e999"],
};
const TABLE_PARTS = [",", '"', '""', "\n", "\r\n", "\r", ":number", ";", "\t", "\0", "\ufeff"];

export const payloadTargets: Target[] = [
  { name: "json", slice: 150, open: () => jsonBody("json") },
  { name: "ndjson", slice: 150, open: () => jsonBody("ndjson") },
  { name: "csv", slice: 150, open: csvBody },
];

function jsonBody(format: "json" | "ndjson"): Subject {
  return {
    make(random) {
      const documents = Array.from({ length: random.between(0, 3) }, () =>
        random.chance(0.95) ? { id: 1, a: anyValue(random, NAMES) } : anyValue(random, NAMES),
      );
      const indent = random.of([0, 0, 1, "\t"]);
      const body =
        format === "ndjson"
          ? documents.map((document) => JSON.stringify(document)).join(random.of(["\n", "\r\n", " ", "\n\n"]))
          : JSON.stringify(documents.length === 1 ? documents[0] : documents, null, indent);
      return damaged(random, body, JSON_PARTS);
    },
    async take(input) {
      let lines: string[] = [];
      const taken = await isAccepted(async () => {
        lines = (await receive(format, chunksOf(input))).lines;
      });
      const text = Buffer.from(input).toString();
      const expected = format === "json" ? documentsIn(text) : null;
      if (format === "json" && !DEEP.test(text)) {
        // Bytes that are no UTF-8 are refused; JSON.parse never sees them.
        const isText = Buffer.from(text).equals(Buffer.from(input));
        assert.equal(taken, expected !== null && isText, "the verdict of JSON.parse");
      }
      const values = lines.map((line) => JSON.parse(line) as unknown);
      if (taken && expected) assert.deepEqual(values, expected);
      return taken;
    },
  };
}

/** Whether JSON has a number beyond 64 bits, even one whose key is given once more and which is not kept. */
function hasInfinity(text: string): boolean {
  const numbers = text.replace(/"(?:[^"\\]|\\.)*"/g, '""').match(/-?\d[\d.eE+-]*/g) ?? [];
  return numbers.some((number) => !Number.isFinite(Number(number)));
}

/** Whether JSON has a name with half of a surrogate pair, even one that is given once more. */
function hasHalfName(text: string): boolean {
  const texts = text.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?/g);
  return [...texts].some(([, name, colon]) => colon && /[\ud800-\udfff]/u.test(JSON.parse(name)));
}

/**
 * Documents of a body by JSON.parse, or null; numbers too large for it, and names with half of a surrogate
 * pair, are refused by the server. Halves in values are replaced, as UTF-8 has none.
 */
function documentsIn(text: string): unknown[] | null {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ""), (_, part: unknown) =>
      typeof part === "string" ? Buffer.from(part).toString() : part,
    );
    if (hasInfinity(text) || hasHalfName(text)) return null;
    const list = Array.isArray(value) ? value : [value];
    return list.every((one) => typeof one === "object" && one !== null && !Array.isArray(one)) ? list : null;
  } catch {
    return null;
  }
}

function csvBody(): Subject {
  return {
    make: (random) => damaged(random, grown(random, TABLE), TABLE_PARTS),
    async take(input) {
      let lines: string[] = [];
      const taken = await isAccepted(async () => {
        lines = (await receive("csv", chunksOf(input))).lines;
      });
      const values = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      const text = Buffer.from(input).toString();
      const expected = taken ? plainTable(text) : null;
      if (expected) assert.deepEqual(values.map(Object.entries), expected, "fields and records");
      return taken;
    },
  };
}

/** Fields of records by csv-parse; null for what the two read differently on purpose. */
function plainTable(text: string): [string, string | null][][] | null {
  if (/[^\n]"[^,\n"]|[^,\n"]"|\r|:|\ufeff|^\s*$|\n[ \t]*\n|^\n/.test(text)) return null;
  try {
    const [header, ...rows] = parse(text, { skip_empty_lines: true }) as string[][];
    // Of columns with the same name the last one counts, in its place. An empty cell is no value.
    const counts = (place: number) => header.lastIndexOf(header[place]) === place;
    const recordOf = (row: string[]) =>
      Object.fromEntries(
        row.flatMap((cell, place) => (counts(place) ? [[header[place], cell || null]] : [])),
      );
    return rows.map((row) => Object.entries(recordOf(row)));
  } catch {
    return null;
  }
}

function damaged(random: Random, body: string, parts: readonly string[]): Uint8Array {
  const text = random.chance(0.6) ? changedText(random, body, parts) : body;
  const bytes = Buffer.from(text);
  return random.chance(0.1) ? changedBytes(random, bytes) : bytes;
}

/** The body in pieces whose lengths its own bytes decide, so that the same body is cut alike. */
function chunksOf(input: string | Uint8Array): Uint8Array[] {
  const bytes = Buffer.from(input);
  if (bytes.length === 0 || bytes.length > 4096) return [bytes];
  const step = 1 + (bytes[bytes.length >> 1] % 40);
  return Array.from({ length: Math.ceil(bytes.length / step) }, (_, i) =>
    bytes.subarray(i * step, (i + 1) * step),
  );
}

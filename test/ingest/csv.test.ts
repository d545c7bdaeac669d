// CSV bodies become documents: compared with csv-parse on generated tables, and typed headers by example.
import { deepEqual, equal, match } from "node:assert/strict";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { receive, refusal } from "./receive.ts";

const documents = async (body: string, delimiter = ",") =>
  (await receive("csv", body, { delimiter })).lines.map((line) => JSON.parse(line));

const cell = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom('"', ",", ";", "\n", "\r", "a", " ", "\\", "\t", "é", "\u0001") }),
);
const tables = fc
  .integer({ min: 1, max: 5 })
  .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 6 }));

function encode(row: readonly string[], delimiter: string, quoteAll: boolean): string {
  const needsQuotes = (text: string) =>
    quoteAll || text === "" || /["\n\r]/.test(text) || text.includes(delimiter);
  return row.map((text) => (needsQuotes(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(delimiter);
}

test("generated tables are read as csv-parse reads them", async () => {
  const forms = fc.record({
    delimiter: fc.constantFrom(",", ";", "\t", "|"),
    lineEnd: fc.constantFrom("\n", "\r\n"),
    quoteAll: fc.boolean(),
    lastLineEnd: fc.boolean(),
    chunkBytes: fc.integer({ min: 1, max: 40 }),
  });
  const property = fc.asyncProperty(tables, forms, async (rows, form) => {
    const names = (rows[0] ?? ["x"]).map((_, place) => `field ${place}`);
    const records = [names, ...rows].map((row) => encode(row, form.delimiter, form.quoteAll));
    const body = Buffer.from(records.join(form.lineEnd) + (form.lastLineEnd ? form.lineEnd : ""));
    const chunks: Buffer[] = [];
    for (let at = 0; at < body.length; at += form.chunkBytes)
      chunks.push(body.subarray(at, at + form.chunkBytes));
    const { lines } = await receive("csv", chunks, { delimiter: form.delimiter });
    const expected = parse(body, {
      columns: true,
      delimiter: form.delimiter,
      record_delimiter: form.lineEnd,
    });
    const withNulls = (record: unknown) =>
      Object.fromEntries(
        Object.entries(record as object).map(([name, text]) => [name, text === "" ? null : text]),
      );
    deepEqual(
      lines.map((line) => JSON.parse(line)),
      expected.map(withNulls),
    );
  });
  await fc.assert(property, { numRuns: 300 });
});

test("typed headers make numbers and booleans, empty cells make null", async () => {
  const body =
    'id:number,name,height:number,open:boolean,note:string\n1,Triglav,2864,true,"a ""high"" one"\n2,, ,,\n';
  deepEqual(await documents(body), [
    { id: 1, name: "Triglav", height: 2864, open: true, note: 'a "high" one' },
    { id: 2, name: null, height: null, open: null, note: null },
  ]);
});

test("a type stands behind the last colon; what is no type is part of the name", async () => {
  deepEqual(await documents("a:b:number,place:oddity,:number,c:Number\n1,x,2,3\n"), [
    { "a:b": 1, "place:oddity": "x", "": 2, "c:Number": "3" },
  ]);
});

test("numbers keep the form that JSON allows and get one where it does not", async () => {
  const forms: [string, string | null][] = [
    ["12", "12"],
    [" 12 ", "12"],
    ["-7", "-7"],
    ["+5", "5"],
    ["007", "7"],
    ["-007", "-7"],
    ["2501.50", "2501.50"],
    ["1.", "1.0"],
    [".5", "0.5"],
    ["-.5e1", "-5.0"],
    ["1e3", "1e3"],
    ["9223372036854775807", "9223372036854775807"],
    ["123456789012345678901234567890", "123456789012345678901234567890"],
    ["abc", null],
    ["1 2", null],
    ["0x10", null],
    ["NaN", "null"],
    ["-Infinity", "null"],
    ["1e999", "null"],
    ["nano", null],
    ["--1", null],
    ["1,5", null],
  ];
  for (const [cell, json] of forms) {
    const body = `n:number\n"${cell}"\n`;
    if (json !== null) equal((await receive("csv", body)).text, `{"n":${json}}\n`);
    else equal((await refusal("csv", body)).code, "malformed_payload", cell);
  }
});

test("string cells stay as they are, outer blanks and all", async () => {
  deepEqual(await documents("a,b\n  x  ,\u0001\u001f\\/é\n"), [{ a: "  x  ", b: "\u0001\u001f\\/é" }]);
});

test("quotes inside an unquoted cell and text behind a closing quote are taken literally", async () => {
  deepEqual(await documents('a,b\nx"y"z,"p"q\n'), [{ a: 'x"y"z', b: "pq" }]);
});

test("of two headers with the same name the last column wins", async () => {
  deepEqual(await documents("a,b,a\n1,2,3\n"), [{ b: "2", a: "3" }]);
  equal((await refusal("csv", "a:number,a\nx,3\n")).code, "malformed_payload");
});

test("blank lines are no records, and a carriage return ends one", async () => {
  deepEqual(await documents("\n\r\na\n\n1\r\r\n2\r3"), [{ a: "1" }, { a: "2" }, { a: "3" }]);
});

test("a header alone brings no documents", async () => {
  deepEqual(await documents("id,name\n"), []);
  deepEqual(await documents("id,name"), []);
  deepEqual(await documents("\ufeffid\n1\n"), [{ id: "1" }]);
});

test("a refusal names record, column and what was found", async () => {
  const cases: [string, RegExp][] = [
    [
      "id:number\n1\nabc\n",
      /csv .* at record 2, byte offset \d+: found "abc" in column `id` where a number should be/,
    ],
    ["ok:boolean\nyes\n", /found "yes" in column `ok` where a boolean should be/],
    ["id,name\n1\n", /found 1 of the 2 cells of the header/],
    ["id,name\n1,2,3\n", /found more than the 2 cells of the header/],
    ['id\n"1\n', /found the end of the body inside a quoted cell/],
    [`n:number\n${"1".repeat(2000)}\n`, /found a cell of more than 1024 bytes/],
  ];
  for (const [body, expected] of cases) {
    const { code, message } = await refusal("csv", body);
    equal(code, "malformed_payload");
    match(message, expected);
  }
});

test("a byte order mark is counted where a refusal tells of a place, also if it comes alone", async () => {
  for (const body of ["\ufeffid\n1,2", ["\ufeff", "id\n1,2"]])
    match((await refusal("csv", body)).message, /byte offset 8: found more than/);
});

test("short cells under long names do not fill the memory", async () => {
  const name = "n".repeat(60_000);
  const { documents: count, bytes } = await receive("csv", `${name}\n${"1\n".repeat(200)}`);
  equal(count, 200);
  equal(bytes, count * (name.length + '{"":"1"}\n'.length));
});

test("a body may end behind a delimiter", async () => {
  deepEqual(await documents("id,name,n:number\nab,c,1\nde,,"), [
    { id: "ab", name: "c", n: 1 },
    { id: "de", name: null, n: null },
  ]);
  deepEqual(await documents("id,\n1,"), [{ id: "1", "": null }]);
});

test("a quote that is the delimiter quotes nothing", async () => {
  deepEqual(await documents('id"name\n"b\n1"c', '"'), [
    { id: null, name: "b" },
    { id: "1", name: "c" },
  ]);
});

test("a header has as many columns as an index can have fields", async () => {
  const body = (columns: number) => `${Array.from({ length: columns }, (_, at) => `c${at}`).join(",")}\n`;
  equal((await receive("csv", body(65_535))).documents, 0);
  match((await refusal("csv", body(65_536))).message, /more than 65535 columns/);
});

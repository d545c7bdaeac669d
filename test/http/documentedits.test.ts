// POST /indexes/{uid}/documents/edit: its flag, its two forms, and what is refused before it becomes a task.
import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import { INDEX, startFixture } from "./harness.ts";

const URL = `POST /indexes/${INDEX}/documents/edit`;
const KIND = { type: "documentEdition", indexUid: INDEX, filter: null, context: null };

async function start() {
  const fixture = await startFixture();
  deepEqual(await fixture.code("PATCH /experimental-features", { editDocumentsByFunction: true }), [
    200,
    null,
  ]);
  return fixture;
}

test("editing needs its flag, which is looked at behind the fields", async () => {
  const { code } = await startFixture();
  deepEqual(await code(URL, { function: "doc.a = 1" }), [400, "feature_not_enabled"]);
  deepEqual(await code(URL, {}), [400, "missing_document_edition_function"]);
});

test("the fields come in the body or as parameters", async () => {
  const fixture = await start();
  const { code } = fixture;
  const context = { a: 1 };
  const filter = [["n = 1"]];
  deepEqual(await code(URL, { function: "doc.a = 1", filter, context }), [202, null]);
  const parameters = new URLSearchParams({
    function: "doc.a = 1",
    context: JSON.stringify(context),
    customMetadata: "m",
    filter: JSON.stringify(filter),
  });
  deepEqual(await code(`${URL}?${parameters}`), [202, null]);
  deepEqual(await code(`${URL}?context={}`, { function: "doc.a = 1" }), [202, null]);
  deepEqual(await code(URL, { function: "doc.a = 1", filter: null, context: null }), [202, null]);
  const whole = { ...KIND, function: "doc.a = 1", filter, context };
  deepEqual(fixture.registrations, [
    whole,
    { ...whole, customMetadata: "m" },
    { ...KIND, function: "doc.a = 1", context: {} },
    { ...KIND, function: "doc.a = 1" },
  ]);
});

test("bad fields have codes of their own", async () => {
  const fixture = await start();
  const { code } = fixture;
  const good = { function: "doc.a = 1" };
  const refusals: [line: string, body: unknown, status: number, expected: string][] = [
    [URL, {}, 400, "missing_document_edition_function"],
    [URL, { function: null }, 400, "invalid_document_edition_function_filter"],
    [URL, { function: 12 }, 400, "invalid_document_edition_function_filter"],
    [URL, { function: "doc.a =" }, 400, "bad_request"],
    [URL, { ...good, context: "text" }, 400, "invalid_document_edition_context"],
    [URL, { ...good, context: [1] }, 400, "invalid_document_edition_context"],
    [URL, { ...good, filter: "n >" }, 400, "invalid_document_filter"],
    [URL, { ...good, filter: 5 }, 400, "invalid_document_filter"],
    [URL, { ...good, filter: "" }, 400, "invalid_document_filter"],
    [URL, { ...good, filter: [[]] }, 400, "invalid_document_filter"],
    [URL, { ...good, limit: 5 }, 400, "bad_request"],
    [URL, [], 400, "bad_request"],
    [URL, undefined, 415, "missing_content_type"],
    [`${URL}?function=doc.a%3D`, undefined, 400, "bad_request"],
    [`${URL}?function=1&context=1`, undefined, 400, "invalid_document_edition_context"],
    [`${URL}?function=1&context={`, undefined, 400, "invalid_document_edition_context"],
    [`${URL}?function=1&more=1`, undefined, 400, "bad_request"],
    [`${URL}?context={}`, undefined, 400, "missing_document_edition_function"],
    ["POST /indexes/a%20b/documents/edit", good, 400, "invalid_index_uid"],
  ];
  for (const [line, body, status, expected] of refusals)
    deepEqual(await code(line, body), [status, expected], `${line} ${JSON.stringify(body)}`);
  equal(fixture.registrations.length, 0);
});

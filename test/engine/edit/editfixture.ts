// A document, and what edit functions make of it. Shared by the tests of what edit functions may be written
// like.
import { deepEqual, throws } from "node:assert/strict";
import { EditFailure, EditFunction, SANDBOX_BOUNDS } from "../../../src/engine/edit/editfunction.ts";

const DOCUMENT = {
  id: 1,
  name: "Rysy",
  pad: " x ",
  smile: "a😀é",
  tags: ["a", "b"],
  size: { h: 2501 },
  nums: [3, 1, 2],
  deep: { keys: 1, list: [[1], { a: 2 }] },
};

/** What the function changes or adds; nothing when it deletes. */
export function run(source: string, document: object = DOCUMENT): Record<string, unknown> {
  const edit = EditFunction.compile(source, { list: ["c"] }, { ...SANDBOX_BOUNDS, timeMs: 20_000 });
  try {
    const [outcome] = edit.run([JSON.stringify(document)]);
    if (typeof outcome === "string") return {};
    return Object.fromEntries(outcome.filter((field) => field.length > 1));
  } finally {
    edit.close();
  }
}

/** Each source is a value. */
export function values(cases: [source: string, value: unknown][]): void {
  for (const [source, value] of cases) deepEqual(run(`doc.x = ${source}`), { x: value }, source);
}

/** Each source changes these fields. */
export function changes(cases: [source: string, fields: object][]): void {
  for (const [source, fields] of cases) deepEqual(run(source), fields, source);
}

export function fails(source: string, reason: RegExp): void {
  throws(
    () => run(source),
    (error) => error instanceof EditFailure && reason.test(error.message),
    source,
  );
}

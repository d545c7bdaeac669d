// Whether an output is the one that a page shows. Times and random names are never compared; `…` stands for
// whatever is there: in a text, as a value, at the end of a list, and as a name for all other fields. Used by
// pagerun.ts.
import { deepEqual } from "node:assert/strict";
import type { Block } from "./markdown.ts";

const ANYTHING = "…";
/** Different in each run. */
const VOLATILE = new Set([
  ..."processingTimeMs requestUid enqueuedAt startedAt finishedAt createdAt updatedAt duration".split(" "),
  ..."lastUpdate dumpUid commitSha commitDate".split(" "),
]);

/** @throws AssertionError */
export function compareOutput(output: string, { language, text }: Block): void {
  if (language === "json") {
    const found: unknown = JSON.parse(output);
    const expected: unknown = JSON.parse(text);
    deepEqual(comparable(found, expected), comparable(expected, expected));
  } else {
    const pattern = text.trim().split(ANYTHING).map(escaped).join("[\\s\\S]*?");
    if (!new RegExp(`^${pattern}$`).test(output.trim())) deepEqual(output.trim(), text.trim());
  }
}

/** A value without what is not compared; `expected` says what that is. */
function comparable(value: unknown, expected: unknown): unknown {
  if (expected === ANYTHING) return ANYTHING;
  if (Array.isArray(value)) {
    const list = Array.isArray(expected) ? expected : [];
    const isOpen = list.at(-1) === ANYTHING;
    const compared = isOpen ? value.slice(0, list.length - 1) : value;
    return compared.map((item, at) => comparable(item, list[at]));
  }
  if (typeof value !== "object" || value === null) return value;
  const wanted = (expected ?? {}) as Record<string, unknown>;
  const isOpen = ANYTHING in wanted;
  const entries = Object.entries(value).filter(
    ([name]) => !VOLATILE.has(name) && name !== ANYTHING && (!isOpen || name in wanted),
  );
  return Object.fromEntries(entries.map(([name, item]) => [name, comparable(item, wanted[name])]));
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

// The generated tables of the tokenizer: the files in the tree are what tools/tables.mjs writes, and their
// contents agree with the runtime for every character.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

interface Tables {
  tableFiles(): Record<string, string>;
  unicodeVersionOf(text: string): string | null;
}

const tables: Tables = await import(pathToFileURL(resolve("tools/tables.mjs")).href);

test("the generated tables are up to date", (t) => {
  const inTree = (name: string) => readFileSync(resolve("assembly/tables", name), "utf8");
  const version = tables.unicodeVersionOf(inTree("characters.ts"));
  if (version !== process.versions.unicode) {
    t.skip(`tables are of Unicode ${version}, this runtime has ${process.versions.unicode}`);
    return;
  }
  for (const [name, text] of Object.entries(tables.tableFiles())) {
    assert.equal(inTree(name), text, `assembly/tables/${name}: run node tools/tables.mjs`);
  }
});

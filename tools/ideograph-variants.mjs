// Variants of Chinese characters: each character that is written differently elsewhere (simplified, old, or
// of another shape), with the form that the tokenizer folds it to. tools/tables.mjs makes the table of the
// core from them; the twin in test/twins reads them directly. The list comes from the public table of
// variants made for the Ideographic Rapporteur Group, kVariants.txt (all of its five relations count):
//   node tools/ideograph-variants.mjs KVARIANTS     writes ideograph-variants.txt from that file
// Characters beyond U+FFFF are left out: they are very rare, and would make the table three times as large.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const file = new URL("ideograph-variants.txt", import.meta.url);
const RELATIONS = new Set(["wrong!", "sem", "simp", "old", "="]);
const PAIRS_PER_LINE = 50;
/** Ends the head of the file; the pairs follow this first empty line. */
const HEAD_END = "\n\n";

/** Character -> the form it is folded to, in the order of the characters. */
export function ideographVariants() {
  const text = readFileSync(file, "utf8");
  const characters = Array.from(text.slice(text.indexOf(HEAD_END)).replaceAll(/\s/g, ""));
  const pairs = new Map();
  for (let at = 0; at < characters.length; at += 2) pairs.set(characters[at], characters[at + 1]);
  return pairs;
}

/** Pairs of a table whose lines are a character, the relation, and the other character. */
function readTable(path) {
  const pairs = [];
  for (const line of readFileSync(path, "utf8").trim().split(/\r?\n/)) {
    const [[from], relation, [to]] = line.split("\t").map((cell, column) => {
      return column === 1 ? cell.trim() : Array.from(cell.trim());
    });
    if (!RELATIONS.has(relation)) throw new Error(`${from}: ${relation} is no known relation`);
    // Characters that decompose never reach the folding of variants.
    if (from.length === 1 && from.normalize("NFKD") === from) pairs.push([from, to]);
  }
  return pairs.sort(([a], [b]) => a.codePointAt(0) - b.codePointAt(0));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const pairs = readTable(process.argv[2]);
  const before = readFileSync(file, "utf8");
  const lines = Array.from({ length: Math.ceil(pairs.length / PAIRS_PER_LINE) }, (_, line) => {
    const own = pairs.slice(line * PAIRS_PER_LINE, (line + 1) * PAIRS_PER_LINE);
    return own.map((pair) => pair.join("")).join("");
  });
  writeFileSync(file, `${before.slice(0, before.indexOf(HEAD_END))}${HEAD_END}${lines.join("\n")}\n`);
}

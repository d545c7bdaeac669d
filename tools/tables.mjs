// Writes the character tables of the tokenizer, assembly/tables/*.ts, from the Unicode data of the JavaScript
// runtime (NFKD, lower case, \p{N}), from tools/character-ranges.mjs and from tools/ideograph-variants.txt.
//   node tools/tables.mjs           writes the files
//   node tools/tables.mjs --check   compares them with the files in the tree, exit code 1 when they differ
// All tables are indexed by "packed" code points: those below 0x20000, then the few ranges above that have
// properties.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as ranges from "./character-ranges.mjs";
import { ideographVariants } from "./ideograph-variants.mjs";

const LOW_END = 0x20000;
/** Ranges above LOW_END with properties: compatibility ideographs, variation selectors. */
const HIGH_RANGES = [
  [0x2f800, 0x2fa1f],
  [0xe0100, 0xe01ef],
];
const HANGUL = [0xac00, 0xd7a3];
/** These decompose as others do, but are composed again in Swedish text. */
const RECOMPOSED = ["Ä", "Å", "Ö"].map((letter) => letter.codePointAt(0));
const CLASS_BLOCK_LEN = 128;
const LOWERCASE_BLOCK_LEN = 64;
const DECOMPOSITION_BLOCK_LEN = 32;
const VARIANT_BLOCK_LEN = 64;
const VARIANT_GROUP_BLOCKS = 8;
/** Surrogates are not characters, so their numbers are free. */
const VARIANT_FAR = 0xd800;

const SCRIPT_NAMES = ["Other", ...Object.keys(ranges.scripts), "Armenian"];
const HARD = 1;
const SOFT = 2;

const codePoints = packedCodePoints();
const NEWLINE = "\n";

/** File name -> text of all generated files. */
export function tableFiles() {
  return {
    "characters.ts": charactersFile(),
    "decompositions.ts": decompositionsFile(),
    "lowercase.ts": lowercaseFile(),
    "variants.ts": variantsFile(),
  };
}

/** Version of Unicode that a generated file was made from, or null. */
export function unicodeVersionOf(text) {
  return /Unicode (\d+\.\d+)/.exec(text)?.[1] ?? null;
}

function charactersFile() {
  const properties = codePoints.map(() => 0);
  const index = new Map(codePoints.map((codePoint, place) => [codePoint, place]));
  const update = (table, change) =>
    ranges.eachCodePoint(table, (codePoint) => {
      properties[index.get(codePoint)] = change(properties[index.get(codePoint)]);
    });
  SCRIPT_NAMES.forEach((name, script) => {
    if (script) update(ranges.scripts[name] ?? ranges.armenian, (old) => (old & 31 ? old : old | script));
  });
  update(ranges.hardSeparators, (old) => old | (HARD << 5));
  update(ranges.softSeparators, (old) => old | (SOFT << 5));
  update(ranges.nonSpacingMarks, (old) => old | (1 << 7));
  codePoints.forEach((codePoint, place) => {
    const char = String.fromCodePoint(codePoint);
    if (/\p{N}/u.test(char)) properties[place] |= 1 << 8;
    if (decomposes(codePoint)) properties[place] |= 1 << 9;
    if (lowercaseDelta(codePoint)) properties[place] |= 1 << 10;
    if (/\p{Cc}/u.test(char) && !/\p{White_Space}/u.test(char)) properties[place] |= 1 << 11;
  });
  const classes = [...new Set([0, ...properties])];
  const { blocks, values } = twoStages(
    properties.map((property) => classes.indexOf(property)),
    CLASS_BLOCK_LEN,
  );
  return [
    head("Script, separator kind and other properties, read by assembly/tokenizer-characters.ts."),
    "//",
    "//   bit  0      5    7      8         9            10               11",
    "//       [script|kind| mark | numeric | decomposes | has lower case | control ]   u16 per class",
    "",
    ...SCRIPT_NAMES.map((name, script) => `export const SCRIPT_${name.toUpperCase()}: u32 = ${script};`),
    `export const CHARACTER_HARD: u32 = ${HARD};`,
    `export const CHARACTER_SOFT: u32 = ${SOFT};`,
    "",
    `export const CHARACTER_BLOCK_LEN: u32 = ${CLASS_BLOCK_LEN};`,
    table("CHARACTER_BLOCKS", "u8", blocks),
    table("CHARACTER_CLASSES", "u8", values),
    table("CLASS_PROPERTIES", "u16", classes),
    "",
  ].join(NEWLINE);
}

/**
 * Decompositions: the UTF-8 of all of them, in the order of packed code points, and their lengths in bytes
 * (0: none). Hangul syllables are left out, as they are computed.
 */
function decompositionsFile() {
  const texts = codePoints.map((codePoint) =>
    decomposes(codePoint) && !isHangul(codePoint) ? String.fromCodePoint(codePoint).normalize("NFKD") : "",
  );
  const lengths = texts.map((text) => Buffer.byteLength(text));
  const { blocks, values } = twoStages(lengths, DECOMPOSITION_BLOCK_LEN);
  if (lengths.reduce((sum, length) => sum + length) > 0xffff)
    throw new Error("the starts of decompositions do not fit into u16");
  return [
    head("Compatibility decompositions (NFKD), read by assembly/tokenizer-characters.ts."),
    "// A decomposition begins at the start of its block plus the lengths before it in the block.",
    "",
    `export const DECOMPOSITION_BLOCK_LEN: u32 = ${DECOMPOSITION_BLOCK_LEN};`,
    `export const DECOMPOSITION_BLOCK_COUNT: u32 = ${blocks.length};`,
    table("DECOMPOSITION_BLOCKS", "u8", blocks),
    table("DECOMPOSITION_LENGTHS", "u8", values),
    table("DECOMPOSITION_TEXTS", "u8", [...Buffer.from(texts.join(""))]),
    "",
  ].join(NEWLINE);
}

/**
 * Lower case of characters that do not decompose: a number for each character, and for each number the
 * difference to the lower case.
 */
function lowercaseFile() {
  const deltas = [0];
  const numbers = codePoints.map((codePoint) => {
    const delta = lowercaseDelta(codePoint);
    if (!deltas.includes(delta)) deltas.push(delta);
    return deltas.indexOf(delta);
  });
  const { blocks, values } = twoStages(numbers, LOWERCASE_BLOCK_LEN);
  return [
    head("Lower case of the characters that do not decompose, read by assembly/tokenizer-characters.ts."),
    "",
    `export const LOWERCASE_BLOCK_LEN: u32 = ${LOWERCASE_BLOCK_LEN};`,
    table("LOWERCASE_BLOCKS", "u8", blocks),
    table("LOWERCASE_NUMBERS", "u8", values),
    table("LOWERCASE_DELTAS", "i32", deltas),
    "",
  ].join(NEWLINE);
}

/**
 * Variants of Chinese characters: a bit for each character from the first one on; for every group of blocks,
 * how many variants come before it; and the forms of the characters that have one. A form beyond U+FFFF is
 * represented by a surrogate, as its number.
 */
function variantsFile() {
  const variants = ideographVariants();
  const sources = Array.from(variants.keys(), (char) => char.codePointAt(0));
  const forms = Array.from(variants.values(), (char) => char.codePointAt(0));
  const first = sources[0] - (sources[0] % VARIANT_BLOCK_LEN);
  const blocks = Math.floor((sources[sources.length - 1] - first) / VARIANT_BLOCK_LEN) + 1;
  const bits = new Array((blocks * VARIANT_BLOCK_LEN) / 8).fill(0);
  for (const source of sources) bits[(source - first) >>> 3] |= 1 << ((source - first) & 7);
  const groupLength = VARIANT_GROUP_BLOCKS * VARIANT_BLOCK_LEN;
  const starts = Array.from({ length: Math.ceil(blocks / VARIANT_GROUP_BLOCKS) }, (_, group) => {
    return sources.filter((source) => source < first + group * groupLength).length;
  });
  const far = [...new Set(forms.filter((form) => form > 0xffff))];
  const near = forms.map((form) => (form > 0xffff ? VARIANT_FAR + far.indexOf(form) : form));
  return [
    "// Variants of Chinese characters and the forms they are folded to, read by assembly/tokenizer-variants.ts.",
    "// Generated by tools/tables.mjs from tools/ideograph-variants.txt: do not edit.",
    "",
    `export const VARIANT_FIRST: u32 = ${first};`,
    `export const VARIANT_LEN: u32 = ${blocks * VARIANT_BLOCK_LEN};`,
    `export const VARIANT_GROUP_BLOCKS: u32 = ${VARIANT_GROUP_BLOCKS};`,
    `export const VARIANT_FAR: u32 = ${VARIANT_FAR};`,
    `export const VARIANT_FAR_LEN: u32 = ${far.length};`,
    table("VARIANT_BITS", "u8", bits),
    table("VARIANT_STARTS", "u16", starts),
    table("VARIANT_FORMS", "u16", near),
    table("VARIANT_FAR_FORMS", "u32", far),
    "",
  ].join(NEWLINE);
}

function packedCodePoints() {
  const list = Array.from({ length: LOW_END }, (_, codePoint) => codePoint);
  for (const [first, last] of HIGH_RANGES)
    for (let codePoint = first; codePoint <= last; codePoint++) list.push(codePoint);
  const known = new Set(list);
  for (let codePoint = LOW_END; codePoint < 0x110000; codePoint++) {
    if (known.has(codePoint)) continue;
    const char = String.fromCodePoint(codePoint);
    if (decomposes(codePoint) || lowercaseDelta(codePoint) || /\p{N}/u.test(char)) {
      throw new Error(`U+${codePoint.toString(16)} has properties: extend HIGH_RANGES and characterPacked`);
    }
  }
  return list;
}

function isSurrogate(codePoint) {
  return codePoint >= 0xd800 && codePoint < 0xe000;
}

function isHangul(codePoint) {
  return codePoint >= HANGUL[0] && codePoint <= HANGUL[1];
}

function decomposes(codePoint) {
  if (isSurrogate(codePoint)) return false;
  const char = String.fromCodePoint(codePoint);
  return char.normalize("NFKD") !== char;
}

/** 0 for characters that never reach the lower-casing. */
function lowercaseDelta(codePoint) {
  if (isSurrogate(codePoint) || (decomposes(codePoint) && !RECOMPOSED.includes(codePoint))) return 0;
  const lower = [...String.fromCodePoint(codePoint).toLowerCase()];
  if (lower.length !== 1)
    throw new Error(`U+${codePoint.toString(16)} has a lower case of several characters`);
  return lower[0].codePointAt(0) - codePoint;
}

/** Cuts values into blocks and keeps equal blocks once. Block 0 is all zero. */
function twoStages(all, blockLength) {
  const numbers = new Map([[new Array(blockLength).fill(0).join(), 0]]);
  const values = new Array(blockLength).fill(0);
  const blocks = [];
  for (let start = 0; start < all.length; start += blockLength) {
    const block = all.slice(start, start + blockLength);
    while (block.length < blockLength) block.push(0);
    const key = block.join();
    if (!numbers.has(key)) {
      numbers.set(key, numbers.size);
      values.push(...block);
    }
    blocks.push(numbers.get(key));
  }
  if (numbers.size > 256) throw new Error(`${numbers.size} blocks do not fit into a byte`);
  return { blocks, values };
}

function head(what) {
  const version = `Unicode ${process.versions.unicode}`;
  return [`// ${what}`, `// Generated by tools/tables.mjs from ${version}: do not edit.`].join(NEWLINE);
}

function table(name, type, values) {
  const lines = [];
  let line = " ";
  for (const value of values) {
    if (line.length + String(value).length + 2 > 110) {
      lines.push(line);
      line = " ";
    }
    line += ` ${value},`;
  }
  lines.push(line);
  const body = lines.join(NEWLINE);
  return [`export const ${name}: usize = memory.data<${type}>([`, body, "]);"].join(NEWLINE);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, text] of Object.entries(tableFiles())) {
    const file = new URL(`../assembly/tables/${name}`, import.meta.url);
    if (!process.argv.includes("--check")) writeFileSync(file, text);
    else if (readFileSync(file, "utf8") !== text) {
      console.error(`assembly/tables/${name} is not what this program writes`);
      process.exitCode = 1;
    }
  }
}

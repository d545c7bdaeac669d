// What the inputs of fuzzers are made of: texts by grammars, JSON by schemas, and changes of both. Used by
// the targets.
import type { Random } from "../crash/random.ts";

/** Alternatives by name; `<name>` in one stands for an alternative of that name. */
export type Grammar = Readonly<Record<string, readonly string[]>>;

/** Deeper than this the first alternative is taken, which must come to an end. */
const LEVELS_MAX = 7;

/** A text that the grammar allows. */
export function grown(random: Random, grammar: Grammar, name = "start", level = 0): string {
  const alternatives = grammar[name];
  const chosen = level > LEVELS_MAX ? alternatives[0] : random.of(alternatives);
  return chosen.replace(/<(\w+)>/g, (whole, inner: string) =>
    inner in grammar ? grown(random, grammar, inner, level + 1) : whole,
  );
}

const STRANGE_TEXTS = [
  "",
  " ",
  "\0",
  "\n",
  "\t",
  '"',
  "'",
  "\\",
  "`",
  "%",
  "$&",
  "{{",
  "}}",
  "*",
  "-",
  ".",
  "..",
  "[0]",
  "__proto__",
  "constructor",
  "toString",
  "length",
  "null",
  "true",
  "NaN",
  "Infinity",
  "-0",
  "1e999",
  "é",
  "e\u0301",
  "ß",
  "\u00a0",
  "\u2028",
  "\ufeff",
  "\ufffd",
  "漢字",
  "👩‍👩‍👧",
  "ﷺ",
  "İ",
  "0",
  "1",
  "-1",
  "1.5",
  "9007199254740993",
  "18446744073709551616",
  "1e308",
  "0x10",
  "007",
];

/** `most`: how often one part may be repeated. */
export function strangeText(random: Random, most = 200): string {
  const text = random.of(STRANGE_TEXTS);
  if (random.chance(0.9)) return random.chance(0.3) ? text + random.of(STRANGE_TEXTS) : text;
  return random.chance(0.2) ? "\ud800" : text.repeat(random.between(2, most));
}

/** The text after one to four small changes. `parts`: what is put in, beside strange texts. */
export function changedText(random: Random, text: string, parts: readonly string[] = []): string {
  let changed = text;
  for (let count = random.between(1, 4); count > 0; count--) {
    const from = random.between(0, changed.length);
    const to = Math.min(changed.length, from + random.between(0, random.of([1, 1, 4, 40])));
    const taken = changed.slice(from, to);
    const put = random.chance(0.5) && parts.length > 0 ? random.of(parts) : strangeText(random, 20);
    const into = random.of(["", put, put, taken + taken, taken + put, put + taken]);
    changed = changed.slice(0, from) + into + changed.slice(to);
  }
  return random.chance(0.02) ? repeated(random, changed) : changed;
}

/** A part of the text very often: what is slow for long inputs shows here. */
function repeated(random: Random, text: string): string {
  const from = random.between(0, text.length);
  const part = text.slice(from, from + random.between(1, 6));
  return text.slice(0, from) + part.repeat(random.of([50, 1000, 5000])) + text.slice(from);
}

const STRANGE_NUMBERS = [0, 1, 0x7f, 0x80, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff];

/** The bytes after one to four changes: bits, numbers, parts that move, another length. */
export function changedBytes(random: Random, bytes: Uint8Array): Uint8Array {
  let changed = Buffer.from(bytes);
  for (let count = random.between(1, 4); count > 0; count--) {
    const at = random.between(0, Math.max(0, changed.length - 1));
    const room = changed.length - at;
    const kind = random.between(0, 9);
    if (kind <= 3 && room > 0) changed[at] ^= 1 << random.between(0, 7);
    else if (kind <= 5 && room >= 4) changed.writeUInt32LE(random.of(STRANGE_NUMBERS), at);
    else if (kind === 6 && room > 0) changed[at] = random.between(0, 255);
    else if (kind === 7) changed.copy(changed, random.between(0, changed.length), at, at + 32);
    else if (kind === 8) changed = changed.subarray(0, at);
    else changed = Buffer.concat([changed.subarray(0, at), Buffer.alloc(random.between(1, 40), at)]);
  }
  return changed;
}

/** Any JSON. `names`: of fields, beside strange ones. */
export function anyValue(random: Random, names: readonly string[], level = 0): unknown {
  const kind = random.between(0, level > 3 ? 5 : 9);
  const some = () => Array.from({ length: random.of([0, 1, 1, 2, 3]) });
  if (kind === 0) return null;
  if (kind === 1) return random.chance(0.5);
  if (kind === 2) return random.of([0, 1, -1, 3, 20, 0.5, -0, 1e21, 2 ** 32, 2 ** 53, Number.MAX_VALUE]);
  if (kind === 3) return strangeText(random);
  if (kind <= 5) return random.of(names);
  if (kind <= 7) return some().map(() => anyValue(random, names, level + 1));
  return Object.fromEntries(some().map(() => [nameOf(random, names), anyValue(random, names, level + 1)]));
}

function nameOf(random: Random, names: readonly string[]): string {
  return random.chance(0.2) ? strangeText(random, 10) : random.of(names);
}

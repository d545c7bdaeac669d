// Compiles separators, dictionary words and stop words into the trie that assembly/tokenizer-patterns.ts
// walks and draws. Called by tokenizer.ts whenever settings change.

/** Strings in the settings of an index that change how texts are split. Default: none of each. */
export interface TokenizerSettings {
  /** Words that are not indexed. Compared before case is folded; accents count. */
  stopWords?: readonly string[];
  /** Strings that separate words, in addition to the defaults. */
  separatorTokens?: readonly string[];
  /** Strings that do not, even if they do by default or are in `separatorTokens`. */
  nonSeparatorTokens?: readonly string[];
  /** Strings that are one word wherever they occur, even inside a longer word. Case counts. */
  dictionary?: readonly string[];
}

/** Whether two settings contain the same, in the same order. */
export const isSame = (a: TokenizerSettings, b: TokenizerSettings): boolean =>
  isSameList(a.stopWords, b.stopWords) &&
  isSameList(a.separatorTokens, b.separatorTokens) &&
  isSameList(a.nonSeparatorTokens, b.nonSeparatorTokens) &&
  isSameList(a.dictionary, b.dictionary);

const isSameList = (a: readonly string[] = [], b: readonly string[] = []): boolean =>
  a.length === b.length && a.every((text, at) => text === b[at]);

/** The trie as words of 32 bits, and the FLAG_* bits of assembly/tokenizer-state.ts. */
export interface Patterns {
  words: Uint32Array;
  flags: number;
}

const CUTS = 1;
const SEPARATES = 2;
const HARD = 4;
const PLAIN = 8;
const STOP_WORD = 16;

const FLAG_ASCII = 1;
const FLAG_STOP_WORDS = 2;
const FLAG_COMMA_SPACE = 4;
const FLAG_DOT_SPACE = 8;

/** Default separators of several characters. The core knows those of one character. */
const DEFAULT_SEPARATORS = [", ", ". ", "\u17D4\u179B\u17D4"];

const FIRST_BYTES = 256;
const HEAD_WORDS = FIRST_BYTES + 2;
const SLOTS_MIN = 16;
const HASH_FACTOR = 0x9e3779b1;
/** Node numbers have 24 bits; this limit is far above what settings need. */
const NODES_MAX = 1 << 23;

/** @throws RangeError when the strings have more than 8 million bytes, common prefixes counted once */
export function compilePatterns(settings: TokenizerSettings): Patterns {
  const meanings = meaningsOf(settings);
  const edges = new Map<number, number>();
  const bits = [0];
  for (const [text, meaning] of meanings) {
    let node = 0;
    for (const byte of new TextEncoder().encode(text)) {
      const key = node * 256 + byte;
      node = edges.get(key) ?? bits.push(0) - 1;
      edges.set(key, node);
    }
    bits[node] |= meaning;
  }
  if (bits.length > NODES_MAX) throw new RangeError(`settings make ${bits.length} nodes of ${NODES_MAX}`);
  return { words: serialize(edges, bits), flags: flagsOf(settings, meanings) };
}

/**
 * The form in which a stop word is stored and compared: decomposed, without control characters, with its case
 * and accents.
 */
export function normalizeStopWord(word: string): string {
  const decomposed = Array.from(word, (character) => character.normalize("NFKD")).join("");
  // Swedish and Persian forms are made regardless of the language of a text: such stop words only match texts
  // of these.
  const recomposed = decomposed.replace(/[AaOo]\u0308|[Aa]\u030A/g, (pair) => pair.normalize("NFC"));
  const visible = recomposed.replace(CONTROL, "");
  return visible.replace(/[\u064A\u0649\u06C0\u0643\u060C\u061F\u200C\u06F0-\u06F9]/g, persian);
}

/** Control characters that are not white space. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u0008\u000E-\u001F\u007F-\u0084\u0086-\u009F]/g;

const PERSIAN = new Map([
  ["\u064A", "\u06CC"],
  ["\u0649", "\u06CC"],
  ["\u06C0", "\u06CC"],
  ["\u0643", "\u06A9"],
  ["\u060C", ","],
  ["\u061F", "?"],
  ["\u200C", ""],
]);

function persian(character: string): string {
  return PERSIAN.get(character) ?? String(character.charCodeAt(0) - 0x6f0);
}

function meaningsOf(settings: TokenizerSettings): Map<string, number> {
  const meanings = new Map(DEFAULT_SEPARATORS.map((text) => [text, CUTS | SEPARATES | HARD]));
  const add = (text: string, bits: number) => text && meanings.set(text, (meanings.get(text) ?? 0) | bits);
  for (const text of settings.separatorTokens ?? []) add(text, CUTS | SEPARATES);
  for (const text of settings.nonSeparatorTokens ?? []) if (text) meanings.set(text, PLAIN);
  for (const text of settings.dictionary ?? []) add(text, CUTS);
  for (const text of settings.stopWords ?? []) add(normalizeStopWord(text), STOP_WORD);
  return meanings;
}

function flagsOf(settings: TokenizerSettings, meanings: Map<string, number>): number {
  let flags = FLAG_ASCII;
  if (settings.stopWords?.length) flags |= FLAG_STOP_WORDS;
  if ((meanings.get(", ") ?? 0) & SEPARATES) flags |= FLAG_COMMA_SPACE;
  if ((meanings.get(". ") ?? 0) & SEPARATES) flags |= FLAG_DOT_SPACE;
  for (const [text, meaning] of meanings) if (needsSlowPath(text, meaning)) flags &= ~FLAG_ASCII;
  return flags;
}

/**
 * The fast path knows single ASCII separators and the two default pairs, and never takes a separator for a
 * stop word. What it leaves whole beside Thai and its like must be what their dictionaries leave whole:
 * numbers and punctuation, but not white space.
 */
function needsSlowPath(text: string, meaning: number): boolean {
  if (text.charCodeAt(0) > 0x7f) return false;
  if (meaning & STOP_WORD) return (meaning & CUTS) !== 0 || /^[^0-9A-Za-z]$/.test(text);
  if (!(meaning & CUTS)) return /^[ \t\n\r]$/.test(text);
  return !(meaning & SEPARATES) || (text.length > 1 && !DEFAULT_SEPARATORS.includes(text));
}

function serialize(edges: Map<number, number>, bits: number[]): Uint32Array {
  const slots = 2 ** Math.ceil(Math.log2(Math.max(SLOTS_MIN, edges.size * 2)));
  const words = new Uint32Array(HEAD_WORDS + slots * 2);
  words[FIRST_BYTES] = slots - 1;
  for (const [key, node] of edges) {
    const entry = node * 256 + bits[node];
    if (key < FIRST_BYTES) {
      words[key] = entry;
      continue;
    }
    const hash = Math.imul(key, HASH_FACTOR) >>> 0;
    let slot = (hash ^ (hash >>> 15)) & (slots - 1);
    while (words[HEAD_WORDS + slot * 2] !== 0) slot = (slot + 1) & (slots - 1);
    words[HEAD_WORDS + slot * 2] = key;
    words[HEAD_WORDS + slot * 2 + 1] = entry;
  }
  return words;
}

// The host's side of the tokenizer (assembly/tokenizer.ts): compiles settings, provides the dictionaries of
// the runtime, and turns tokens into objects. Indexing passes `handle` to kernels; queries and highlighting
// call `tokenize`.
import type { Core } from "./core.ts";
import { localeCode } from "./locales.ts";
import { compilePatterns, isSame, type TokenizerSettings } from "./patterns.ts";
import { Region } from "./region.ts";
import { Segmenter } from "./segmenter.ts";
import { decodeUtf8, encodeUtf8Into } from "./utf8.ts";

export type TokenKind = "none" | "word" | "stop" | "hard" | "soft";

export interface Token {
  /** Folded text, not trimmed; at most the 1024 bytes that the core keeps. */
  lemma: string;
  /** "none": the lemma is empty. Hard separators divide sentences, soft ones words. */
  kind: TokenKind;
  /** Raw token, as byte offsets in the UTF-8 text. */
  start: number;
  end: number;
}

/** Kinds by their numbers in token records. */
const KINDS: readonly TokenKind[] = ["none", "word", "stop", "hard", "soft"];
/** Kinds from this one on are separators. */
export const TOKEN_HARD = 3;
/** Number of 32-bit words in a token record: address and bytes of the lemma, start, bytes << 3 | kind. */
export const TOKEN_WORDS = 4;
export const TOKEN_KIND_BITS = 3;
/** Most UTF-8 bytes per UTF-16 code unit. */
const UNIT_BYTES_MAX = 3;
const TEXT_BYTES_MIN = 4096;

export class Tokenizer {
  readonly #core: Core;
  /** Address of the tokenizer in linear memory, for kernels. */
  readonly handle: number;
  readonly #patterns: Region;
  readonly #text: Region;
  #settings: TokenizerSettings | null = null;

  /** Reserves about 45 KB of the core. All tokenizers of a core share its `segment` import. */
  constructor(core: Core, settings: TokenizerSettings = {}) {
    this.#core = core;
    this.handle = core.reserve(core.exports.tokenizerBytes());
    this.#patterns = new Region(core);
    this.#text = new Region(core);
    attachSegmenter(core);
    this.configure(settings);
  }

  /**
   * Replaces all settings. Must not be called between the tokens of a text. Costs nothing when the settings
   * have not changed: a thread goes from index to index, and most indexes have the default settings.
   */
  configure(settings: TokenizerSettings): void {
    if (this.#settings && isSame(this.#settings, settings)) return;
    const { words, flags } = compilePatterns(settings);
    const pointer = this.#patterns.ensure(words.byteLength);
    this.#core.u32.set(words, pointer >>> 2);
    this.#core.exports.tokenizerPrepare(this.handle, pointer, flags);
    this.#settings = settings;
  }

  /**
   * The number that stands for a list of ISO 639 codes in kernels; a missing or empty list leaves the
   * language to the text.
   */
  localeCode(locales?: readonly string[]): number {
    return localeCode(locales);
  }

  /** All tokens of a text, separators included, in order and without gaps. */
  tokenize(text: string, locales?: readonly string[]): Token[] {
    const pointer = this.#text.ensure(Math.max(TEXT_BYTES_MIN, text.length * UNIT_BYTES_MAX));
    const { written } = encodeUtf8Into(text, this.#core.u8.subarray(pointer, pointer + this.#text.bytes));
    return this.#tokens(pointer, written, localeCode(locales));
  }

  /** The same for a text as UTF-8. Invalid bytes count as U+FFFD. */
  tokenizeUtf8(text: Uint8Array, locales?: readonly string[]): Token[] {
    const pointer = this.#text.ensure(Math.max(TEXT_BYTES_MIN, text.length));
    this.#core.write(pointer, text);
    return this.#tokens(pointer, text.length, localeCode(locales));
  }

  /** The lemmas of all tokens, joined. */
  foldTokens(text: string, locales?: readonly string[]): string {
    return this.tokenize(text, locales)
      .map(({ lemma }) => lemma)
      .join("");
  }

  /** A whole text folded as a single token, without splitting at separators; its first 1024 bytes. */
  fold(text: string, locales?: readonly string[]): string {
    const pointer = this.#text.ensure(Math.max(TEXT_BYTES_MIN, text.length * UNIT_BYTES_MAX));
    const { written } = encodeUtf8Into(text, this.#core.u8.subarray(pointer, pointer + this.#text.bytes));
    const { exports, u32, u8 } = this.#core;
    exports.tokenizerWhole(this.handle, pointer, written, localeCode(locales));
    if (written === 0) return "";
    const record = exports.tokenizerTokens(this.handle) >>> 2;
    return decodeUtf8(u8.subarray(u32[record], u32[record] + u32[record + 1]));
  }

  #tokens(text: number, length: number, locale: number): Token[] {
    const { exports } = this.#core;
    const tokens: Token[] = [];
    exports.tokenizerStart(this.handle, text, length, locale);
    const records = exports.tokenizerTokens(this.handle) >>> 2;
    for (
      let count = exports.tokenizerNext(this.handle);
      count > 0;
      count = exports.tokenizerNext(this.handle)
    ) {
      for (let record = records; record < records + count * TOKEN_WORDS; record += TOKEN_WORDS) {
        tokens.push(this.#token(record));
      }
    }
    return tokens;
  }

  #token(record: number): Token {
    const { u8, u32 } = this.#core;
    const lemma = u32[record];
    const start = u32[record + 2];
    const lengthAndKind = u32[record + 3];
    return {
      lemma: decodeUtf8(u8.subarray(lemma, lemma + u32[record + 1])),
      kind: KINDS[lengthAndKind & ((1 << TOKEN_KIND_BITS) - 1)],
      start,
      end: start + (lengthAndKind >>> TOKEN_KIND_BITS),
    };
  }
}

const withSegmenter = new WeakSet<Core>();

function attachSegmenter(core: Core): void {
  if (withSegmenter.has(core)) return;
  withSegmenter.add(core);
  const segmenter = new Segmenter();
  core.imports.segment = (text, length, language, out, most) => {
    const words = segmenter.cut(decodeUtf8(core.u8.subarray(text, text + length)), language);
    const lengths = words.map((word) => Buffer.byteLength(word));
    // The text had invalid bytes: the lengths of replaced characters say nothing about it.
    if (lengths.reduce((sum, bytes) => sum + bytes, 0) !== length) lengths.splice(0, lengths.length, length);
    const count = Math.min(lengths.length, most);
    core.u32.set(lengths.slice(0, count), out >>> 2);
    return count;
  };
}

// Splits text of scripts that are written without spaces into words: Chinese and Thai with word lists of our
// own, which are the same in every runtime, the others with the dictionaries of the JavaScript runtime
// (Intl.Segmenter). The tokenizer of the core calls it for single pieces: text between two separators.
import { messageOf, TarsierError } from "../errors.ts";
import { cutChinese } from "./chinesewords.ts";
import { unitsAt } from "./codeunits.ts";
import { readChineseWords, readThaiWords } from "./wordfile.ts";
import { WordTrie } from "./wordtrie.ts";

/** Languages, with the numbers of SEGMENT_* in assembly/tokenizer-pieces.ts. */
const SEGMENT_CHINESE = 1;
const SEGMENT_JAPANESE = 2;
const SEGMENT_THAI = 3;
const SEGMENT_KHMER = 4;
/** Languages that use the runtime's dictionaries. */
const LANGUAGES: Record<number, string> = { [SEGMENT_JAPANESE]: "ja", [SEGMENT_KHMER]: "km" };

/** Number of pieces kept with their words: names, particles and table headings recur. */
const CACHED_PIECES_MAX = 4096;
const CACHED_PIECE_LEN_MAX = 64;

export class Segmenter {
  readonly #segmenters = new Map<number, Intl.Segmenter>();
  readonly #cache = new Map<string, readonly string[]>();

  /**
   * Words of a piece, in order; joined they are the piece. `language` is 1 Chinese, 2 Japanese, 3 Thai, 4
   * Khmer.
   */
  cut(piece: string, language: number): readonly string[] {
    const key = language + piece;
    const cached = this.#cache.get(key);
    if (cached) return cached;
    const words = this.#words(piece, language);
    if (piece.length <= CACHED_PIECE_LEN_MAX) {
      if (this.#cache.size >= CACHED_PIECES_MAX) this.#cache.clear();
      this.#cache.set(key, words);
    }
    return words;
  }

  #words(piece: string, language: number): readonly string[] {
    if (language === SEGMENT_CHINESE) return cutChinese(chineseWords(), piece);
    if (language === SEGMENT_THAI) return cutThai(thaiWords(), piece);
    return language === SEGMENT_JAPANESE ? this.#japanese(piece) : this.#segments(piece, language);
  }

  #segments(piece: string, language: number): string[] {
    let segmenter = this.#segmenters.get(language);
    if (!segmenter) {
      segmenter = new Intl.Segmenter(LANGUAGES[language], { granularity: "word" });
      this.#segmenters.set(language, segmenter);
    }
    return Array.from(segmenter.segment(piece), ({ segment }) => segment);
  }

  /** The dictionary lacks foreign words and splits them into syllables: so katakana is kept together. */
  #japanese(piece: string): string[] {
    const words: string[] = [];
    for (const word of this.#segments(piece, SEGMENT_JAPANESE)) {
      const before = words[words.length - 1] ?? "";
      if (isKatakana(word) && isKatakana(before)) words[words.length - 1] = before + word;
      else words.push(word);
    }
    return words;
  }
}

/** Word lists of this thread, read with its first text of the language. */
let chinese: WordTrie | null = null;
let thai: WordTrie | null = null;

function chineseWords(): WordTrie {
  chinese ??= wordsOf("Chinese", readChineseWords);
  return chinese;
}

function thaiWords(): WordTrie {
  thai ??= wordsOf("Thai", readThaiWords);
  return thai;
}

/** @throws TarsierError `io_error` when the file is missing or is not the right one */
function wordsOf(language: string, read: () => Uint8Array): WordTrie {
  try {
    return new WordTrie(read());
  } catch (error) {
    const message = `The words of ${language} that come with Tarsier cannot be read: ${messageOf(error)}`;
    throw new TarsierError("io_error", { message });
  }
}

/** The longest word at each place; where no word begins, single characters. */
function cutThai(words: WordTrie, piece: string): string[] {
  const cuts: string[] = [];
  for (let at = 0; at < piece.length; at += cuts[cuts.length - 1].length) {
    cuts.push(piece.slice(at, at + (words.longestAt(piece, at) || unitsAt(piece, at))));
  }
  return cuts;
}

const isKatakana = (text: string): boolean => /^[\p{Script=Katakana}ー]+$/u.test(text);

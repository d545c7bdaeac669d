// Cuts text of scripts that are written without spaces into words, with the dictionaries of the JavaScript
// runtime (Intl.Segmenter). The tokenizer of the core calls it for single pieces: text between two
// separators.

/** Languages, numbered as SEGMENT_* in assembly/tokenizer-pieces.ts. */
const SEGMENT_CHINESE = 1;
const SEGMENT_JAPANESE = 2;
const LANGUAGES = ["", "zh", "ja", "th", "km"];

/** Pieces repeat: names, particles, table headings. */
const CACHED_PIECES_MAX = 4096;
const CACHED_PIECE_LEN_MAX = 64;

export class Segmenter {
  readonly #segmenters = new Map<number, Intl.Segmenter>();
  readonly #cache = new Map<string, readonly string[]>();

  /**
   * Words of a piece, in order; together they are the piece. `language` is 1 Chinese, 2 Japanese, 3 Thai, 4
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
    if (language === SEGMENT_CHINESE) return this.#chinese(piece);
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

  /**
   * Foreign words are not in the dictionary, which leaves single syllables of them: katakana stays together.
   */
  #japanese(piece: string): string[] {
    const words: string[] = [];
    for (const word of this.#segments(piece, SEGMENT_JAPANESE)) {
      const before = words[words.length - 1] ?? "";
      if (isKatakana(word) && isKatakana(before)) words[words.length - 1] = before + word;
      else words.push(word);
    }
    return words;
  }

  /**
   * Long words hide their parts from searches: those of more than two characters are cut into their shortest
   * words.
   */
  #chinese(piece: string): string[] {
    return this.#segments(piece, SEGMENT_CHINESE).flatMap((word) => {
      const characters = Array.from(word);
      return characters.length > 2 && !/^[0-9A-Za-z]+$/.test(word) ? this.#recut(characters) : word;
    });
  }

  #recut(characters: string[]): string[] {
    const words: string[] = [];
    for (let at = 0; at < characters.length; at += Array.from(words[words.length - 1]).length) {
      const candidates = [2, 3].map((length) => characters.slice(at, at + length).join(""));
      words.push(candidates.find((word) => this.#isChineseWord(word)) ?? characters[at]);
    }
    return words;
  }

  /** Whether the dictionary has a word: the segmenter leaves it whole. */
  #isChineseWord(word: string): boolean {
    return /^\p{Script=Han}{2,3}$/u.test(word) && this.#segments(word, SEGMENT_CHINESE).length === 1;
  }
}

const isKatakana = (text: string): boolean => /^[\p{Script=Katakana}ー]+$/u.test(text);

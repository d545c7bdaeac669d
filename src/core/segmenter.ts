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
   * words. Traditional words become single characters: the variants that a query is written in are cut
   * elsewhere, or not at all, and characters that follow each other still match.
   */
  #chinese(piece: string): string[] {
    return this.#segments(piece, SEGMENT_CHINESE).flatMap((word) => {
      const characters = Array.from(word);
      const isWhole = characters.length <= 2 && characters.every(isSimplified);
      return isWhole || /^[0-9A-Za-z]+$/.test(word) ? word : this.#recut(characters);
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
    const isWritten = /^\p{Script=Han}{2,3}$/u.test(word) && Array.from(word).every(isSimplified);
    return isWritten && this.#segments(word, SEGMENT_CHINESE).length === 1;
  }
}

/** Characters of simplified Chinese: those of the standard GB 2312, in their rows of two bytes each. */
let simplified: ReadonlySet<string> | null = null;
const SIMPLIFIED_ROWS = { first: 0xb0, last: 0xf7 };
const SIMPLIFIED_CELLS = { first: 0xa1, last: 0xfe };

function isSimplified(character: string): boolean {
  simplified ??= simplifiedCharacters();
  return simplified.has(character) || !/^\p{Script=Han}$/u.test(character);
}

function simplifiedCharacters(): ReadonlySet<string> {
  const bytes: number[] = [];
  for (let row = SIMPLIFIED_ROWS.first; row <= SIMPLIFIED_ROWS.last; row++) {
    for (let cell = SIMPLIFIED_CELLS.first; cell <= SIMPLIFIED_CELLS.last; cell++) bytes.push(row, cell);
  }
  return new Set(new TextDecoder("gbk").decode(Uint8Array.from(bytes)));
}

const isKatakana = (text: string): boolean => /^[\p{Script=Katakana}ー]+$/u.test(text);

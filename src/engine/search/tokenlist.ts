// Where the tokens of a text begin and which of them are separators, without the words themselves. Filled by
// textmatches.ts, read by cropping.ts and highlighting.ts.
import { TOKEN_HARD, TOKEN_KIND_BITS } from "../../core/tokenizer.ts";

const TOKENS_FIRST = 1024;
const KIND_MASK = (1 << TOKEN_KIND_BITS) - 1;

export class TokenList {
  count = 0;
  /** Where the last token ends. */
  end = 0;
  /** Each item is: first byte << 3 | kind. */
  #items = new Uint32Array(TOKENS_FIRST);

  clear(): void {
    this.count = 0;
    this.end = 0;
  }

  /** @param kind as in a token record */
  add(start: number, kind: number): void {
    if (this.count === this.#items.length) {
      const items = new Uint32Array(2 * this.count);
      items.set(this.#items);
      this.#items = items;
    }
    this.#items[this.count++] = (start << TOKEN_KIND_BITS) | kind;
  }

  /**
   * Byte where a token begins. Tokens leave no gaps; the one after the last begins where the last one ends.
   */
  start(token: number): number {
    return token < this.count ? this.#items[token] >>> TOKEN_KIND_BITS : this.end;
  }

  isSeparator(token: number): boolean {
    return (this.#items[token] & KIND_MASK) >= TOKEN_HARD;
  }

  isHard(token: number): boolean {
    return (this.#items[token] & KIND_MASK) === TOKEN_HARD;
  }
}

// Which indexes a key, or a rule of a tenant token, covers: a list of patterns, each an index uid, a
// beginning of one followed by `*`, or `*` alone.

export class IndexScope {
  readonly patterns: readonly string[];
  /** Whether it covers every index. */
  readonly isWhole: boolean;
  readonly #uids: ReadonlySet<string>;
  readonly #prefixes: ReadonlySet<string>;

  constructor(patterns: readonly string[]) {
    this.patterns = patterns;
    this.isWhole = patterns.includes("*");
    this.#uids = new Set(patterns.filter((pattern) => !pattern.endsWith("*")));
    const prefixes = patterns.filter((pattern) => pattern.endsWith("*"));
    this.#prefixes = new Set(prefixes.map((pattern) => pattern.slice(0, -1)));
  }

  has(indexUid: string): boolean {
    return this.isWhole || this.bestPattern(indexUid) !== null;
  }

  /**
   * The most specific pattern that matches the index: its uid, else the longest beginning; null when none
   * does.
   */
  bestPattern(indexUid: string): string | null {
    if (this.#uids.has(indexUid)) return indexUid;
    if (this.#prefixes.size === 0) return null;
    for (let length = indexUid.length; length >= 0; length--) {
      const beginning = indexUid.slice(0, length);
      if (this.#prefixes.has(beginning)) return `${beginning}*`;
    }
    return null;
  }
}

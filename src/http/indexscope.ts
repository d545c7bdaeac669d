// Which indexes a key, or a rule of a tenant token, is for: a list of patterns, each an index uid, the
// beginning of one followed by `*`, or `*` alone.

export class IndexScope {
  readonly patterns: readonly string[];
  /** Holds every index. */
  readonly isWhole: boolean;
  readonly #uids: ReadonlySet<string>;
  /** Longest first. */
  readonly #prefixes: readonly string[];

  constructor(patterns: readonly string[]) {
    this.patterns = patterns;
    this.isWhole = patterns.includes("*");
    this.#uids = new Set(patterns.filter((pattern) => !pattern.endsWith("*")));
    const prefixes = patterns.filter((pattern) => pattern.endsWith("*"));
    this.#prefixes = prefixes.map((pattern) => pattern.slice(0, -1)).sort((a, b) => b.length - a.length);
  }

  has(indexUid: string): boolean {
    return this.isWhole || this.bestPattern(indexUid) !== null;
  }

  /** The pattern that says most about the index: its uid, else the longest beginning; null when none does. */
  bestPattern(indexUid: string): string | null {
    if (this.#uids.has(indexUid)) return indexUid;
    const prefix = this.#prefixes.find((beginning) => indexUid.startsWith(beginning));
    return prefix === undefined ? null : `${prefix}*`;
  }
}

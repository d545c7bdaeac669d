// A map of a bounded size, whose entry that was used longest ago makes room. Used by cache.ts and
// embedders.ts.

export class RecentMap<Key, Value> {
  readonly #countMax: number;
  /** Least recently used first. */
  readonly #entries = new Map<Key, Value>();

  constructor(countMax: number) {
    this.#countMax = countMax;
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#countMax) return;
    for (const oldest of this.#entries.keys()) return void this.#entries.delete(oldest);
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }
}

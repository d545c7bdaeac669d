// A map of bounded size, whose least recently used entries make room. Used by cache.ts and embedders.ts.

export class RecentMap<Key, Value> {
  readonly #weightMax: number;
  /** Least recently used first. */
  readonly #entries = new Map<Key, { value: Value; weight: number }>();
  #weight = 0;

  /** `weightMax`: of all entries together. */
  constructor(weightMax: number) {
    this.#weightMax = weightMax;
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: Key, value: Value, weight = 1): void {
    this.delete(key);
    this.#entries.set(key, { value, weight });
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#weightMax) return;
      this.delete(oldest);
    }
  }

  delete(key: Key): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
  }
}

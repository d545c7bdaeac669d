// Index uids as small numbers, so that columns of tasks can hold and compare them. Numbers start at 1; names
// are never forgotten while the instance runs.

export class NameTable {
  readonly #numbers = new Map<string, number>();
  readonly #names: string[] = [""];

  /** Above the highest number. */
  get size(): number {
    return this.#names.length;
  }

  /** Number of a name; a new one for a name not yet known. */
  number(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#names.push(name);
    this.#numbers.set(name, this.#names.length - 1);
    return this.#names.length - 1;
  }

  /** Number of a name, or 0 for one that no task ever named. */
  find(name: string): number {
    return this.#numbers.get(name) ?? 0;
  }

  name(number: number): string {
    return this.#names[number];
  }
}

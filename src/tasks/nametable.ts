// Index uids as small numbers that columns of tasks can hold and compare. Numbers start at 1; names are not
// forgotten while the instance runs.

export class NameTable {
  readonly #numbers = new Map<string, number>();
  readonly #names: string[] = [""];

  /** One above the highest number. */
  get size(): number {
    return this.#names.length;
  }

  /** Number of a name; an unknown name gets a new one. */
  number(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#names.push(name);
    this.#numbers.set(name, this.#names.length - 1);
    return this.#names.length - 1;
  }

  /** Number of a name, or 0 if no task ever named it. */
  find(name: string): number {
    return this.#numbers.get(name) ?? 0;
  }

  name(number: number): string {
    return this.#names[number];
  }
}

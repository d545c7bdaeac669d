// How names and patterns in settings and requests match fields. Used throughout src/engine, and by
// operations/indexfields.ts.
import { firstPlace } from "../core/ascending.ts";

/** True when a setting's entry names a field or an ancestor of it. */
export const covers = (entry: string, name: string): boolean =>
  name === entry || name.startsWith(`${entry}.`);

/** The fields and all their ancestors: for `a.b.c` these are `a`, `a.b` and `a.b.c`. */
export function withAncestors(names: Iterable<string>): Set<string> {
  const all = new Set<string>();
  for (const name of names) {
    // The ancestors of a name that was added before are there, too.
    for (let line: string | null = name; line !== null && !all.has(line); line = parentOf(line))
      all.add(line);
  }
  return all;
}

/** Names in a setting, each of which also covers all fields below it. */
export class CoveringNames {
  readonly #places = new Map<string, number>();
  #longest = 0;

  /** Null stands for a place without a name. */
  constructor(names: readonly (string | null)[]) {
    for (const [place, name] of names.entries()) {
      if (name === null) continue;
      if (!this.#places.has(name)) this.#places.set(name, place);
      this.#longest = Math.max(this.#longest, name.length);
    }
  }

  /** Lowest place of a name that covers the field; Infinity when none does. */
  firstPlace(field: string): number {
    let least = Number.POSITIVE_INFINITY;
    for (const line of linesOf(field, this.#longest))
      least = Math.min(least, this.#places.get(line) ?? least);
    return least;
  }

  cover(field: string): boolean {
    return this.firstPlace(field) < Number.POSITIVE_INFINITY;
  }
}

/** A name and its ancestors, nearest first; ancestors with more than `most` letters are left out. */
export function* linesOf(name: string, most: number): Generator<string> {
  for (let line: string | null = name; line !== null; line = parentOf(line, most)) yield line;
}

/** The nearest ancestor that has at most `most` letters. */
function parentOf(name: string, most = Number.POSITIVE_INFINITY): string | null {
  const dot = name.lastIndexOf(".", Math.min(most, name.length - 1));
  return dot < 0 ? null : name.slice(0, dot);
}

/** Does one of the sorted names begin with the prefix? */
export function hasPrefix(sorted: readonly string[], prefix: string): boolean {
  const place = firstPlace(sorted.length, (at) => sorted[at] >= prefix);
  return place < sorted.length && sorted[place].startsWith(prefix);
}

/** Patterns of field names: `*`, `x*`, `*x`, `*x*` or exact; a `*` in the middle is literal. */
export function patternMatches(pattern: string, name: string): boolean {
  if (pattern === "*") return true;
  const left = pattern.startsWith("*");
  const right = pattern.endsWith("*");
  const core = pattern.slice(left ? 1 : 0, right ? -1 : undefined);
  if (left && right) return name.includes(core);
  if (left) return name.endsWith(core);
  return right ? name.startsWith(core) : name === pattern;
}

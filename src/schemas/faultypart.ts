// Finds the part of a large value in which a schema fails. Listing the faults of a value takes many times as
// long as finding that there is one, so validator.ts lists those of this part only.
//
// From the outside inwards, the lists of each depth are cut to the half that has the first fault, all of them
// at the same places, until little is left:
//
//   {queries: [a, b, c, {facets: [d, e, f, 5]}]}   ->   {queries: [{facets: [f, 5]}]}

/** Values up to this many are listed as they are, with all faults in order. */
const VALUES_MAX = 20_000;

/** An object with more fields than any schema names is treated as a list of them. */
const FIELDS_MAX = 1000;

/** Deeper than any schema looks. What programs pass may be of any depth, or contain itself. */
const DEPTH_MAX = 32;

export interface Part {
  value: unknown;
  /** Index in the whole of an item of a list in the part; `depth`: number of containers around the list. */
  placeOf(depth: number, item: number): number;
}

/** `holds`: whether the schema accepts a value; it must be false for the whole. */
export function faultyPart(whole: unknown, holds: (value: unknown) => boolean): Part {
  const offsets: number[] = [];
  let value = whole;
  for (let depth = 0; depth < DEPTH_MAX && isLarge(value); depth++) {
    offsets[depth] = 0;
    for (let length = longest(value, depth); length > 1 && isLarge(value); ) {
      const half = Math.ceil(length / 2);
      const first = new Cut(depth, 0, half).of(value);
      const isFirst = !holds(first);
      const faulty = isFirst ? first : new Cut(depth, half, length).of(value);
      // Only both halves together fail, as when something is missing.
      if (!isFirst && holds(faulty)) break;
      value = faulty;
      offsets[depth] += isFirst ? 0 : half;
      length = isFirst ? half : length - half;
    }
  }
  return { value, placeOf: (depth, item) => item + (offsets[depth] ?? 0) };
}

function isLarge(value: unknown): boolean {
  let left = VALUES_MAX;
  const isMore = (inner: unknown, depth: number): boolean => {
    if (--left < 0) return true;
    if (!isContainer(inner) || depth === DEPTH_MAX) return false;
    const items = Array.isArray(inner) ? inner : Object.keys(inner);
    if (items.length > left) return true;
    const values = items === inner ? items : Object.values(inner);
    return values.some((item) => isMore(item, depth + 1));
  };
  return isMore(value, 0);
}

/** Number of items of the longest list at a depth. */
function longest(value: unknown, depth: number): number {
  let level = new Set([value].filter(isContainer));
  for (let above = 0; above < depth; above++) {
    const next = new Set<object>();
    for (const container of level)
      for (const inner of Object.values(container)) if (isContainer(inner)) next.add(inner);
    level = next;
  }
  let most = 0;
  for (const container of level) most = Math.max(most, lengthOf(container));
  return most;
}

/** A value whose lists at one depth keep only the items [from, to). */
class Cut {
  readonly #depth: number;
  readonly #from: number;
  readonly #to: number;
  /** By depth: a container that occurs several times is cut once. */
  readonly #known: Map<object, unknown>[] = [];

  constructor(depth: number, from: number, to: number) {
    this.#depth = depth;
    this.#from = from;
    this.#to = to;
  }

  of(value: unknown, depth = 0): unknown {
    if (!isContainer(value) || depth > this.#depth) return value;
    this.#known[depth] ??= new Map();
    const known = this.#known[depth].get(value);
    if (known !== undefined) return known;
    const found = depth === this.#depth ? this.#stretch(value) : this.#inside(value, depth + 1);
    this.#known[depth].set(value, found);
    return found;
  }

  #stretch(value: object): unknown {
    if (Array.isArray(value)) return value.slice(this.#from, this.#to);
    const names = Object.keys(value);
    if (names.length <= FIELDS_MAX) return value;
    const kept = names.slice(this.#from, this.#to);
    return Object.fromEntries(kept.map((name) => [name, (value as Record<string, unknown>)[name]]));
  }

  #inside(value: object, depth: number): unknown {
    if (Array.isArray(value)) return value.map((item) => this.of(item, depth));
    const entries = Object.entries(value);
    return Object.fromEntries(entries.map(([name, inner]) => [name, this.of(inner, depth)]));
  }
}

const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Length of a container that can be cut; 0: it cannot. */
function lengthOf(container: object): number {
  if (Array.isArray(container)) return container.length;
  const fields = Object.keys(container).length;
  return fields > FIELDS_MAX ? fields : 0;
}

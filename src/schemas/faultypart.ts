// The part of a large value in which a schema fails. To list the faults of a value takes many times as long
// as to find that there is one: only what validator.ts gets from here is gone through for it.
//
// A part has the first items of each container, and those of one stretch farther on:
//
//   items       0 .. 999 | 1000 ........ from .. to ........
//   the part    0 .. 999 |             1000 .. 1000 + to - from

/** Of each array and object. Schemas name far fewer fields: a longer object has one that is unknown. */
const FIRST_ITEMS = 1000;

/** Where the first stretch ends; each further one is so many times as long as all before it. */
const STRETCH_END = 16 * FIRST_ITEMS;
const STRETCH_GROWTH = 16;

/** Deeper than any schema looks: what programs pass may be as deep as they like, or hold itself. */
const DEPTH_MAX = 32;

export interface Part {
  value: unknown;
  /** Place in the whole of an item of an array. */
  placeOf(item: number): number;
}

/** The whole where no part of it fails: for what lies far behind in several containers of one another. */
export function faultyPart(whole: unknown, holds: (value: unknown) => boolean): Part {
  let cut = new Cut(whole, FIRST_ITEMS, FIRST_ITEMS);
  while (holds(cut.value)) {
    if (!cut.isShort) return { value: whole, placeOf: (item) => item };
    const next = cut.to === FIRST_ITEMS ? STRETCH_END : cut.to * STRETCH_GROWTH;
    cut = new Cut(whole, cut.to, next);
  }
  while (cut.to - cut.from > FIRST_ITEMS) {
    const middle = cut.from + Math.floor((cut.to - cut.from) / 2);
    const halves = [new Cut(whole, cut.from, middle), new Cut(whole, middle, cut.to)];
    const faulty = halves.find(({ value }) => !holds(value));
    if (!faulty) break;
    cut = faulty;
  }
  const { value, from } = cut;
  return { value, placeOf: (item) => (item < FIRST_ITEMS ? item : item - FIRST_ITEMS + from) };
}

/** A value without what lies outside of its first items and of the stretch [from, to) of each container. */
class Cut {
  readonly from: number;
  readonly to: number;
  readonly value: unknown;
  /** A container has more behind the stretch. */
  isShort = false;
  /** What holds itself has itself inside of its part. */
  readonly #known = new Map<object, unknown>();

  constructor(whole: unknown, from: number, to: number) {
    this.from = from;
    this.to = to;
    this.value = this.#of(whole, 0);
  }

  /** The value itself where nothing is cut. */
  #of(value: unknown, depth: number): unknown {
    if (typeof value !== "object" || value === null || depth === DEPTH_MAX) return value;
    if (this.#known.has(value)) return this.#known.get(value);
    this.#known.set(value, value);
    const found = Array.isArray(value) ? this.#ofItems(value, depth) : this.#ofFields(value, depth);
    this.#known.set(value, found);
    return found;
  }

  #ofItems(value: unknown[], depth: number): unknown {
    const items = this.#kept(value);
    const found = items.map((item) => this.#of(item, depth + 1));
    return items === value && found.every((item, at) => item === items[at]) ? value : found;
  }

  #ofFields(value: object, depth: number): unknown {
    const names = Object.keys(value);
    const object = value as Record<string, unknown>;
    const kept = this.#kept(names);
    const found = kept.map((name) => [name, this.#of(object[name], depth + 1)] as const);
    const isSame = kept === names && found.every(([name, item]) => item === object[name]);
    return isSame ? value : Object.fromEntries(found);
  }

  #kept<T>(items: T[]): T[] {
    this.isShort ||= items.length > this.to;
    if (items.length <= FIRST_ITEMS) return items;
    return items.slice(0, FIRST_ITEMS).concat(items.slice(this.from, this.to));
  }
}

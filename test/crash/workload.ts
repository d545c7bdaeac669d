// The writes of a crash test: a random mix over a few indexes, with documents whose words the check can
// search.
import type { Document, Write } from "./model.ts";
import type { Random } from "./random.ts";

/** Far enough from each other that no typo leads from one to another. */
export const WORDS = ["almond", "birch", "cactus", "daisy", "elderberry", "fennel", "ginger", "hazelnut"];
export const INDEXES = ["alpha", "beta", "gamma", "delta"];

const IDS_MOST = 1500;
const TOKEN_LETTERS = 7;
/** Kinds of writes, as often as they stand here. */
const KINDS: Write["kind"][] = [
  ...Array<"add">(26).fill("add"),
  ...Array<"delete">(8).fill("delete"),
  ...Array<"settings">(5).fill("settings"),
  ...(["create", "create", "swap", "swap", "drop", "clear", "addInvalid"] as const),
  ...(["edit", "edit", "dump", "snapshot"] as const),
];
const SETTINGS: Record<string, unknown>[] = [
  { searchableAttributes: ["title"] },
  { searchableAttributes: ["title", "body"] },
  { searchableAttributes: ["body", "title"] },
  { searchableAttributes: ["*"] },
  { stopWords: ["of", "the"] },
  { stopWords: ["the"] },
  {},
  { rankingRules: ["words", "typo", "proximity", "attribute", "sort", "exactness"] },
  { rankingRules: ["words", "typo", "exactness"] },
  { filterableAttributes: ["rank", "title"], sortableAttributes: ["rank"] },
  { embedders: { e: { source: "userProvided", dimensions: 3 } } },
  { embedders: { e: { source: "userProvided", dimensions: 3, binaryQuantized: true } } },
];

export class Workload {
  readonly #random: Random;
  #serial = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  next(): Write {
    const kind = this.#random.of(KINDS);
    const index = this.#random.of(INDEXES);
    switch (kind) {
      case "add":
        return this.#add(index);
      case "delete":
        return { kind, index, ids: this.#ids(this.#random.of([1, 1, 10, 200])) };
      case "settings": {
        // The number makes this patch another than all others.
        const pagination = { maxTotalHits: 2000 + this.#serial++ };
        return { kind, index, patch: { ...this.#random.of(SETTINGS), pagination } };
      }
      case "create":
        return { kind, index, primaryKey: this.#random.of(["id", null]) };
      case "swap":
        return { kind, pair: [index, INDEXES[(INDEXES.indexOf(index) + 1) % INDEXES.length]] };
      case "dump":
      case "snapshot":
        return { kind };
      default:
        return { kind, index };
    }
  }

  #add(index: string): Write {
    const method = this.#random.of(["replace", "update"] as const);
    const count = this.#random.of([1, 1, 1, 1, 1, 20, 50, 300, 1000]);
    const documents = this.#ids(count).map((id) =>
      method === "replace" || this.#random.chance(0.3) ? this.#whole(id) : this.#part(id),
    );
    return { kind: "add", index, method, documents };
  }

  #whole(id: number): Document {
    const title = `${this.#random.of(WORDS)} ${this.#token()}`;
    const body = `the ${this.#random.of(WORDS)} of ${this.#random.of(WORDS)}`;
    const rank = this.#random.between(0, 9);
    return { id, title, body, rank, _vectors: this.#vectors(rank) };
  }

  #part(id: number): Document {
    const _vectors = this.#vectors(1);
    if (this.#random.chance(0.5))
      return { id, title: `${this.#random.of(WORDS)} ${this.#token()}`, _vectors };
    return { id, extra: { nested: [this.#serial++, null, "é"] }, _vectors };
  }

  /** The embedder of some indexes demands that each document brings vectors, or says that it has none. */
  #vectors(first: number): Record<string, number[] | null> {
    return { e: this.#random.chance(0.2) ? [first, 1, this.#random.next()] : null };
  }

  /** A word that no other document ever has. */
  #token(): string {
    let number = this.#serial++;
    let letters = "";
    for (let i = 0; i < TOKEN_LETTERS; i++) {
      letters += String.fromCharCode(97 + (number % 26));
      number = Math.floor(number / 26);
    }
    return `q${letters}`;
  }

  /** Distinct ids in random order. */
  #ids(count: number): number[] {
    const ids = new Set<number>();
    while (ids.size < count) ids.add(this.#random.between(0, IDS_MOST - 1));
    return [...ids];
  }
}

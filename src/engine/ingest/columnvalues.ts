// What the columns of a segment hold of a document: the values of the fields concerned, through objects and arrays. Called by
// the segment builder for every document.
import { type JsonEntry, JsonScanner } from "../../core/json.ts";
import type { Core } from "../../core/core.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { ColumnBuilder } from "../../segment/columnbuilder.ts";
import { columnRules, type ColumnRules, hasColumn, hasColumnsBelow, hasPoints } from "../filter/attributes.ts";
import { locationOf } from "../filter/geo.ts";
import { storedFacetText } from "../filter/facettext.ts";

/** Names remembered; a data set with more distinct ones is looked at anew from time to time. */
const NAMES_MAX = 65536;

interface FieldFacts {
  name: string;
  /** Has a column; something below it may have one. */
  own: boolean;
  below: boolean;
}

export class ColumnValuesReader {
  readonly #scanner: JsonScanner;
  readonly #rules: ColumnRules;
  readonly #points: boolean;
  readonly #isIdle: boolean;
  /** By the raw bytes of a top-level name; null: of no concern. */
  readonly #topNames = new Map<string, FieldFacts | null>();
  readonly #facts = new Map<string, FieldFacts>();

  constructor(core: Core, settings: Settings) {
    this.#scanner = new JsonScanner(core);
    this.#rules = columnRules(settings);
    this.#points = hasPoints(settings);
    this.#isIdle = this.#rules.names.length === 0 && this.#rules.patterns.length === 0;
  }

  /** Adds the values of the document at `pointer`. */
  read(docid: number, pointer: number, length: number, into: ColumnBuilder): void {
    if (this.#isIdle) return;
    const values = new Map<FieldFacts, JsonEntry>();
    for (const entry of this.#scanner.entries(pointer, length)) {
      const facts = this.#topFacts(entry);
      // Of a repeated name the last one counts.
      if (facts) values.set(facts, entry);
    }
    for (const [facts, entry] of values) {
      const value: unknown = JSON.parse(this.#scanner.source(entry));
      this.#member(docid, facts, value, into);
      // A `_geo` that is no location gives no point: it was refused when it was added, or came before the setting.
      const location = facts.name === "_geo" && this.#points ? locationOf(value) : null;
      if (location) into.point({ docid, ...location });
    }
  }

  #topFacts(entry: JsonEntry): FieldFacts | null {
    const { keyAddress, keyLength } = entry;
    const { buffer } = this.#scanner.core.memory;
    const raw = Buffer.from(buffer as ArrayBuffer, keyAddress, keyLength).toString("latin1");
    const known = this.#topNames.get(raw);
    if (known !== undefined) return known;
    if (this.#topNames.size >= NAMES_MAX) this.#topNames.clear();
    const name = this.#scanner.name(entry);
    const facts = name === "_vectors" ? null : this.#factsOf(name);
    const concerned = facts && (facts.own || facts.below) ? facts : null;
    this.#topNames.set(raw, concerned);
    return concerned;
  }

  #factsOf(name: string): FieldFacts {
    let facts = this.#facts.get(name);
    if (!facts) {
      if (this.#facts.size >= NAMES_MAX) this.#facts.clear();
      facts = { name, own: hasColumn(this.#rules, name), below: hasColumnsBelow(this.#rules, name) };
      this.#facts.set(name, facts);
    }
    return facts;
  }

  /** A member of an object: null and emptiness are told of it as such, not of elements of arrays. */
  #member(docid: number, facts: FieldFacts, value: unknown, into: ColumnBuilder): void {
    if (facts.own) {
      into.exists(facts.name, docid);
      if (value === null) into.isNull(facts.name, docid);
      else if (isEmpty(value)) into.isEmpty(facts.name, docid);
    }
    this.#value(docid, facts, value, into);
  }

  #value(docid: number, facts: FieldFacts, value: unknown, into: ColumnBuilder): void {
    if (Array.isArray(value)) {
      for (const element of value) this.#value(docid, facts, element, into);
    } else if (typeof value === "object" && value !== null) {
      if (!facts.below) return;
      for (const [key, member] of Object.entries(value)) {
        const below = this.#factsOf(`${facts.name}.${key}`);
        if (below.own || below.below) this.#member(docid, below, member, into);
      }
    } else if (!facts.own || value === null || value === "") return;
    else if (typeof value === "number") {
      if (Number.isFinite(value)) into.number(facts.name, docid, value);
    } else into.string(facts.name, docid, storedFacetText(String(value)), String(value));
  }
}

function isEmpty(value: unknown): boolean {
  if (typeof value === "object") return Object.keys(value!).length === 0;
  return value === "";
}

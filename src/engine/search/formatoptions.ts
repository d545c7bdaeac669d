// Which attributes of a hit are highlighted and cropped: attributesToHighlight and attributesToCrop, bounded
// by displayedAttributes and by the attributes that exist. Called by hits.ts and formatting.ts.
import { firstPlace } from "../../core/ascending.ts";
import type { SearchQuery } from "../../schemas/search.ts";
import { linesOf } from "../fieldnames.ts";
import type { IndexReader } from "../reader.ts";
import { weightOf } from "../searchfields.ts";

export interface LeafFormat {
  highlight: boolean;
  /** Number of words to crop to; 0: no cropping. */
  crop: number;
}

/** Marks a length that no entry of attributesToCrop gave. */
const UNSET = -1;
const PLAIN: LeafFormat = { highlight: false, crop: 0 };
const EVERYTHING = "*";
/** The end of a pattern, which is the name of an attribute only where one is called so. */
const MEMBERS = ".*";
/** The character after the point, which separates names. */
const AFTER_DOT = "/";
/** A number that needs more than 64 bits is no length. */
const LENGTH_END = 2n ** 64n;

export class FormatOptions {
  readonly #names = new Map<string, LeafFormat>();
  /** Format of each top-level attribute that has no entry of its own. */
  #others: LeafFormat | null = null;
  readonly #known = new Map<string, LeafFormat>();
  /** Sorted, so parents come first. */
  readonly #sortedNames: readonly string[];
  /** Letters of the longest name. */
  readonly #longest: number;

  constructor(reader: IndexReader, query: SearchQuery) {
    const displayed = new Set(reader.settings.displayedAttributes);
    const exists = (name: string) => (name.endsWith(MEMBERS) ? reader.knows(name) : mayExist(reader, name));
    const isShown = (name: string) => (displayed.has(EVERYTHING) || displayed.has(name)) && exists(name);
    for (const name of query.attributesToHighlight ?? []) {
      this.#set(name, isShown, (format) => ({ ...format, highlight: true }));
    }
    for (const entry of query.attributesToCrop ?? []) {
      const { name, crop } = cropOf(entry, query.cropLength);
      this.#set(name, isShown, (format) => ({ ...format, crop }));
    }
    this.#sortedNames = [...this.#names.keys()].sort();
    this.#longest = this.#sortedNames.reduce((most, { length }) => Math.max(most, length), 0);
  }

  /** Names of attributes that are formatted; null: everything that is displayed. */
  get selectors(): string[] | null {
    return this.#others ? null : [...this.#names.keys()];
  }

  /**
   * How the values at a dotted path are formatted: by the entries for the path itself and for all attributes
   * above and below it.
   */
  of(path: string): LeafFormat {
    let format = this.#known.get(path);
    if (!format) {
      format = this.#merged(path);
      this.#known.set(path, format);
    }
    return format;
  }

  #set(name: string, isShown: (name: string) => boolean, change: (format: LeafFormat) => LeafFormat): void {
    const unset: LeafFormat = { highlight: false, crop: UNSET };
    if (name === EVERYTHING) {
      for (const [known, format] of this.#names) this.#names.set(known, change(format));
      this.#others = change(this.#others ?? unset);
    } else if (isShown(name)) this.#names.set(name, change(this.#names.get(name) ?? this.#others ?? unset));
  }

  #merged(path: string): LeafFormat {
    const [top] = path.split(".", 1);
    const others = this.#others && !this.#names.has(top) ? [this.#others] : [];
    // The length given for a parent takes precedence: parents come first.
    const own = [...linesOf(path, this.#longest)].reverse().concat(this.#namesBelow(path));
    const formats = [...others, ...own.flatMap((name) => this.#names.get(name) ?? [])];
    if (!formats.length) return PLAIN;
    const crop = formats.find((format) => format.crop !== UNSET)?.crop ?? 0;
    return { highlight: formats.some(({ highlight }) => highlight), crop };
  }

  #namesBelow(path: string): readonly string[] {
    const [start, end] = [`${path}.`, `${path}${AFTER_DOT}`];
    const placeOf = (text: string) =>
      firstPlace(this.#sortedNames.length, (at) => this.#sortedNames[at] >= text);
    return this.#sortedNames.slice(placeOf(start), placeOf(end));
  }
}

/** `name` or `name:length`; if what follows the last colon is no number, the default length applies. */
function cropOf(entry: string, cropLength: number): { name: string; crop: number } {
  const colon = entry.lastIndexOf(":");
  if (colon < 0) return { name: entry, crop: cropLength };
  const length = entry.slice(colon + 1);
  const isLength = /^\+?0*\d{1,20}$/.test(length) && BigInt(length) < LENGTH_END;
  return { name: entry.slice(0, colon), crop: isLength ? Number(length) : cropLength };
}

/**
 * True when some document may have the attribute. The members of an object are known where it is searched;
 * elsewhere it may have any. Formatting goes by this, while retrieving looks into each document.
 */
export function mayExist(reader: IndexReader, name: string): boolean {
  if (reader.knows(name)) return true;
  if (weightOf(reader.settings, name) >= 0) return false;
  const [first] = name.split(".", 1);
  return reader.knows(first) || reader.holdsAbove(name);
}

// Finds how documents spell a value: columns only keep texts in normal form, so the value is looked up in a
// document that has it. Called by distribution.ts and facetsearch.ts, for values that are shown or may be.
import type { JsonScanner } from "../../core/json.ts";
import type { ManifestState } from "../../segment/manifeststate.ts";
import { FieldSelection } from "../documents/selection.ts";
import { storedFacetText } from "../filter/facettext.ts";
import type { IndexReader, OpenSegment } from "../reader.ts";
import type { Documents } from "../search/documents.ts";
import type { CodeCounts } from "./counts.ts";
import type { FacetValue } from "./values.ts";

/** Spellings remembered for all segments of a thread. */
const KNOWN_MAX = 20_000;
/** Spellings of one field: by place, and also by document where a certain document decides the spelling. */
type Known = Map<number | string, string>;
/** By index state, then by field. */
let known = new WeakMap<ManifestState, Map<string, Known>>();
let knownCount = 0;
/** All codes of a segment are lower. */
const CODES_MAX = 2 ** 32;

/** A value in one segment. */
interface SpelledPlace {
  counts: Pick<CodeCounts, "column" | "open">;
  code: number;
}

/** The first document that has a value (-1: none), and where the value is found. */
interface First {
  place: SpelledPlace;
  docid: number;
}

export class Spellings {
  readonly #reader: IndexReader;
  readonly #scanner: JsonScanner;
  readonly #name: string;
  readonly #selection: FieldSelection;

  constructor(reader: IndexReader, scanner: JsonScanner, name: string) {
    this.#reader = reader;
    this.#scanner = scanner;
    this.#name = name;
    this.#selection = new FieldSelection([name]);
  }

  /**
   * The spelling of each value in the first document that has it, among `documents` or (null) all live ones.
   * If that document spells it in several ways, its last spelling counts.
   */
  of(values: readonly FacetValue[], documents: Documents | null): string[] {
    const sets = documents && this.#parts(documents);
    const texts: string[] = [];
    const unknown: (First & { at: number; key: number | string })[] = [];
    const own = this.#known();
    values.forEach(({ places }, at) => {
      const first = sets && this.#first(places, sets);
      const { place, docid } = first ?? { place: places[0], docid: 0 };
      const segment = this.#reader.segments.indexOf(place.counts.open);
      const key = sets ? `${docid} ${segment} ${place.code}` : segment * CODES_MAX + place.code;
      const text = own.get(key);
      if (text !== undefined) texts[at] = text;
      else unknown.push({ at, key, ...(first ?? this.#first(this.#everywhere(places), null)) });
    });
    // Documents are read in the order in which they are stored, each once.
    let lastDocid = -1;
    let spelled = new Map<string, string>();
    for (const { at, key, place, docid } of unknown.sort((a, b) => a.docid - b.docid)) {
      if (docid !== lastDocid) spelled = this.#spelledIn(place.counts.open, docid);
      lastDocid = docid;
      const { column } = place.counts;
      texts[at] =
        spelled.get(keyText(column.term(place.code).subarray(1))) ?? (column.value(place.code) as string);
      this.#remember(key, texts[at]);
    }
    return texts;
  }

  /** The places of a value in all segments, whether or not documents were counted there. */
  #everywhere(places: readonly SpelledPlace[]): SpelledPlace[] {
    const { segments } = this.#reader;
    if (places.length === segments.length) return [...places];
    const counted = new Set(places.map(({ counts }) => counts.open));
    const [{ counts, code }] = places;
    const key = counts.column.term(code);
    const others = segments.flatMap((open): SpelledPlace[] => {
      const column = counted.has(open) ? null : open.segment.column(this.#name);
      const own = column ? column.find(key) : -1;
      return column && own >= 0 ? [{ counts: { column, open }, code: own }] : [];
    });
    return [...places, ...others];
  }

  #first(places: readonly SpelledPlace[], sets: Map<OpenSegment, number> | null): First {
    const { words, share } = this.#reader;
    const { postingsFirst } = share.core.exports;
    let first = { place: places[0], docid: -1 };
    for (const place of places) {
      const { column, open } = place.counts;
      const { pointer, length } = column.list(place.code);
      const docid = sets
        ? postingsFirst(pointer, length, sets.get(open)!, words, 1)
        : postingsFirst(pointer, length, open.tombstones, open.tombstones ? words : 0, 0);
      if (docid >= 0 && (first.docid < 0 || docid < first.docid)) first = { place, docid };
    }
    return first;
  }

  /** Bitmap of the documents for each segment, without those deleted there. */
  #parts(documents: Documents): Map<OpenSegment, number> {
    const { segments, share, words } = this.#reader;
    const { bitmap } = documents;
    const parts = segments.map((open): [OpenSegment, number] => {
      if (!open.tombstones) return [open, bitmap];
      const own = share.scratch.alloc(words * 8);
      share.core.exports.bitmapAndNotInto(own, bitmap, open.tombstones, words);
      return [open, own];
    });
    return new Map(parts);
  }

  /** The known spellings of the field. */
  #known(): Known {
    const { state } = this.#reader;
    const fields = known.get(state) ?? new Map<string, Known>();
    known.set(state, fields);
    const own = fields.get(this.#name) ?? new Map<number | string, string>();
    fields.set(this.#name, own);
    return own;
  }

  #remember(key: number | string, text: string): void {
    if (knownCount >= KNOWN_MAX) {
      known = new WeakMap();
      knownCount = 0;
    }
    this.#known().set(key, text);
    knownCount++;
  }

  /** How a document of a segment spells its values, keyed by their form in columns (keyText). */
  #spelledIn({ segment }: OpenSegment, docid: number): Map<string, string> {
    const spelled = new Map<string, string>();
    const ordinal = segment.ordinalOf(docid);
    if (ordinal < 0) return spelled;
    const { pointer, length } = segment.document(ordinal);
    const bytes = this.#selection.select(this.#scanner, pointer, length);
    const document = JSON.parse(Buffer.from(bytes).toString());
    for (const text of textsAt(document, this.#name)) spelled.set(keyText(storedFacetText(text)), text);
    return spelled;
  }
}

/** Bytes as a key for maps. */
const keyText = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");

/** The texts of the field `path` (empty: of the value itself); booleans as texts. */
function* textsAt(value: unknown, path: string): Generator<string> {
  if (Array.isArray(value)) {
    for (const one of value) yield* textsAt(one, path);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      if (name === path) yield* textsAt(member, "");
      else if (path.startsWith(`${name}.`)) yield* textsAt(member, path.slice(name.length + 1));
    }
  } else if (path === "" && (typeof value === "string" || typeof value === "boolean")) yield `${value}`;
}

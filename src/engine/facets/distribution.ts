// The facets of a search: how many of the matching documents have each value of a field, and the least and
// greatest number. Called by ../searchanswer.ts and ../federation/indexsearch.ts.
import { decimal } from "../../core/decimal.ts";
import { floatText } from "../../core/floattext.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { Collection, SearchTools } from "../search/collection.ts";
import { type CodeCounts, codeCounts, codesIn } from "./counts.ts";
import { Spellings } from "./spelling.ts";
import { commonValues, type FacetValue, firstValues, rangeStream } from "./values.ts";

/** Up to this many documents, numbers are ordered as texts. */
const FEW_DOCUMENTS_MAX = 3000;

/** The counts of one field over some documents. */
export interface FacetCounts {
  name: string;
  /** In the order of the settings. A list, since an object would put keys that look like integers first. */
  values: readonly (readonly [text: string, count: number])[];
  /** Least and greatest number; null when there is none. */
  range: FacetRange | null;
}

export interface FacetRange {
  min: number;
  max: number;
}

/** The documents in which facets are counted. */
type Counted = Pick<Collection, "bitmaps" | "candidates">;

export function facetCounts(tools: SearchTools, names: readonly string[], found: Counted): FacetCounts[] {
  const { deadline } = tools.reader.share;
  return names.map((name) => {
    deadline.check();
    const facet = new Facet(tools, name, found);
    return { name, values: facet.values(), range: facet.range() };
  });
}

/** The members `facetDistribution` and `facetStats` of an answer, as JSON. */
export function facetMembers(facets: readonly FacetCounts[]): string {
  const { distribution, stats } = facetJson(facets);
  return `"facetDistribution":${distribution},"facetStats":${stats}`;
}

export function facetJson(facets: readonly FacetCounts[]): { distribution: string; stats: string } {
  const distribution = facets.map(({ name, values }) => {
    const members = values.map(([text, count]) => `${JSON.stringify(text)}:${count}`);
    return `${JSON.stringify(name)}:{${members.join()}}`;
  });
  const stats = facets.flatMap(({ name, range }) => {
    if (!range) return [];
    return [`${JSON.stringify(name)}:{"min":${floatText(range.min)},"max":${floatText(range.max)}}`];
  });
  return { distribution: `{${distribution.join()}}`, stats: `{${stats.join()}}` };
}

export type FacetOrder = "alpha" | "count";

/** In which order the values of a field are shown. */
export function facetOrder({ faceting }: Pick<Settings, "faceting">, name: string): FacetOrder {
  const { sortFacetValuesBy } = faceting;
  return (
    (Object.hasOwn(sortFacetValuesBy, name) && sortFacetValuesBy[name]) || sortFacetValuesBy["*"] || "alpha"
  );
}

class Facet {
  readonly #tools: SearchTools;
  readonly #name: string;
  readonly #found: Counted;
  readonly #order: FacetOrder;
  readonly #counts: CodeCounts[];

  constructor(tools: SearchTools, name: string, found: Counted) {
    this.#tools = tools;
    this.#name = name;
    this.#found = found;
    this.#order = facetOrder(tools.reader.settings, name);
    const use = this.#order === "count" ? "all" : "first";
    this.#counts = codeCounts(found.bitmaps, found.candidates, name, use);
  }

  /** Counts by value, numbers before texts. */
  values(): [text: string, count: number][] {
    const { reader, scanner } = this.#tools;
    const most = reader.settings.faceting.maxValuesPerFacet;
    const counts = new Map<string, number>();
    for (const [text, count] of this.#numbers(most)) counts.set(text, count);
    const values = this.#values("texts", most - counts.size);
    const texts = new Spellings(reader, scanner, this.#name).of(values, this.#found.candidates);
    values.forEach(({ count }, i) => {
      counts.set(texts[i], count);
    });
    return [...counts];
  }

  /** Least and greatest number, or null. */
  range(): FacetRange | null {
    const bounds = this.#counts.flatMap((counts) => {
      const { column } = counts;
      const last = counts.last(0, column.numbers);
      return last < 0
        ? []
        : [counts.next(0, column.numbers), last].map((code) => column.value(code) as number);
    });
    return bounds.length ? { min: Math.min(...bounds), max: Math.max(...bounds) } : null;
  }

  #numbers(most: number): [text: string, count: number][] {
    const isByText = this.#order === "alpha" && this.#found.candidates.count <= FEW_DOCUMENTS_MAX;
    const values = this.#values("numbers", isByText ? Number.POSITIVE_INFINITY : most);
    const printed = values.map(({ count, places: [{ counts, code }] }): [string, number] => {
      return [decimal(counts.column.value(code) as number), count];
    });
    if (!isByText) return printed;
    return printed.sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, most);
  }

  #values(kind: "numbers" | "texts", most: number): FacetValue[] {
    if (most <= 0) return [];
    const ranges = this.#counts.map((counts) => {
      const { numbers, values } = counts.column;
      return { counts, from: kind === "numbers" ? 0 : numbers, to: kind === "numbers" ? numbers : values };
    });
    if (this.#order === "count") {
      const sets = ranges.map(({ counts, from, to }) => ({ counts, codes: codesIn(counts, from, to) }));
      return commonValues(sets, most);
    }
    return firstValues(
      ranges.map(({ counts, from, to }) => rangeStream(counts, from, to)),
      most,
    );
  }
}

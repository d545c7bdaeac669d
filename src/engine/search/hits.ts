// The hits of an answer as JSON: the fields that are asked for and may be shown, cut out of the stored bytes, and scores. Called
// by search.ts.
import { JsonScanner } from "../../core/json.ts";
import type { SearchQuery } from "../../schemas/search.ts";
import { commonFields, FieldSelection } from "../documents/selection.ts";
import type { IndexReader } from "../reader.ts";
import type { Hit } from "./search.ts";

const HIDDEN = ["_vectors"];

export class HitWriter {
  readonly #reader: IndexReader;
  readonly #query: SearchQuery;
  readonly #scanner: JsonScanner;
  readonly #selection: FieldSelection;
  /** Whole documents go out as they came in, unless they hold vectors. */
  readonly #whole: boolean;

  constructor(reader: IndexReader, query: SearchQuery, scanner: JsonScanner) {
    this.#reader = reader;
    this.#query = query;
    this.#scanner = scanner;
    const fields = shownFields(reader.settings.displayedAttributes, query.attributesToRetrieve);
    this.#selection = new FieldSelection(fields, HIDDEN);
    this.#whole = fields === null;
  }

  write(hit: Hit): string {
    const { segment, ordinal } = this.#reader.find(hit.docid)!;
    const { pointer, length } = segment.document(ordinal);
    const plain = this.#whole && !segment.meta.shapes[segment.shapeOf(ordinal)].includes("_vectors");
    const bytes = plain
      ? this.#reader.share.core.u8.subarray(pointer, pointer + length)
      : this.#selection.select(this.#scanner, pointer, length);
    const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
    const more = this.#additions(hit);
    if (!more) return json;
    return /^\{\s*\}$/.test(json) ? `{${more}}` : `${json.slice(0, json.lastIndexOf("}"))},${more}}`;
  }

  /** What the search adds to a document, without braces; empty when nothing. */
  #additions({ ranks }: Hit): string {
    const more: Record<string, unknown> = {};
    if (this.#query.showRankingScore) more["_rankingScore"] = scoreOf(ranks);
    if (this.#query.showRankingScoreDetails) more["_rankingScoreDetails"] = detailsOf(ranks);
    return JSON.stringify(more).slice(1, -1);
  }
}

/** Names to show; null: everything. */
function shownFields(displayed: readonly string[], retrieved: readonly string[] | null): string[] | null {
  const everything = displayed.includes("*");
  if (!retrieved || retrieved.includes("*")) return everything ? null : [...displayed];
  return everything ? [...retrieved] : commonFields(retrieved, displayed);
}

/** Ranks merged as digits of a number with a mixed radix: earlier rules dominate, 1 is perfect. */
export function scoreOf(ranks: Hit["ranks"]): number {
  let rank = 1;
  let most = 1;
  for (const detail of ranks) {
    rank = Math.max(0, rank - 1) * detail.max + detail.rank;
    most *= detail.max;
  }
  return rank / most;
}

function detailsOf(ranks: Hit["ranks"]): Record<string, unknown> {
  const details: Record<string, unknown> = {};
  ranks.forEach(({ rule, rank, max }, order) => {
    const score = rank / max;
    if (rule === "words") details[rule] = { order, matchingWords: rank, maxMatchingWords: max, score };
    else details[rule] = { order, typoCount: max - rank, maxTypoCount: max - 1, score };
  });
  return details;
}

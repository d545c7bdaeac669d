// The hits of an answer as JSON: the fields that are asked for and may be shown, cut out of the stored bytes,
// and scores. Called by search.ts.
import type { JsonScanner } from "../../core/json.ts";
import type { SearchQuery } from "../../schemas/search.ts";
import { namedMembers } from "../documents/members.ts";
import { FieldSelection } from "../documents/selection.ts";
import type { Corner } from "../filter/expression.ts";
import { distanceBetween, locationOf } from "../filter/geo.ts";
import type { IndexReader } from "../reader.ts";
import type { Hit } from "./driver.ts";
import { mergedScore, scoreDetails } from "./scores.ts";
import { parseSort } from "./sorting.ts";

const HIDDEN = ["_vectors"];

export class HitWriter {
  readonly #reader: IndexReader;
  readonly #query: SearchQuery;
  readonly #scanner: JsonScanner;
  readonly #selection: FieldSelection;
  /** Whole documents go out as they came in, unless they hold vectors. */
  readonly #whole: boolean;
  readonly #point: Corner | null;
  readonly #showsGeo: boolean;
  /** The attribute rules are named apart. */
  readonly #isSplit: boolean;

  constructor(reader: IndexReader, query: SearchQuery, scanner: JsonScanner) {
    this.#reader = reader;
    this.#query = query;
    this.#scanner = scanner;
    const fields = shownFields(reader.settings.displayedAttributes, query.attributesToRetrieve);
    this.#selection = new FieldSelection(fields, HIDDEN);
    this.#whole = fields === null;
    const geo = parseSort(query.sort, "invalid_search_sort").find(({ kind }) => kind === "geo");
    this.#point = geo?.kind === "geo" ? geo.point : null;
    this.#showsGeo = fields === null || fields.includes("_geo");
    const { rankingRules } = reader.settings;
    this.#isSplit = rankingRules.some((rule) => rule === "attributeRank" || rule === "wordPosition");
  }

  write(hit: Hit): string {
    const { segment, ordinal } = this.#reader.find(hit.docid)!;
    const { pointer, length } = segment.document(ordinal);
    const distance = this.#distance(pointer, length);
    const plain = this.#whole && !segment.meta.shapes[segment.shapeOf(ordinal)].includes("_vectors");
    const bytes = plain
      ? this.#reader.share.core.u8.subarray(pointer, pointer + length)
      : this.#selection.select(this.#scanner, pointer, length);
    const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
    const more = this.#additions(hit, distance);
    if (!more) return json;
    return /^\{\s*\}$/.test(json) ? `{${more}}` : `${json.slice(0, json.lastIndexOf("}"))},${more}}`;
  }

  /** Metres from the first point that is sorted by; null without a point, or a location that is shown. */
  #distance(pointer: number, length: number): number | null {
    if (!this.#point || !this.#showsGeo) return null;
    const entry = namedMembers(this.#scanner, pointer, length).get("_geo");
    const location = entry && locationOf(JSON.parse(this.#scanner.source(entry)));
    return location ? Math.round(distanceBetween(this.#point, [location.lat, location.lng])) : null;
  }

  /** What the search adds to a document, without braces; empty when nothing. */
  #additions({ ranks }: Hit, distance: number | null): string {
    const more: Record<string, unknown> = {};
    if (distance !== null) more["_geoDistance"] = distance;
    if (this.#query.showRankingScore) more["_rankingScore"] = mergedScore(ranks);
    if (this.#query.showRankingScoreDetails)
      more["_rankingScoreDetails"] = scoreDetails(ranks, this.#isSplit);
    return JSON.stringify(more).slice(1, -1);
  }
}

/** Names to show; null: everything. */
function shownFields(displayed: readonly string[], retrieved: readonly string[] | null): string[] | null {
  const everything = displayed.includes("*");
  if (!retrieved || retrieved.includes("*")) return everything ? null : [...displayed];
  return everything ? [...retrieved] : retrieved.filter((name) => displayed.includes(name));
}

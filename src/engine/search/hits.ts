// The hits of an answer as JSON: the fields that are asked for and may be shown, cut out of the stored bytes,
// with formatted texts, positions of matches and scores. Called by searchanswer.ts, similar.ts and federated
// searches.
import { floatText } from "../../core/floattext.ts";
import type { JsonScanner } from "../../core/json.ts";
import type { Tokenizer } from "../../core/tokenizer.ts";
import type { SearchQuery } from "../../schemas/search.ts";
import { VECTORS_FIELD } from "../../schemas/vectorsfield.ts";
import type { Located } from "../../segment/locateddocument.ts";
import type { Segment } from "../../segment/segment.ts";
import { namedMembers, withMembers } from "../documents/members.ts";
import { DottedNames } from "../documents/namebytes.ts";
import { type FieldSelection, selectionOf } from "../documents/selection.ts";
import { isShownWhole } from "../documents/wholedocument.ts";
import type { Corner } from "../filter/expression.ts";
import { distanceBetween, locationOf } from "../filter/geo.ts";
import type { IndexReader } from "../reader.ts";
import { vectorsMember } from "../vectors/retrieval.ts";
import type { Collection } from "./collection.ts";
import type { Hit } from "./driver.ts";
import { FormatOptions, mayExist } from "./formatoptions.ts";
import { Formatter } from "./formatting.ts";
import { HitTexts } from "./hittexts.ts";
import { type IdHits, idHits } from "./idhits.ts";
import { PositionWriter } from "./positions.ts";
import type { Rank } from "./rule.ts";
import { mergedScore, scoreDetailsText } from "./scores.ts";
import { TextMatches } from "./textmatches.ts";

/** What is needed to read hits: the tokenizer is configured for the index. */
interface HitTools {
  scanner: JsonScanner;
  tokenizer: Tokenizer;
}

export class HitWriter {
  readonly #reader: IndexReader;
  readonly #query: SearchQuery;
  readonly #scanner: JsonScanner;
  readonly #selection: FieldSelection;
  /** Documents are output whole, as they came in, unless they hold vectors. */
  readonly #whole: boolean;
  readonly #point: Corner | null;
  readonly #showsGeo: boolean;
  readonly #showsVectors: boolean;
  /** The attribute rules are listed separately. */
  readonly #isSplit: boolean;
  /** Null when no option looks into documents. */
  readonly #texts: HitTexts | null = null;
  readonly #formatter: Formatter | null = null;
  readonly #positions: PositionWriter | null = null;
  /** Null when hits are made from their documents. */
  readonly #idHits: IdHits | null = null;
  /** The ranks of the last hit, and the score made of them. */
  #ranks: readonly Rank[] | null = null;
  #score = "";

  constructor(
    reader: IndexReader,
    query: SearchQuery,
    tools: HitTools,
    { criteria, words }: Pick<Collection, "criteria" | "words">,
  ) {
    this.#reader = reader;
    this.#query = query;
    this.#scanner = tools.scanner;
    const fields = shownFields(reader.settings.displayedAttributes, query.attributesToRetrieve);
    this.#selection = selectionOf(reader, fields);
    this.#whole = fields === null;
    const geo = criteria.find(({ kind }) => kind === "geo");
    this.#point = geo?.kind === "geo" ? geo.point : null;
    this.#showsGeo = fields === null || showsPlace(fields);
    const { rankingRules, displayedAttributes } = reader.settings;
    const areShown = displayedAttributes.includes("*") || displayedAttributes.includes(VECTORS_FIELD);
    this.#showsVectors = query.retrieveVectors && areShown;
    this.#isSplit = rankingRules.some((rule) => rule === "attributeRank" || rule === "wordPosition");
    const isFormatted = query.attributesToHighlight?.length || query.attributesToCrop?.length;
    if (!isFormatted && !query.showMatchesPosition) {
      this.#idHits = idHits(reader, fields);
      return;
    }
    const matches = new TextMatches(reader.share.core, tools.tokenizer, words());
    const texts = new HitTexts(tools.scanner, matches, reader.settings, query);
    if (isFormatted) this.#formatter = formatterOf(texts, reader, query, fields);
    this.#texts = texts;
    const displayed = shownFields(reader.settings.displayedAttributes, null);
    const selectors = displayed && DottedNames.ofTexts(displayed);
    if (query.showMatchesPosition) this.#positions = new PositionWriter(texts, selectors);
  }

  /** `member`: one more member, after those of the document and before those that the search adds. */
  write(hit: Hit, member = ""): string {
    const vectors = this.#showsVectors ? vectorsMember(this.#reader, this.#scanner, hit.docid) : "";
    const { segment, ordinal } = this.#reader.find(hit.docid)!;
    const brief = this.#idHits?.document(segment, ordinal);
    const place = brief ? null : segment.document(ordinal);
    const json = place ? this.#document(segment, ordinal, place) : brief!;
    const added = this.#additions(hit, place, member);
    const more = vectors && added ? `${vectors},${added}` : vectors || added;
    return more ? withMembers(json, more) : json;
  }

  #document(segment: Segment, ordinal: number, { pointer, length }: Located): string {
    const plain = this.#whole && isShownWhole(segment, ordinal);
    const bytes = plain
      ? this.#reader.share.core.u8.subarray(pointer, pointer + length)
      : this.#selection.select(this.#scanner, pointer, length);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  }

  /**
   * Metres from the first point that is sorted by; null without a point, or when the location may not be
   * shown or does not exist.
   */
  #distance({ pointer, length }: Located): number | null {
    if (!this.#point || !this.#showsGeo) return null;
    const entry = namedMembers(this.#scanner, pointer, length).get("_geo");
    const location = entry && locationOf(JSON.parse(this.#scanner.source(entry)));
    return location ? Math.round(distanceBetween(this.#point, [location.lat, location.lng])) : null;
  }

  /**
   * The members that the search adds to a document, without braces; empty when there are none. `place`: null
   * when the document is not looked at.
   */
  #additions({ ranks }: Hit, place: Located | null, member: string): string {
    const more: string[] = [];
    const distance = place && this.#distance(place);
    if (distance !== null) more.push(`"_geoDistance":${distance}`);
    if (member) more.push(member);
    if (place && this.#texts) this.#addMatches(more, this.#texts, place);
    if (this.#query.showRankingScore) more.push(this.#scoreOf(ranks));
    if (this.#query.showRankingScoreDetails)
      more.push(`"_rankingScoreDetails":${scoreDetailsText(ranks, this.#isSplit)}`);
    return more.join(",");
  }

  #addMatches(more: string[], texts: HitTexts, { pointer, length }: Located): void {
    texts.open(pointer, length);
    const formatted = this.#formatter?.write(pointer, length);
    if (formatted) more.push(`"_formatted":${formatted}`);
    if (this.#positions) more.push(`"_matchesPosition":${this.#positions.write(pointer, length)}`);
  }

  /** Hits that the rules did not tell apart share their ranks. */
  #scoreOf(ranks: readonly Rank[]): string {
    if (ranks !== this.#ranks) this.#score = `"_rankingScore":${floatText(mergedScore(ranks))}`;
    this.#ranks = ranks;
    return this.#score;
  }
}

/** True when no part of a place is left out. */
function showsPlace(fields: readonly string[]): boolean {
  return fields.includes("_geo") || ["_geo.lat", "_geo.lng"].every((name) => fields.includes(name));
}

/** Null when no attribute is formatted. */
function formatterOf(
  texts: HitTexts,
  reader: IndexReader,
  query: SearchQuery,
  fields: readonly string[] | null,
): Formatter | null {
  const options = new FormatOptions(reader, query);
  const { selectors } = options;
  if (selectors?.length === 0) return null;
  const displayed = shownFields(reader.settings.displayedAttributes, null);
  const names = selectors === null ? displayed : fields && [...new Set([...fields, ...selectors])];
  const existing = names && DottedNames.ofTexts(names.filter((name) => mayExist(reader, name)));
  return new Formatter(texts, options, existing, query);
}

/** Names to show; null: everything. */
function shownFields(displayed: readonly string[], retrieved: readonly string[] | null): string[] | null {
  const everything = displayed.includes("*");
  if (!retrieved || retrieved.includes("*")) return everything ? null : [...displayed];
  if (everything) return [...retrieved];
  const all = new Set(displayed);
  return retrieved.filter((name) => all.has(name));
}

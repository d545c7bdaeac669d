// Runs the queries of a federated search that are about one index: finds the hits of each, and counts the
// documents of all together. Called by groupsearch.ts for each index that a thread searches for a request.
import { shortFloat } from "../../core/shortfloat.ts";
import { TarsierError } from "../../errors.ts";
import type { SearchQuery } from "../../schemas/search.ts";
import { Bitmaps } from "../bitmaps.ts";
import { facetCounts } from "../facets/distribution.ts";
import { facetFields } from "../facets/fields.ts";
import type { SearchTools } from "../search/collection.ts";
import { distinctKeys } from "../search/distinct.ts";
import { Documents } from "../search/documents.ts";
import type { Hit } from "../search/driver.ts";
import { HitWriter } from "../search/hits.ts";
import type { Rank } from "../search/rule.ts";
import { mergedScore } from "../search/scores.ts";
import { type ScoreValue, scoreValues } from "../search/scorevalues.ts";
import { checkSearch, find } from "../search/semantic.ts";
import {
  emptyAnswer,
  type IndexAnswer,
  type IndexQuery,
  type IndexRequest,
  type RequestFrame,
} from "./asked.ts";
import { type BestHits, FoundHit } from "./besthits.ts";
import { federationText } from "./member.ts";
import { ruleKinds } from "./rulekinds.ts";

interface IndexPlace {
  /** Place of the index among those that the thread got. */
  order: number;
  request: IndexRequest;
  frame: RequestFrame;
}

/** `best`: gets the hits. Refusals are part of the answer. */
export function searchIndex(tools: SearchTools, place: IndexPlace, best: BestHits): IndexAnswer {
  const run = new IndexRun(tools, place, best);
  const { answer } = run;
  let position: number | null = null;
  try {
    for (const one of place.request.queries) {
      position = one.position;
      run.add(one);
    }
    position = null;
    if (answer.embeddings.length === 0) run.finish();
  } catch (error) {
    if (!(error instanceof TarsierError)) throw error;
    const { code, message } = error;
    answer.fault = { position, code, message };
    answer.embeddings = [];
  }
  return answer;
}

class IndexRun {
  readonly answer: IndexAnswer;
  readonly #tools: SearchTools;
  readonly #place: IndexPlace;
  readonly #best: BestHits;
  readonly #bitmaps: Bitmaps;
  /** Bitmap of the documents that any of the queries found; 0 when none has run. */
  #found = 0;

  constructor(tools: SearchTools, place: IndexPlace, best: BestHits) {
    this.answer = emptyAnswer(tools.reader.state.primaryKey);
    this.#tools = tools;
    this.#place = place;
    this.#best = best;
    this.#bitmaps = new Bitmaps(tools.reader);
  }

  add(one: IndexQuery): void {
    const { frame } = this.#place;
    const { reader } = this.#tools;
    const { cache, scratch } = reader.share;
    reader.share.deadline.check();
    const query = frame.distinct === null ? one.query : { ...one.query, distinct: frame.distinct };
    const criteria = checkSearch(reader, query);
    const { answer } = this;
    answer.planned.push({ position: one.position, kinds: ruleKinds(reader.settings, query, criteria) });
    // The memory of one query is reused by the next one; the bitmap of found documents stays.
    const isOnly = this.#place.request.queries.length === 1;
    this.#found ||= isOnly ? 0 : this.#bitmaps.create();
    const mark = scratch.mark();
    cache.beginTurn();
    const limit = Math.min(frame.wanted, reader.settings.pagination.maxTotalHits);
    const window = { offset: 0, limit, paged: frame.isPaged, began: performance.now() };
    const found = find(this.#tools, { ...query, showRankingScoreDetails: true }, window);
    if ("embed" in found) {
      answer.embeddings.push({ ...found, position: one.position });
      scratch.release(mark);
      return;
    }
    answer.isDegraded ||= found.isDegraded;
    answer.isSemantic ||= found.semanticHitCount !== null;
    if (query.retrieveVectors && found.queryVector)
      answer.queryVectors.push([one.position, found.queryVector.map(shortFloat)]);
    const writer = new HitWriter(reader, query, this.#tools, found);
    this.#best.add(this.#hits(one, found.hits, writer));
    if (isOnly) {
      this.#found = found.candidates.bitmap;
      return;
    }
    this.#bitmaps.or(this.#found, found.candidates.bitmap);
    scratch.release(mark);
  }

  /** @throws TarsierError for facets that cannot be counted */
  finish(): void {
    const { reader } = this.#tools;
    const { request } = this.#place;
    const gone = [...this.#best.endIndex(), ...request.dropped];
    // The bitmap of an only query belongs to its search and must not be written to.
    if (gone.length > 0 || !this.#found) this.#found = this.#bitmaps.create(this.#found || undefined);
    this.#bitmaps.remove(this.#found, gone);
    const names = request.facets && (facetFields(reader, request.facets) ?? []);
    const candidates = Documents.ofBitmap(this.#bitmaps, this.#found);
    reader.share.cache.beginTurn();
    if (names) {
      const counts = facetCounts(this.#tools, names, { bitmaps: this.#bitmaps, candidates });
      this.answer.facets = { counts, faceting: reader.settings.faceting };
    }
    this.answer.total = candidates.count;
  }

  /** The hits of a query that may be shown; `hits` are in order. */
  #hits({ position, weight, query }: IndexQuery, hits: readonly Hit[], writer: HitWriter): FoundHit[] {
    const { order, frame } = this.#place;
    const { reader } = this.#tools;
    const isFleeting = isWrittenAtOnce(query);
    const found: FoundHit[] = [];
    let ranks: readonly Rank[] | null = null;
    let values: readonly ScoreValue[] = [];
    let weightedScore = 0;
    for (const hit of hits) {
      // Hits that the rules did not tell apart share their ranks.
      if (hit.ranks !== ranks) {
        ({ ranks } = hit);
        values = scoreValues(ranks, weight);
        weightedScore = mergedScore(ranks) * weight;
        if (!this.#best.admits({ position, order, values, weightedScore })) break;
      }
      const keys = frame.distinct === null ? null : distinctKeys(reader, frame.distinct, hit.docid);
      const place = { position, order, docid: hit.docid, values, weightedScore, keys };
      found.push(new FoundHit(place, isFleeting, (own) => writer.write(hit, this.#federationMember(own))));
    }
    return found;
  }

  #federationMember({ position, weightedScore, values, keys }: FoundHit): string {
    const { request, frame } = this.#place;
    const { remote, isForRemote } = frame;
    const { indexUid } = request.index;
    const found = { indexUid, queriesPosition: position, weightedRankingScore: weightedScore, remote };
    const more = isForRemote ? { weightedScoreValues: values, ...(keys && { distinctKeys: keys }) } : {};
    return `"_federation":${federationText(found, more)}`;
  }
}

/** Formatted texts, and the values that hits were sorted by, exist only while the query runs. */
const isWrittenAtOnce = (query: SearchQuery): boolean =>
  query.showRankingScoreDetails ||
  query.showMatchesPosition ||
  Boolean(query.attributesToHighlight?.length || query.attributesToCrop?.length);

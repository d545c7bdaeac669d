// The queries of a federated search that are about one index: their hits merged, each document once, and what
// their documents count together. Called by ../searchthread.ts; the lists of all indexes are merged in
// src/network/federatedsearch.ts.
import { type ErrorCode, TarsierError } from "../../errors.ts";
import type { SearchQuery } from "../../schemas/search.ts";
import type { Settings } from "../../schemas/settings.ts";
import { type FacetCounts, facetCounts } from "../facets/distribution.ts";
import { facetFields } from "../facets/fields.ts";
import { Bitmaps } from "../search/bitmaps.ts";
import type { SearchTools } from "../search/collection.ts";
import { distinctKeys } from "../search/distinct.ts";
import { Documents } from "../search/documents.ts";
import type { Hit } from "../search/driver.ts";
import { HitWriter } from "../search/hits.ts";
import { mergedScore } from "../search/scores.ts";
import { checkSearch, type EmbeddingRequest, find } from "../search/semantic.ts";
import { mergedHits } from "./merge.ts";
import { type PlannedQuery, ruleKinds } from "./rulekinds.ts";
import { type Scored, scoreValues } from "./scorevalues.ts";

interface IndexQuery {
  /** In the request. */
  position: number;
  weight: number;
  /** Offset, limit and paging are not looked at. */
  query: SearchQuery;
}

export interface IndexRequest {
  indexUid: string;
  queries: readonly IndexQuery[];
  /** Hits that the request can show, from the first one on. */
  wanted: number;
  /** Totals are exact. */
  isPaged: boolean;
  /** Patterns of the facets to count; null: none. */
  facets: readonly string[] | null;
  /** Field of which each value shows once in the whole answer; null: none. */
  distinct: string | null;
  /** Hits tell where they come from; undefined: they do not. */
  remote: string | null | undefined;
  /** Hits are for another server, which compares them with its own. */
  isForRemote: boolean;
  /** Documents that count no more, since others have their distinct value. */
  dropped: readonly number[];
}

export interface IndexHit extends Scored {
  position: number;
  docid: number;
  /** Values of the distinct field, in a form that is the same in all indexes; null without one. */
  keys: readonly string[] | null;
  /** As it goes out. */
  json: string;
}

export interface IndexAnswer {
  primaryKey: string | null;
  /** Of the queries that ran, or failed while they did. */
  planned: readonly PlannedQuery[];
  /** Refusal of the first query that failed, or (null) of the facets; then nothing else is there. */
  fault: { position: number | null; code: ErrorCode; message: string } | null;
  hits: readonly IndexHit[];
  total: number;
  facets: readonly FacetCounts[] | null;
  /** Queries to embed before there is an answer. */
  embeddings: readonly (EmbeddingRequest & { position: number })[];
  /** Time ran out before the hits of all queries were wholly ranked. */
  isDegraded: boolean;
  /** At least one query asked for vectors. */
  isSemantic: boolean;
  /** By position of the query: what was searched for. */
  queryVectors: readonly (readonly [position: number, vector: readonly number[]])[];
  /** How facets are cut and ordered. */
  faceting: Settings["faceting"];
}

export function searchIndex(tools: SearchTools, request: IndexRequest): IndexAnswer {
  const { primaryKey } = tools.reader.state;
  const answer: IndexAnswer = {
    ...{ primaryKey, planned: [], fault: null, hits: [], total: 0, facets: null },
    ...{ embeddings: [], isDegraded: false, isSemantic: false, queryVectors: [] },
    faceting: tools.reader.settings.faceting,
  };
  const run = new IndexRun(tools, request);
  let position: number | null = null;
  try {
    for (const one of request.queries) {
      position = one.position;
      run.add(one);
    }
    position = null;
    if (run.embeddings.length > 0) return { ...answer, embeddings: run.embeddings };
    return { ...answer, ...run.finish() };
  } catch (error) {
    if (!(error instanceof TarsierError)) throw error;
    const { code, message } = error;
    return { ...answer, planned: run.planned, fault: { position, code, message } };
  }
}

/** Lists of hits of queries that are kept until they are merged. */
const LISTS_MAX = 256;

/** A hit of one query: most of several queries' hits are never shown, and need not be written. */
interface FoundHit extends Omit<IndexHit, "json"> {
  json: string | null;
  write(): string;
}

class IndexRun {
  readonly planned: PlannedQuery[] = [];
  readonly embeddings: (EmbeddingRequest & { position: number })[] = [];
  readonly #queryVectors: [position: number, vector: readonly number[]][] = [];
  #isSemantic = false;
  #isDegraded = false;
  readonly #tools: SearchTools;
  readonly #request: IndexRequest;
  readonly #bitmaps: Bitmaps;
  /** Bitmap of the documents that any of the queries found. */
  readonly #found: number;
  readonly #lists: FoundHit[][] = [];

  constructor(tools: SearchTools, request: IndexRequest) {
    this.#tools = tools;
    this.#request = request;
    this.#bitmaps = new Bitmaps(tools.reader);
    this.#found = this.#bitmaps.create();
  }

  add(one: IndexQuery): void {
    const { reader } = this.#tools;
    const { cache, scratch } = reader.share;
    reader.share.deadline.check();
    const query = { ...one.query, distinct: this.#request.distinct ?? one.query.distinct };
    const criteria = checkSearch(reader, query);
    this.planned.push({ position: one.position, kinds: ruleKinds(reader.settings, query, criteria) });
    // What one query needs is void when the next one begins; the documents found stay.
    const mark = scratch.mark();
    cache.beginTurn();
    const limit = Math.min(this.#request.wanted, reader.settings.pagination.maxTotalHits);
    const window = { offset: 0, limit, paged: this.#request.isPaged, began: performance.now() };
    const found = find(this.#tools, { ...query, showRankingScoreDetails: true }, window);
    if ("embed" in found) {
      this.embeddings.push({ ...found, position: one.position });
      scratch.release(mark);
      return;
    }
    this.#isDegraded ||= found.isDegraded;
    this.#isSemantic ||= found.semanticHitCount !== null;
    if (query.retrieveVectors && found.queryVector)
      this.#queryVectors.push([one.position, found.queryVector]);
    this.#bitmaps.or(this.#found, found.candidates.bitmap);
    const writer = new HitWriter(reader, query, this.#tools, found);
    const hits = found.hits.map((hit) => this.#hit(one, hit, writer));
    // Formatted texts, and values that were sorted by, are there only while the query runs.
    if (isFormatted(query) || query.showRankingScoreDetails) for (const hit of hits) hit.json = hit.write();
    this.#lists.push(hits);
    if (this.#lists.length > LISTS_MAX && this.#request.distinct === null) this.#shorten();
    scratch.release(mark);
  }

  /** What cannot be shown any more is forgotten: many queries may have found far more than the answer has. */
  #shorten(): void {
    const best: FoundHit[] = [];
    const seen = new Set<number>();
    for (const [hit] of mergedHits(this.#lists)) {
      if (best.length === this.#request.wanted) break;
      if (seen.has(hit.docid)) continue;
      seen.add(hit.docid);
      best.push(hit);
    }
    this.#lists.splice(0, this.#lists.length, best);
  }

  /** @throws TarsierError for facets that cannot be counted */
  finish(): Partial<IndexAnswer> {
    const { reader } = this.#tools;
    const hits = this.#merge();
    for (const docid of this.#request.dropped) this.#remove(docid);
    const names = this.#request.facets && (facetFields(reader, this.#request.facets) ?? []);
    const candidates = Documents.ofBitmap(this.#bitmaps, this.#found);
    reader.share.cache.beginTurn();
    const facets = names && facetCounts(this.#tools, names, { bitmaps: this.#bitmaps, candidates });
    const semantic = { isSemantic: this.#isSemantic, queryVectors: this.#queryVectors };
    const isDegraded = this.#isDegraded;
    return { planned: this.planned, hits, total: candidates.count, facets, isDegraded, ...semantic };
  }

  #hit({ position, weight }: IndexQuery, hit: Hit, writer: HitWriter): FoundHit {
    const { distinct } = this.#request;
    const values = scoreValues(hit.ranks, weight);
    const weightedScore = mergedScore(hit.ranks) * weight;
    const keys = distinct === null ? null : distinctKeys(this.#bitmaps.reader, distinct, hit.docid);
    const place = { position, values, weightedScore };
    const write = () => writer.write(hit, this.#federationMember(place, keys));
    return { position, docid: hit.docid, values, weightedScore, keys, json: null, write };
  }

  #federationMember(hit: Scored & { position: number }, keys: readonly string[] | null): string {
    const { indexUid, remote, isForRemote } = this.#request;
    const shown = {
      indexUid,
      queriesPosition: hit.position,
      weightedRankingScore: hit.weightedScore,
      ...(remote !== undefined && { remote }),
      ...(isForRemote && { weightedScoreValues: hit.values, ...(keys && { distinctKeys: keys }) }),
    };
    return `"_federation":${JSON.stringify(shown)}`;
  }

  /** The hits of all queries, best first; those with a distinct value that an earlier one has are dropped. */
  #merge(): IndexHit[] {
    const hits: IndexHit[] = [];
    const seen = new Set<number>();
    const keys = new Set<string>();
    for (const [hit] of mergedHits(this.#lists)) {
      if (hits.length === this.#request.wanted) break;
      if (seen.has(hit.docid)) continue;
      seen.add(hit.docid);
      if (hit.keys?.some((key) => keys.has(key))) {
        this.#remove(hit.docid);
        continue;
      }
      for (const key of hit.keys ?? []) keys.add(key);
      const { write, json, ...rest } = hit;
      hits.push({ ...rest, json: json ?? write() });
    }
    return hits;
  }

  #remove(docid: number): void {
    this.#tools.reader.share.core.u8[this.#found + (docid >>> 3)] &= ~(1 << (docid & 7));
  }
}

const isFormatted = (query: SearchQuery): boolean =>
  Boolean(query.attributesToHighlight?.length || query.attributesToCrop?.length || query.showMatchesPosition);

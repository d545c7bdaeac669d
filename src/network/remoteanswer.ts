// The answer of another server to its part of a federated search: checked, and turned into what local
// indexes give. Called by remotepart.ts.
import type { Static } from "typebox";
import * as Type from "typebox";
import type { FacetCounts } from "../engine/facets/distribution.ts";
import type { Positioned } from "../engine/federation/merge.ts";
import { TarsierError } from "../errors.ts";
import { recordOf } from "../schemas/fields.ts";
import { checker } from "../schemas/validator.ts";
import { elementsIn, membersIn } from "./jsonparts.ts";

/** Hits of other servers come behind equal ones of this one. */
const ORDER = Number.MAX_SAFE_INTEGER;

export interface RemoteHit extends Positioned {
  keys: readonly string[] | null;
  /** As it goes out; most hits of several servers never do. */
  write(): string;
}

export interface RemoteAnswer {
  /** In order. */
  hits: RemoteHit[];
  total: number;
  processingTimeMs: number;
  facetsByIndex: Map<string, FacetCounts[]>;
  /** Of each query, where the server tells it. */
  primaryKeys: (string | null)[];
}

/** @throws TarsierError `proxy_bad_response` */
export function readRemoteAnswer(remote: string, text: string): RemoteAnswer {
  const answer = parsedAnswer(remote, text);
  const written = membersIn(text).findLast(({ name }) => name === "hits");
  const texts = written ? elementsIn(written.value) : [];
  return {
    hits: answer.hits.map((hit, i) => remoteHit(remote, hit, texts[i])),
    total: answer.estimatedTotalHits ?? answer.totalHits ?? 0,
    processingTimeMs: answer.processingTimeMs,
    facetsByIndex: new Map(
      Object.entries(answer.facetsByIndex ?? {}).map(([indexUid, facets]) => [indexUid, countsOf(facets)]),
    ),
    primaryKeys: (answer.metadata ?? []).map(({ primaryKey }) => primaryKey ?? null),
  };
}

const nothingOr = <S extends Type.TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]));

const Sorted = Type.Union([Type.Number(), Type.String(), Type.Null()]);
const ScoreValueSchema = Type.Union([
  Type.Object({ weightedScore: Type.Number() }),
  Type.Object({ vectorSort: Type.Number() }),
  Type.Object({ sort: Type.Object({ asc: Type.Boolean(), value: Sorted }) }),
  Type.Object({
    geoSort: Type.Object({ asc: Type.Boolean(), distance: Type.Union([Type.Number(), Type.Null()]) }),
  }),
]);

const Hit = Type.Object({
  _federation: Type.Object({
    indexUid: Type.String(),
    queriesPosition: Type.Integer(),
    weightedRankingScore: Type.Number(),
    weightedScoreValues: Type.Array(ScoreValueSchema),
    distinctKeys: nothingOr(Type.Array(Type.String())),
  }),
});
type Hit = Static<typeof Hit>;

const Range = Type.Object({ min: Type.Number(), max: Type.Number() });
const Facets = Type.Object({
  distribution: recordOf(recordOf(Type.Integer())),
  stats: nothingOr(recordOf(Range)),
});

const Answer = Type.Object({
  hits: Type.Array(Hit),
  estimatedTotalHits: Type.Optional(Type.Integer()),
  totalHits: Type.Optional(Type.Integer()),
  processingTimeMs: Type.Number(),
  facetsByIndex: nothingOr(recordOf(Facets)),
  metadata: nothingOr(Type.Array(Type.Object({ primaryKey: nothingOr(Type.String()) }))),
});

const checkAnswer = checker(Answer);

function parsedAnswer(remote: string, text: string): Static<typeof Answer> {
  try {
    return checkAnswer(JSON.parse(text));
  } catch (error) {
    const reason = error instanceof TarsierError ? error.message : "this is not valid JSON";
    throw new TarsierError("proxy_bad_response", { remote, reason });
  }
}

function remoteHit(remote: string, { _federation: given }: Hit, text: string): RemoteHit {
  const { indexUid, queriesPosition, weightedRankingScore } = given;
  return {
    ...{ position: queriesPosition, order: ORDER },
    values: given.weightedScoreValues,
    weightedScore: weightedRankingScore,
    keys: given.distinctKeys ?? null,
    write: () => withFederation(text, { indexUid, queriesPosition, weightedRankingScore, remote }),
  };
}

const MEMBER = '"_federation":';

/** What only the merge needs is taken out; where the hit comes from is said. The rest stays as written. */
function withFederation(text: string, federation: object): string {
  const written = JSON.stringify(federation);
  const at = text.lastIndexOf(MEMBER);
  if (isLastMember(text.slice(at))) return `${text.slice(0, at)}${MEMBER}${written}}`;
  const members = membersIn(text).map(({ name, value }) => {
    return `${JSON.stringify(name)}:${name === "_federation" ? written : value}`;
  });
  return `{${members.join()}}`;
}

/** It is, in answers of this program. One that is further inside leaves a bracket too many. */
function isLastMember(end: string): boolean {
  try {
    return Object.keys(JSON.parse(`{${end}`)).length === 1;
  } catch {
    return false;
  }
}

function countsOf({ distribution, stats }: Static<typeof Facets>): FacetCounts[] {
  return Object.entries(distribution).map(([name, counts]) => {
    return {
      name,
      values: Object.entries(counts),
      range: (Object.hasOwn(stats ?? {}, name) && stats?.[name]) || null,
    };
  });
}

// The answer of another server to its part of a federated search: checked, and turned into the form that
// local indexes give. Called by remotepart.ts.
import type { Static } from "typebox";
import * as Type from "typebox";
import type { FacetCounts } from "../engine/facets/distribution.ts";
import { federationText } from "../engine/federation/member.ts";
import type { Positioned } from "../engine/federation/merge.ts";
import { recordOf } from "../schemas/fields.ts";
import { JsonExcess } from "../schemas/slicedjson.ts";
import { checker } from "../schemas/validator.ts";
import { answerJson, refuseMore } from "./answerjson.ts";
import { type CutAnswer, cutAnswer } from "./hitbytes.ts";
import { bracketEnd, elementsIn, membersIn } from "./jsonparts.ts";

/** Puts hits of other servers after equal ones of this one. */
const ORDER = Number.MAX_SAFE_INTEGER;

export interface RemoteHit extends Positioned {
  keys: readonly string[] | null;
  /** The JSON that is sent. Most hits of several servers are never written. */
  write(): Uint8Array;
}

export interface RemoteAnswer {
  /** Best first. */
  hits: RemoteHit[];
  total: number;
  processingTimeMs: number;
  facetsByIndex: Map<string, FacetCounts[]>;
  /** By position of the query. */
  queryVectors: Record<string, number[]>;
  /** By query, where the server states it. */
  primaryKeys: (string | null)[];
}

/** `most`: how many hits were asked for. Throws if the answer is not valid. */
export async function readRemoteAnswer(remote: string, body: Buffer, most: number): Promise<RemoteAnswer> {
  const { answer, written } = await parsedAnswer(body, most);
  return {
    hits: answer.hits.map((hit, i) => remoteHit(remote, hit, written[i])),
    total: answer.estimatedTotalHits ?? answer.totalHits ?? 0,
    processingTimeMs: answer.processingTimeMs,
    facetsByIndex: new Map(
      Object.entries(answer.facetsByIndex ?? {}).map(([indexUid, facets]) => [indexUid, countsOf(facets)]),
    ),
    queryVectors: answer.queryVectors ?? {},
    primaryKeys: (answer.metadata ?? []).map(({ primaryKey }) => primaryKey ?? null),
  };
}

const nothingOr = <S extends Type.TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]));

const Sorted = Type.Union([Type.Number(), Type.String(), Type.Null()]);
export const ScoreValueSchema = Type.Union([
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
    queriesPosition: Type.Integer({ minimum: 0 }),
    weightedRankingScore: Type.Number(),
    weightedScoreValues: Type.Array(ScoreValueSchema),
    distinctKeys: nothingOr(Type.Array(Type.String())),
  }),
});
type Hit = Static<typeof Hit>;

const Range = Type.Object({ min: Type.Number(), max: Type.Number() });
const Facets = Type.Object({
  distribution: recordOf(recordOf(Type.Integer({ minimum: 0 }))),
  stats: nothingOr(recordOf(Range)),
});

const Answer = Type.Object({
  hits: Type.Array(Hit),
  estimatedTotalHits: Type.Optional(Type.Integer({ minimum: 0 })),
  totalHits: Type.Optional(Type.Integer({ minimum: 0 })),
  processingTimeMs: Type.Number({ minimum: 0 }),
  facetsByIndex: nothingOr(recordOf(Facets)),
  queryVectors: nothingOr(recordOf(Type.Array(Type.Number()))),
  metadata: nothingOr(Type.Array(Type.Object({ primaryKey: nothingOr(Type.String()) }))),
});

const checkAnswer = checker(Answer);

interface ParsedAnswer {
  answer: Static<typeof Answer>;
  /** For each hit: a function that writes it with another `_federation`, given as JSON. */
  written: readonly ((federation: string) => Uint8Array)[];
}

async function parsedAnswer(body: Buffer, most: number): Promise<ParsedAnswer> {
  const cut = cutAnswer(body, most);
  return (cut && (await parsedParts(cut))) ?? parsedWhole(body.toString(), most);
}

/**
 * Parses only the end of each hit: this program puts what the merge needs behind the document. Null if
 * something else stands there, such as a field of that name in a formatted document.
 */
async function parsedParts({ hits, rest }: CutAnswer): Promise<ParsedAnswer | null> {
  const starts = hits.map((hit) => hit.lastIndexOf(MEMBER));
  const ends = hits.map((hit, i) => `{${hit.toString("utf8", starts[i])}`);
  // Other programs may write blanks there.
  if (ends.some((end) => end[AFTER_MEMBER] !== "{")) return null;
  const read = await valuesOf(ends);
  if (read === null) return null;
  const written = hits.map((hit, i) => (federation: string) => {
    const after = ends[i].slice(bracketEnd(ends[i], AFTER_MEMBER));
    return Buffer.concat([hit.subarray(0, starts[i]), Buffer.from(`${MEMBER}${federation}${after}`)]);
  });
  return { answer: checkAnswer({ ...((await answerJson(rest)) as object), hits: read }), written };
}

/** Of texts that each should be an object; parsed as one text, so that its bounds are those of all. */
async function valuesOf(texts: readonly string[]): Promise<unknown[] | null> {
  try {
    const values = (await answerJson(`[${texts.join()}]`)) as unknown[];
    return values.length === texts.length ? values : null;
  } catch (error) {
    if (error instanceof JsonExcess) throw error;
    return null;
  }
}

async function parsedWhole(text: string, most: number): Promise<ParsedAnswer> {
  const json = await answerJson(text);
  refuseMore(json, "hits", most);
  const answer = checkAnswer(json);
  const member = membersIn(text).findLast(({ name }) => name === "hits");
  const hits = member ? elementsIn(member.value) : [];
  return { answer, written: hits.map((hit) => (federation) => Buffer.from(withFederation(hit, federation))) };
}

function remoteHit(
  remote: string,
  { _federation: given }: Hit,
  written: (federation: string) => Uint8Array,
): RemoteHit {
  const { indexUid, queriesPosition, weightedRankingScore } = given;
  return {
    position: queriesPosition,
    order: ORDER,
    values: given.weightedScoreValues,
    weightedScore: weightedRankingScore,
    keys: given.distinctKeys ?? null,
    write: () => written(federationText({ indexUid, queriesPosition, weightedRankingScore, remote })),
  };
}

const MEMBER = '"_federation":';
/** In a text that begins with a brace and this member, where the value of the member begins. */
const AFTER_MEMBER = 1 + MEMBER.length;

/** Removes what only the merge needs, and says where the hit comes from. The rest stays as written. */
function withFederation(text: string, federation: string): string {
  const members = membersIn(text).map(({ name, value }) => {
    return `${JSON.stringify(name)}:${name === "_federation" ? federation : value}`;
  });
  return `{${members.join()}}`;
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

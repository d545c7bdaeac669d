// The result of a federated search as JSON bytes: for POST /multi-search, and for a search of one index that
// ran on the whole network. Called by federation.ts and networksearch.ts of src/operations.
import { textWithFloats } from "../core/floattext.ts";
import { facetJson, facetMembers } from "../engine/facets/distribution.ts";
import { type FederatedResult, type Federation, HITS_PER_PAGE_DEFAULT } from "./federation.ts";
import { beginningWith } from "./hitbytes.ts";

interface AnswerFrame {
  federation: Federation;
  requestUid: string;
  hasMetadata: boolean;
  /** When the request began, by performance.now(). */
  began: number;
}

/** Members of an answer that hold floats. */
const FLOATS: ReadonlySet<string> = new Set(["queryVector", "queryVectors"]);
const BEGINNING = Buffer.from('{"hits":[');
const COMMA = Buffer.from(",");

interface FederatedFrame extends AnswerFrame {
  /** Whether the answer tells where its hits lie (hitbytes.ts). */
  hasHitBytes: boolean;
}

export function federatedAnswer(result: FederatedResult, frame: FederatedFrame): Buffer {
  const { remoteErrors, metadata, queryVectors } = result;
  const rest = {
    ...framed(result, frame),
    ...(Object.keys(queryVectors).length > 0 && { queryVectors }),
    ...(frame.hasMetadata && { metadata }),
    ...(remoteErrors && { remoteErrors }),
  };
  return withHits(result, rest, frame.hasHitBytes ? beginningWith(result.hits) : BEGINNING);
}

/** For one query that every server was asked: `q` is echoed, and the metadata is that of this server. */
export function networkAnswer(result: FederatedResult, frame: AnswerFrame, q: string | null): Buffer {
  const { remoteErrors, queryVectors } = result;
  const [metadata] = result.metadata;
  const [queryVector] = Object.values(queryVectors);
  const rest = {
    query: q ?? "",
    ...framed(result, frame),
    ...(queryVector && { queryVector }),
    ...(frame.hasMetadata && { metadata }),
    remoteErrors: remoteErrors ?? {},
  };
  return withHits(result, rest, BEGINNING);
}

function framed(result: FederatedResult, { federation, requestUid, began }: AnswerFrame) {
  const { page, hitsPerPage, limit, offset, showPerformanceDetails } = federation;
  const { total, remoteMs, steps, queueMs } = result;
  const searchMs = performance.now() - began - queueMs;
  const size = hitsPerPage ?? HITS_PER_PAGE_DEFAULT;
  const totalPages = size ? Math.ceil(total / size) : 0;
  const totals =
    page === null && hitsPerPage === null
      ? { limit, offset, estimatedTotalHits: total }
      : { hitsPerPage: size, page: page ?? 1, totalPages, totalHits: total };
  const processingTimeMs = Math.max(Math.round(performance.now() - began), remoteMs);
  const { semanticHitCount } = result;
  return {
    processingTimeMs,
    ...totals,
    requestUid,
    ...(semanticHitCount !== null && { semanticHitCount }),
    ...(showPerformanceDetails && { performanceDetails: steps.told(searchMs, queueMs) }),
  };
}

function withHits(result: FederatedResult, rest: Record<string, unknown>, beginning: Buffer): Buffer {
  const facets = facetsOf(result);
  const more = facets === "" ? "" : `${facets},`;
  const parts = result.hits.flatMap((hit, at) => (at === 0 ? [hit] : [COMMA, hit]));
  const end = Buffer.from(`],${more}${textWithFloats(rest, FLOATS).slice(1)}`);
  return Buffer.concat([beginning, ...parts, end]);
}

/** Written by hand: an object would reorder keys that look like integers. */
function facetsOf({ facets, facetsByIndex }: FederatedResult): string {
  if (facets) return facetMembers(facets);
  if (facetsByIndex.size === 0) return "";
  const indexes = [...facetsByIndex].map(([indexUid, counts]) => {
    const { distribution, stats } = facetJson(counts);
    return `${JSON.stringify(indexUid)}:{"distribution":${distribution},"stats":${stats}}`;
  });
  return `"facetsByIndex":{${indexes.join()}}`;
}

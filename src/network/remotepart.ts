// The queries of a federated search that another server runs: sent in one request, tried again where that may
// help, until the deadline. What goes wrong is an answer, too: the others' hits are shown all the same.
// Called by federatedsearch.ts.
import { TarsierError } from "../errors.ts";
import type { OutboundAnswer, OutboundClient } from "../outbound/client.ts";
import { OutboundFailure } from "../outbound/failure.ts";
import type { Remote } from "../schemas/network.ts";
import { type FederatedQuery, type FederatedSearch, pageOf, wantedOf } from "./federation.ts";
import { HIT_BYTES_HEADER } from "./hitbytes.ts";
import { type RemoteAnswer, readRemoteAnswer } from "./remoteanswer.ts";
import { quoted, remoteUrl } from "./remoterequest.ts";

/** Tells another server that its hits will be merged: it adds what that needs, and asks nobody else. */
export const PROXY_HEADERS = ["svc-proxy-search", "meili-proxy-search"] as const;
const METADATA_HEADERS = ["svc-include-metadata", "meili-include-metadata"] as const;

const TRIES_MAX = 4;
const WAIT_MS_FIRST = 50;
const WAIT_MS_MAX = 200;
const ANSWER_BYTES_MAX = 256 * 2 ** 20;

interface RemoteTarget {
  name: string;
  remote: Remote;
}

interface RemoteCall {
  outbound: OutboundClient;
  /** For all tries together. */
  timeoutMs: number;
  signal: AbortSignal;
}

/** Hits of the queries on that server. Throws a TarsierError of a `proxy_*` code. */
export async function searchRemote(
  { name, remote }: RemoteTarget,
  search: FederatedSearch,
  { outbound, timeoutMs, signal }: RemoteCall,
): Promise<RemoteAnswer> {
  const queries = search.queries.filter((query) => query.remote === name);
  const body = JSON.stringify(bodyOf(search, queries));
  const headers = headersOf(remote, search.hasMetadata);
  const url = remoteUrl(remote, "/multi-search");
  const end = performance.now() + timeoutMs;
  for (let tries = 1; ; tries++) {
    try {
      const leftMs = Math.max(1, Math.ceil(end - performance.now()));
      const options = { timeoutMs: leftMs, answerBytesMax: ANSWER_BYTES_MAX, signal };
      const answer = await outbound.request(url, { method: "POST", headers, body, ...options });
      return readRemoteAnswer(name, bodyOfAnswer(name, remote, answer));
    } catch (error) {
      const refusal = refusalOf(name, error);
      const waitMs = Math.min(WAIT_MS_MAX, WAIT_MS_FIRST * tries);
      const isLate = performance.now() + waitMs >= end;
      if (tries === TRIES_MAX || isLate || !isWorthATry(refusal, error)) throw refusal;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}

function bodyOf(search: FederatedSearch, queries: readonly FederatedQuery[]): unknown {
  const { federation } = search;
  const page = pageOf(federation);
  const wanted = wantedOf(page);
  const uids = new Set(queries.map(({ indexUid }) => indexUid));
  const facets = [...federation.facetsByIndex].filter(([indexUid]) => uids.has(indexUid));
  return {
    queries: queries.map(({ body, weight, position }) => {
      return { ...body(), federationOptions: { weight, remote: null, queryPosition: position } };
    }),
    federation: {
      ...(page.isPaged ? { page: 1, hitsPerPage: wanted } : { offset: 0, limit: wanted }),
      facetsByIndex: Object.fromEntries(facets),
      ...(federation.distinct !== null && { distinct: federation.distinct }),
    },
  };
}

function headersOf({ searchApiKey }: Remote, hasMetadata: boolean): Record<string, string> {
  const marks = [...PROXY_HEADERS, HIT_BYTES_HEADER, ...(hasMetadata ? METADATA_HEADERS : [])];
  return {
    "content-type": "application/json",
    ...(searchApiKey !== null && { authorization: `Bearer ${searchApiKey}` }),
    ...Object.fromEntries(marks.map((name) => [name, "true"])),
  };
}

function bodyOfAnswer(name: string, { searchApiKey }: Remote, { status, body }: OutboundAnswer): Buffer {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (status >= 200 && status < 300) return bytes;
  if (status === 401 || status === 403) throw new TarsierError("proxy_invalid_api_key", { remote: name });
  const reason = `status ${status}: ${quoted(bytes.toString(), searchApiKey)}`;
  throw new TarsierError(status < 500 ? "proxy_bad_request" : "proxy_remote_error", { remote: name, reason });
}

/** Addresses are not told: who searches need not know the network. */
function refusalOf(remote: string, error: unknown): TarsierError {
  if (error instanceof TarsierError) return error;
  if (!(error instanceof OutboundFailure)) throw error;
  if (error.reason === "timeout") return new TarsierError("proxy_timeout", { remote });
  if (error.reason === "size") {
    const reason = `it is longer than ${ANSWER_BYTES_MAX} bytes`;
    return new TarsierError("proxy_bad_response", { remote, reason });
  }
  if (error.reason === "redirect")
    return new TarsierError("proxy_bad_response", { remote, reason: "it is a redirect" });
  const reason =
    error.reason === "address"
      ? "its address is a private one, which the option --experimental-allowed-ip-networks does not allow"
      : "error sending request";
  return new TarsierError("proxy_could_not_send_request", { remote, reason });
}

const WORTH_A_TRY: ReadonlySet<string> = new Set([
  "proxy_could_not_send_request",
  "proxy_remote_error",
  "proxy_bad_response",
]);

/** What will not change in a moment is not tried again. */
function isWorthATry({ code }: TarsierError, error: unknown): boolean {
  if (error instanceof OutboundFailure && error.reason !== "connection") return false;
  return WORTH_A_TRY.has(code);
}

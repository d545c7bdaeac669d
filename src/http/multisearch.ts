// POST /multi-search: several searches in one request, each with an answer of its own, or (with `federation`)
// with one answer whose hits are those of all.
import type { FastifyRequest } from "fastify";
import { TarsierError } from "../errors.ts";
import {
  MultiSearchBody as Body,
  type MultiSearchBody,
  type MultiSearchQuery,
} from "../schemas/multisearch.ts";
import type { App, Services } from "./app.ts";
import { searchAsFederation } from "./federation.ts";
import { isNetworked, type SearchServices } from "./networksearch.ts";
import { newRequestUid } from "./requestuid.ts";
import { runSearch } from "./search.ts";
import { insideQuery, singleSearch } from "./singlesearch.ts";

/** Queries of one request at work at once. */
const QUERIES_RUNNING_MAX = 16;

export function addMultiSearchRoute(app: App, services: Services): void {
  const options = { config: { action: "search" as const }, schema: { body: Body } };
  app.post("/multi-search", options, async (request, reply) => {
    reply.type("application/json");
    const { federation, queries } = request.body;
    if (federation) return searchAsFederation(services, request, { federation, queries });
    return searchEach(services, request, queries);
  });
}

/** Throws what the first query that fails is refused with. */
async function searchEach(
  services: Services,
  request: FastifyRequest,
  queries: MultiSearchBody["queries"],
): Promise<Buffer> {
  const requestUid = newRequestUid();
  const { instance, searches } = services;
  const runAll = (inTurn: SearchServices["inTurn"]) =>
    inParallel(queries, async (query, position) => {
      try {
        return await searchOne({ ...services, inTurn }, request, query, requestUid);
      } catch (error) {
        throw insideQuery(error, position);
      }
    });
  // One turn does for all queries, unless they wait for other servers.
  const isSpread = queries.some(({ useNetwork = null }) => isNetworked(instance, useNetwork));
  const results = isSpread
    ? await runAll((run) => searches.run(run))
    : await searches.run(() => runAll((run) => run()));
  const bodies = results.map((json, i) => {
    const rest = Buffer.from(json.buffer, json.byteOffset + 1, json.byteLength - 1);
    return [Buffer.from(`${i ? "," : ""}{"indexUid":${JSON.stringify(queries[i].indexUid)},`), rest];
  });
  return Buffer.concat([Buffer.from('{"results":['), ...bodies.flat(), Buffer.from("]}")]);
}

async function searchOne(
  services: SearchServices,
  request: FastifyRequest,
  query: MultiSearchQuery,
  requestUid: string,
): Promise<Uint8Array> {
  if (query.federationOptions) {
    throw new TarsierError("invalid_multi_search_federation_options", {
      ...{ place: "Field `.federationOptions`", expected: "it only in a request with `federation`" },
      found: "a request without",
    });
  }
  return runSearch(services, singleSearch(request, query, requestUid));
}

/** Runs in order, a few at once. After a failure no more are begun; that of the first one is thrown. */
async function inParallel<T, R>(items: readonly T[], run: (item: T, at: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const failures = new Map<number, unknown>();
  let next = 0;
  const work = async () => {
    while (next < items.length && failures.size === 0) {
      const at = next++;
      try {
        results[at] = await run(items[at], at);
      } catch (error) {
        failures.set(at, error);
      }
    }
  };
  await Promise.all(Array.from({ length: QUERIES_RUNNING_MAX }, work));
  if (failures.size > 0) throw failures.get(Math.min(...failures.keys()));
  return results;
}

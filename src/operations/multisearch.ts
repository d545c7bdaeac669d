// Several searches in one request: each with an answer of its own. Called by local.ts; federation.ts makes
// one list of them.
import { TarsierError } from "../errors.ts";
import type { MultiSearchBody, MultiSearchQuery } from "../schemas/multisearch.ts";
import { isNetworked } from "./networksearch.ts";
import { newRequestUid } from "./requestuid.ts";
import { runSearch } from "./search.ts";
import type { OperationServices, Requester } from "./services.ts";
import { insideQuery, singleSearch } from "./singlesearch.ts";

/** Queries of one request at work at once. */
const QUERIES_RUNNING_MAX = 16;

/** Throws what the first query that fails is refused with. */
export async function searchEach(
  services: OperationServices,
  requester: Requester,
  queries: MultiSearchBody["queries"],
): Promise<Uint8Array> {
  const requestUid = newRequestUid();
  const { instance, inTurn } = services;
  const runAll = (turn: OperationServices["inTurn"]) =>
    inParallel(queries, async (query, position) => {
      try {
        return await searchOne({ ...services, inTurn: turn }, requester, query, requestUid);
      } catch (error) {
        throw insideQuery(error, position);
      }
    });
  // One turn does for all queries, unless they wait for other servers.
  const isSpread = queries.some(({ useNetwork = null }) => isNetworked(instance, useNetwork));
  const results = isSpread ? await runAll(inTurn) : await inTurn(() => runAll((run) => run()));
  const bodies = results.map((json, i) => {
    const rest = Buffer.from(json.buffer, json.byteOffset + 1, json.byteLength - 1);
    return [Buffer.from(`${i ? "," : ""}{"indexUid":${JSON.stringify(queries[i].indexUid)},`), rest];
  });
  return Buffer.concat([Buffer.from('{"results":['), ...bodies.flat(), Buffer.from("]}")]);
}

async function searchOne(
  services: OperationServices,
  requester: Requester,
  query: MultiSearchQuery,
  requestUid: string,
): Promise<Uint8Array> {
  if (query.federationOptions) {
    throw new TarsierError("invalid_multi_search_federation_options", {
      ...{ place: "Field `.federationOptions`", expected: "it only in a request with `federation`" },
      found: "a request without",
    });
  }
  return runSearch(services, singleSearch(requester, query, requestUid));
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

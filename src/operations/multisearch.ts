// Several searches in one request, each with its own answer. Called by localreads.ts; federation.ts merges
// their hits instead.
import { SharedTurn, type Turn } from "../engine/turn.ts";
import { TarsierError } from "../errors.ts";
import type { MultiSearchBody, MultiSearchQuery } from "../schemas/multisearch.ts";
import { formatSize } from "../sizes.ts";
import { Slices } from "../slices.ts";
import { checkUseNetwork, isNetworked } from "./networksearch.ts";
import { insideQuery, searchesOf } from "./queries.ts";
import { newRequestUid } from "./requestuid.ts";
import { runChecked } from "./search.ts";
import type { OperationServices, Requester } from "./services.ts";

/** How many queries of one request run at once. */
const QUERIES_RUNNING_MAX = 16;
/** Bound for all answers together. */
const ANSWER_BYTES_MAX = 512 * 2 ** 20;

/** Throws the refusal of the first query that fails. */
export async function searchEach(
  services: OperationServices,
  requester: Requester,
  queries: MultiSearchBody["queries"],
): Promise<Uint8Array> {
  const { instance, inTurn } = services;
  const searches = await searchesOf(instance, requester, { queries, requestUid: newRequestUid() });
  let bytes = 0;
  const asked = performance.now();
  const runAll = (turn: OperationServices["inTurn"], queueMs: number) =>
    inParallel(searches, async (search, position) => {
      try {
        refuseFederationOptions(search.given);
        checkUseNetwork(instance, search.query.useNetwork);
        if (search.query.showPerformanceDetails) search.query.queueMs = queueMs;
        const json = await runChecked({ ...services, inTurn: turn }, search);
        bytes += json.length;
        if (bytes > ANSWER_BYTES_MAX) throw tooLong();
        return withIndex(json, search.indexUid);
      } catch (error) {
        throw insideQuery(error, position);
      }
    });
  // One turn is enough for all queries, unless they wait for other servers.
  const isSpread = queries.some(({ useNetwork = null }) => isNetworked(instance, useNetwork));
  const runInTurn = (turn: Turn) => {
    const shared = new SharedTurn(turn);
    return runAll((search) => shared.run(search), performance.now() - asked);
  };
  return joined(await (isSpread ? runAll(inTurn, 0) : inTurn(runInTurn)));
}

function joined(results: readonly Uint8Array[]): Buffer {
  const comma = Buffer.from(",");
  const parts = results.flatMap((json, at) => (at === 0 ? [json] : [comma, json]));
  return Buffer.concat([Buffer.from('{"results":['), ...parts, Buffer.from("]}")]);
}

/** The answer of a search, with the uid of its index put in front. */
function withIndex(json: Uint8Array, indexUid: string): Uint8Array {
  const rest = Buffer.from(json.buffer, json.byteOffset + 1, json.byteLength - 1);
  return Buffer.concat([Buffer.from(`{"indexUid":${JSON.stringify(indexUid)},`), rest]);
}

function tooLong(): TarsierError {
  const limit = formatSize(ANSWER_BYTES_MAX);
  const message = `the answers up to that of this query have more than ${limit}: ask for fewer hits`;
  return new TarsierError("bad_request", { message });
}

function refuseFederationOptions({ federationOptions }: MultiSearchQuery): void {
  if (!federationOptions) return;
  throw new TarsierError("invalid_multi_search_federation_options", {
    place: "Field `.federationOptions`",
    expected: "it only in a request with `federation`",
    found: "a request without",
  });
}

/**
 * Starts the items in order, a few at once. After a failure no more are started; the first failure in order
 * is thrown.
 */
async function inParallel<T, R>(items: readonly T[], run: (item: T, at: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const failures = new Map<number, unknown>();
  const slices = new Slices();
  let next = 0;
  const work = async () => {
    while (next < items.length && failures.size === 0) {
      // Answers from the cache come without a pause, so nothing else has had a turn.
      if (slices.isOver()) await slices.pause();
      if (next === items.length) return;
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

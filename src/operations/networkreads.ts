// Documents that any server of the network may have: a listing, and one by its id. Called by
// documentreads.ts.
import { PAGE_BYTES_MAX, tooLong } from "../engine/listing.ts";
import { parseSort } from "../engine/search/sorting.ts";
import { TarsierError } from "../errors.ts";
import { type ListingServer, listEverywhere } from "../network/documentlists.ts";
import type { RemoteCall } from "../network/remotecall.ts";
import { readList, remoteList } from "../network/remotelist.ts";
import { networkOf, othersOf } from "../network/topology.ts";
import { type DocumentParts, type DocumentsQuery, ID_PATTERN } from "../schemas/documents.ts";
import type { OperationServices } from "./services.ts";

/** The servers stand in the order of their names: whoever is asked, a page is the same. */
export async function listNetworkDocuments(
  services: OperationServices,
  indexUid: string,
  query: DocumentsQuery,
): Promise<Buffer> {
  const { instance, engine, inTurn } = services;
  const { offset, limit, ids, filter, sort, fields, retrieveVectors } = query;
  const isSorted = parseSort(sort, "invalid_document_sort").length > 0;
  const stop = new AbortController();
  const own: ListingServer = {
    name: networkOf(instance).self ?? "",
    list: async (run, isOutline) => {
      const parts = isOutline ? { fields: [], retrieveVectors: false, hasSortValues: isSorted } : {};
      const json = await inTurn(() =>
        engine.documents(instance.handle(indexUid), { ...query, ...parts, ...run }),
      );
      return readList(json, false);
    },
  };
  const body = { ids, filter, sort, fields, retrieveVectors };
  const servers = [own, ...otherLists(services, { indexUid, body }, stop.signal)];
  servers.sort((a, b) => (a.name < b.name ? -1 : 1));
  const page = await listEverywhere(servers, { offset, limit, isSorted }, (error, server) => {
    if (server !== own && error instanceof TarsierError) return error.toObject();
    stop.abort();
    throw error;
  });
  const { results, total, errors } = page;
  const bytes = results.reduce((sum, text) => sum + text.length, 0);
  if (bytes > PAGE_BYTES_MAX) throw tooLong(query);
  const frame = { offset, limit, total, remoteErrors: errors };
  const documents = results.map((text, i) => Buffer.from(i === 0 ? text : `,${text}`));
  const end = Buffer.from(`],${JSON.stringify(frame).slice(1)}`);
  return Buffer.concat([Buffer.from('{"results":['), ...documents, end]);
}

/**
 * JSON of a document that this server lacks, or null.
 * @throws TarsierError of a `proxy_*` code: no server has it, and not all have answered.
 */
export async function findRemoteDocument(
  services: OperationServices,
  { indexUid, documentId }: { indexUid: string; documentId: string },
  parts: DocumentParts,
): Promise<Uint8Array | null> {
  if (!LEGAL_ID.test(documentId)) return null;
  const stop = new AbortController();
  const lists = otherLists(services, { indexUid, body: { ...parts, ids: [documentId] } }, stop.signal);
  const calls = lists.map(async ({ name, list }) => {
    const { results } = await list({ offset: 0, limit: 1 }, false).catch((error) => {
      throw unanswered(name, error);
    });
    if (results.length === 0) throw NOT_HERE;
    return results[0];
  });
  try {
    return Buffer.from(await Promise.any(calls));
  } catch (error) {
    const failure = (error as AggregateError).errors.find((each) => each !== NOT_HERE);
    if (failure) throw failure;
    return null;
  } finally {
    stop.abort();
  }
}

/** Who asks for the document has done nothing wrong, whatever the other server has against this one. */
function unanswered(remote: string, error: unknown): unknown {
  const isRefusal = error instanceof TarsierError && REFUSALS.has(error.code);
  return isRefusal ? new TarsierError("proxy_remote_error", { remote, reason: error.message }) : error;
}

const REFUSALS: ReadonlySet<string> = new Set(["proxy_bad_request", "proxy_invalid_api_key"]);
const LEGAL_ID = new RegExp(ID_PATTERN);
const NOT_HERE = new Error("another server has it, or none");

function otherLists(
  { instance, outbound, remoteTimeoutMs }: OperationServices,
  listing: Parameters<typeof remoteList>[1],
  signal: AbortSignal,
): ListingServer[] {
  const network = networkOf(instance);
  const call: RemoteCall = { outbound, timeoutMs: remoteTimeoutMs, signal };
  return othersOf(network).map((name) => remoteList({ name, remote: network.remotes[name] }, listing, call));
}

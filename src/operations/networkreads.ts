// Documents that any server of the network may hold: a listing, and one document by its id. Called by
// documentreads.ts.
import { PAGE_BYTES_MAX, tooLong } from "../engine/listing.ts";
import { TarsierError } from "../errors.ts";
import { type ListingServer, listEverywhere, OUTLINE } from "../network/documentlists.ts";
import { asked, type RemoteCall } from "../network/remotecall.ts";
import { readOwnList, readRemoteList } from "../network/remotelist.ts";
import { networkOf, targetsOf } from "../network/topology.ts";
import { isDocumentId } from "../schemas/documentid.ts";
import type { DocumentParts, DocumentsQuery } from "../schemas/documents.ts";
import type { OperationServices } from "./services.ts";

/** Servers are sorted by name, so that a page is the same whichever server is asked. */
export async function listNetworkDocuments(
  services: OperationServices,
  indexUid: string,
  query: DocumentsQuery,
): Promise<Buffer> {
  const { instance, engine, inTurn } = services;
  const { offset, limit, ids, filter, sort, fields, retrieveVectors } = query;
  const network = networkOf(instance);
  const isSorted = sort !== null && sort.length > 0;
  const stop = new AbortController();
  const began = performance.now();
  const name = network.self ?? "";
  const own: ListingServer = {
    name,
    list: async (run, isOutline) => {
      const outline = isOutline && { ...OUTLINE, hasSortValues: isSorted };
      const part = { ...query, isPart: true, ...outline, ...run };
      try {
        const json = await inTurn(() => engine.documents(instance.handle(indexUid), part));
        return { name, answer: await readOwnList(json), error: null };
      } catch (error) {
        stop.abort();
        throw error;
      }
    },
  };
  const listing = { indexUid, body: { ids, filter, sort, fields, retrieveVectors } };
  const others = targetsOf(network).map((target): ListingServer => {
    const { name } = target;
    return {
      name,
      list: (...part) => {
        const call = remoteCall(services, stop.signal, performance.now() - began);
        return asked(name, readRemoteList(target, listing, part, call));
      },
    };
  });
  const servers = [own, ...others].sort((a, b) => (a.name < b.name ? -1 : 1));
  const { results, total, errors } = await listEverywhere(servers, { offset, limit, isSorted });
  const characters = results.reduce((sum, text) => sum + text.length, 0);
  if (characters > PAGE_BYTES_MAX) throw tooLong(query);
  const frame = { offset, limit, total, remoteErrors: errors };
  const documents = results.map((text, i) => Buffer.from(i === 0 ? text : `,${text}`));
  const end = Buffer.from(`],${JSON.stringify(frame).slice(1)}`);
  return Buffer.concat([Buffer.from('{"results":['), ...documents, end]);
}

/**
 * JSON of a document that this server lacks, or null if no server has it.
 * @throws TarsierError with a `proxy_*` code when no server has it, but not all of them answered.
 */
export async function findRemoteDocument(
  services: OperationServices,
  { indexUid, documentId }: { indexUid: string; documentId: string },
  parts: DocumentParts,
): Promise<Uint8Array | null> {
  if (!isDocumentId(documentId)) return null;
  const stop = new AbortController();
  const call = remoteCall(services, stop.signal);
  const listing = { indexUid, body: { ...parts, ids: [documentId] } };
  const first = { offset: 0, limit: 1 };
  const calls = targetsOf(networkOf(services.instance)).map(async (target) => {
    const { results } = await readRemoteList(target, listing, [first, false], call).catch((error) => {
      throw unanswered(target.name, error);
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

/** If the other server refuses this one (its key, its request), that is not the fault of the client. */
function unanswered(remote: string, error: unknown): unknown {
  const isRefusal = error instanceof TarsierError && REFUSALS.has(error.code);
  return isRefusal ? new TarsierError("proxy_remote_error", { remote, reason: error.message }) : error;
}

const REFUSALS: ReadonlySet<string> = new Set(["proxy_bad_request", "proxy_invalid_api_key"]);
const NOT_HERE = new Error("another server has it, or none");

/** `pastMs`: time that earlier calls for the same answer have used up. */
function remoteCall(
  { outbound, remoteTimeoutMs }: OperationServices,
  signal: AbortSignal,
  pastMs = 0,
): RemoteCall {
  return { outbound, timeoutMs: Math.max(1, remoteTimeoutMs - pastMs), signal };
}

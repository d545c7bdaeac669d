// Reading documents: a listing, and one by its id. Called by localreads.ts.
import { checkFilterSyntax, filterOf } from "../engine/filter/feature.ts";
import { parseSort } from "../engine/search/sorting.ts";
import { TarsierError } from "../errors.ts";
import type { DocumentPartsAsked } from "../library/operations.ts";
import { documentsQueryOf, type FetchBody, FetchIds } from "../schemas/documents.ts";
import { splitCriteria } from "../schemas/parameters.ts";
import { checker } from "../schemas/validator.ts";
import { isFeatureOn, needFeature } from "./features.ts";
import { checkMover } from "./movers.ts";
import { findRemoteDocument, listNetworkDocuments } from "./networkreads.ts";
import { checkUseNetwork, isNetworked } from "./networksearch.ts";
import type { OperationServices, Requester } from "./services.ts";

export async function listDocuments(
  services: OperationServices,
  requester: Requester,
  indexUid: string,
  body: FetchBody,
): Promise<Uint8Array> {
  const { instance, engine, inTurn } = services;
  const { isForRemote } = requester;
  const { useNetwork = null } = body;
  await checkMover(services, requester);
  checkUseNetwork(instance, useNetwork);
  if (isForRemote) needFeature(instance, "network", "A listing for another server");
  checkIds({ ids: body.ids });
  const criteria = typeof body.sort === "string" ? splitCriteria(body.sort) : (body.sort ?? null);
  parseSort(criteria, "invalid_document_sort");
  const handle = instance.handle(indexUid);
  const query = documentsQueryOf(body, criteria);
  query.filter = filterOf(body.filter, "invalid_document_filter");
  checkFilterSyntax(query.filter, "invalid_document_filter", (feature) => isFeatureOn(instance, feature));
  if (!isForRemote && isNetworked(instance, useNetwork))
    return listNetworkDocuments(services, indexUid, query);
  query.isPart = isForRemote;
  // An outline for a listing over the network (src/network/documentlists.ts): sort values instead of fields.
  query.hasSortValues = isForRemote && query.sort !== null && query.fields?.length === 0;
  return inTurn(() => engine.documents(handle, query));
}

const checkIds = checker(FetchIds);

export async function readDocument(
  services: OperationServices,
  { isForRemote }: Requester,
  { indexUid, documentId }: { indexUid: string; documentId: string },
  { fields, retrieveVectors = false, useNetwork = null }: DocumentPartsAsked,
): Promise<Uint8Array> {
  const { instance, engine } = services;
  checkUseNetwork(instance, useNetwork);
  const parts = { fields: !fields || fields.includes("*") ? null : fields, retrieveVectors };
  let json = await engine.document(instance.handle(indexUid), documentId, parts);
  if (json === null && !isForRemote && isNetworked(instance, useNetwork))
    json = await findRemoteDocument(services, { indexUid, documentId }, parts);
  if (json === null) throw new TarsierError("document_not_found", { documentId });
  return json;
}

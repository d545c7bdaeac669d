// Reading documents: a listing, and one by its id. Called by local.ts.
import { checkFilterSyntax } from "../engine/filter/feature.ts";
import { parseSort } from "../engine/search/sorting.ts";
import { TarsierError } from "../errors.ts";
import type { DocumentPartsAsked } from "../library/operations.ts";
import { documentsQueryOf, type FetchBody } from "../schemas/documents.ts";
import { splitCriteria } from "../schemas/parameters.ts";
import { isFeatureOn, needFeature } from "./features.ts";
import type { OperationServices } from "./services.ts";

export async function listDocuments(
  { instance, engine, inTurn }: OperationServices,
  indexUid: string,
  body: FetchBody,
): Promise<Uint8Array> {
  if (typeof body.useNetwork === "boolean") needFeature(instance, "network", "The parameter `useNetwork`");
  const criteria = typeof body.sort === "string" ? splitCriteria(body.sort) : (body.sort ?? null);
  const query = documentsQueryOf(body, criteria);
  checkFilterSyntax(query.filter, "invalid_document_filter", (feature) => isFeatureOn(instance, feature));
  parseSort(query.sort, "invalid_document_sort");
  return inTurn(() => engine.documents(instance.handle(indexUid), query));
}

export async function readDocument(
  { instance, engine }: OperationServices,
  indexUid: string,
  documentId: string,
  { fields, retrieveVectors = false }: DocumentPartsAsked,
): Promise<Uint8Array> {
  const parts = { fields: !fields || fields.includes("*") ? null : fields, retrieveVectors };
  const json = await engine.document(instance.handle(indexUid), documentId, parts);
  if (json === null) throw new TarsierError("document_not_found", { documentId });
  return json;
}

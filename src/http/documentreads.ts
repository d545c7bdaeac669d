// GET /indexes/{uid}/documents, POST .../documents/fetch and GET .../documents/{id}: reading documents. The
// engine answers with bytes, which are sent as they are.
import type { FastifyReply } from "fastify";
import { checkFilterSyntax } from "../engine/filter/feature.ts";
import { parseSort } from "../engine/search/sorting.ts";
import { TarsierError } from "../errors.ts";
import { documentsCodes, documentsQueryOf, FetchBody } from "../schemas/documents.ts";
import { checker } from "../schemas/validator.ts";
import type { App, Services } from "./app.ts";
import { isFeatureOn, needFeature } from "./features.ts";
import { count, filter, flag, parameter, readParameters, sort, splitCriteria, texts } from "./parameters.ts";
import { indexUidOf } from "./paths.ts";

export function addDocumentReadRoutes(app: App, services: Services): void {
  const { instance, engine } = services;
  const config = { action: "documents.get" as const };
  const url = "/indexes/:indexUid/documents";

  app.get(url, { config }, async (request, reply) => {
    const body = checkBody(readParameters(request.query, listParameters));
    return list(services, reply, indexUidOf(request), body);
  });

  app.post(`${url}/fetch`, { config, schema: { body: FetchBody } }, async (request, reply) => {
    return list(services, reply, indexUidOf(request), request.body);
  });

  app.get(`${url}/:documentId`, { config }, async (request, reply) => {
    const { fields, retrieveVectors = false } = readParameters(request.query, oneParameters);
    const handle = instance.handle(indexUidOf(request));
    const { documentId } = request.params as { documentId: string };
    const parts = { fields: !fields || fields.includes("*") ? null : fields, retrieveVectors };
    const json = await engine.document(handle, documentId, parts);
    if (json === null) throw new TarsierError("document_not_found", { documentId });
    return sendJson(reply, json);
  });
}

const oneParameters = {
  fields: parameter(texts, documentsCodes.fields),
  retrieveVectors: parameter(flag, documentsCodes.retrieveVectors),
};

const listParameters = {
  offset: parameter(count, documentsCodes.offset),
  limit: parameter(count, documentsCodes.limit),
  ...oneParameters,
  ids: parameter(texts, documentsCodes.ids),
  filter: parameter(filter, documentsCodes.filter),
  sort: parameter(sort, documentsCodes.sort),
  useNetwork: parameter(flag, documentsCodes.useNetwork),
};

const checkBody = checker(FetchBody, "parameter");

async function list(
  { instance, engine, searches }: Services,
  reply: FastifyReply,
  indexUid: string,
  body: FetchBody,
) {
  if (typeof body.useNetwork === "boolean") needFeature(instance, "network", "The parameter `useNetwork`");
  const criteria = typeof body.sort === "string" ? splitCriteria(body.sort) : (body.sort ?? null);
  const query = documentsQueryOf(body, criteria);
  checkFilterSyntax(query.filter, "invalid_document_filter", (feature) => isFeatureOn(instance, feature));
  parseSort(query.sort, "invalid_document_sort");
  return sendJson(reply, await searches.run(() => engine.documents(instance.handle(indexUid), query)));
}

function sendJson(reply: FastifyReply, json: Uint8Array): Buffer {
  reply.type("application/json");
  return Buffer.from(json.buffer, json.byteOffset, json.byteLength);
}

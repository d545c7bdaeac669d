// GET /indexes/{uid}/documents, POST .../documents/fetch and GET .../documents/{id}: reading documents. The
// engine answers with bytes, which are sent as they are.
import { documentsCodes, FetchBody, FetchIds } from "../schemas/documents.ts";
import { bound, filter, flag, parameter, readParameters, sort, texts } from "../schemas/parameters.ts";
import { checker } from "../schemas/validator.ts";
import type { App, Services } from "./app.ts";
import { operationsOf, sendJson } from "./operations.ts";
import { indexUidOf } from "./paths.ts";

export function addDocumentReadRoutes(app: App, services: Services): void {
  const config = { action: "documents.get" as const };
  const url = "/indexes/:indexUid/documents";

  app.get(url, { config: { ...config, parameters: listParameters } }, async (request, reply) => {
    const body = checkBody(readParameters(request.query, listParameters));
    const indexUid = indexUidOf(request);
    checkIds({ ids: body.ids });
    return sendJson(reply, await operationsOf(services, request).documents(indexUid, body));
  });

  const fetch = { config: { ...config, ids: "ids" as const }, schema: { body: FetchBody } };
  app.post(`${url}/fetch`, fetch, async (request, reply) => {
    readParameters(request.query, {});
    const operations = operationsOf(services, request);
    return sendJson(reply, await operations.documents(indexUidOf(request), request.body));
  });

  app.get(
    `${url}/:documentId`,
    { config: { ...config, parameters: oneParameters } },
    async (request, reply) => {
      const parts = readParameters(request.query, oneParameters);
      const { documentId } = request.params as { documentId: string };
      const operations = operationsOf(services, request);
      return sendJson(reply, await operations.document(indexUidOf(request), documentId, parts));
    },
  );
}

const oneParameters = {
  fields: parameter(texts, documentsCodes.fields),
  retrieveVectors: parameter(flag, documentsCodes.retrieveVectors),
  useNetwork: parameter(flag, documentsCodes.useNetwork),
};

const listParameters = {
  offset: parameter(bound, documentsCodes.offset),
  limit: parameter(bound, documentsCodes.limit),
  ...oneParameters,
  ids: parameter(texts, documentsCodes.ids),
  filter: parameter(filter, documentsCodes.filter),
  sort: parameter(sort, documentsCodes.sort),
};

const checkBody = checker(FetchBody, "parameter");
const checkIds = checker(FetchIds, "parameter");

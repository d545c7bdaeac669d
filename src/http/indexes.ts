// /indexes and /swap-indexes: the catalog of indexes.
import { IndexBody, IndexPatch, SwapBody } from "../schemas/indexes.ts";
import { FieldsBody } from "../schemas/indexfields.ts";
import { bound, parameter, readParameters } from "../schemas/parameters.ts";
import type { App, Services } from "./app.ts";
import { operationsOf } from "./operations.ts";
import { indexUidOf } from "./paths.ts";

export function addIndexRoutes(app: App, services: Services): void {
  const url = "/indexes/:indexUid";

  app.get("/indexes", { config: { action: "indexes.get", parameters: listParameters } }, async (request) => {
    return operationsOf(services, request).indexes(readParameters(request.query, listParameters));
  });

  app.get(url, { config: { action: "indexes.get" } }, async (request) => {
    return operationsOf(services, request).index(indexUidOf(request));
  });

  const create = { config: { action: "indexes.create" as const }, schema: { body: IndexBody } };
  app.post("/indexes", create, async (request, reply) => {
    reply.code(202);
    return operationsOf(services, request).createIndex(request.body);
  });

  const update = { config: { action: "indexes.update" as const }, schema: { body: IndexPatch } };
  app.patch(url, update, async (request, reply) => {
    reply.code(202);
    return operationsOf(services, request).updateIndex(indexUidOf(request), request.body);
  });

  app.delete(url, { config: { action: "indexes.delete" } }, async (request, reply) => {
    reply.code(202);
    return operationsOf(services, request).deleteIndex(indexUidOf(request));
  });

  const list = { config: { action: "fields.post" as const }, schema: { body: FieldsBody } };
  app.post(`${url}/fields`, list, async (request) => {
    return operationsOf(services, request).fields(indexUidOf(request), request.body);
  });

  app.post(`${url}/compact`, { config: { action: "indexes.compact" } }, async (request, reply) => {
    reply.code(202);
    return operationsOf(services, request).compactIndex(indexUidOf(request));
  });

  const swap = { config: { action: "indexes.swap" as const }, schema: { body: SwapBody } };
  app.post("/swap-indexes", swap, async (request, reply) => {
    reply.code(202);
    return operationsOf(services, request).swapIndexes(request.body);
  });
}

const listParameters = {
  offset: parameter(bound, "invalid_index_offset"),
  limit: parameter(bound, "invalid_index_limit"),
};

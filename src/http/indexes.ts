// /indexes and /swap-indexes: the catalog of indexes.
import { TarsierError } from "../errors.ts";
import { IndexBody, IndexPatch, SwapBody } from "../schemas/indexes.ts";
import { nameList } from "../schemas/phrases.ts";
import type { Swap } from "../tasks/kinds.ts";
import { accessOf } from "./access.ts";
import type { App, Services } from "./app.ts";
import { PAGE_LIMIT_DEFAULT } from "./limits.ts";
import { count, parameter, readParameters } from "./parameters.ts";
import { indexUidOf } from "./paths.ts";
import { sharingOf } from "./sharing.ts";

export function addIndexRoutes(app: App, services: Services): void {
  const { instance } = services;
  app.get("/indexes", { config: { action: "indexes.get" } }, async (request) => {
    const { offset = 0, limit = PAGE_LIMIT_DEFAULT } = readParameters(request.query, listParameters);
    const { results, total } = instance.indexes(offset, limit, accessOf(request).visible);
    return { results, offset, limit, total };
  });

  app.get("/indexes/:indexUid", { config: { action: "indexes.get" } }, async (request) => {
    return instance.index(indexUidOf(request));
  });

  app.post(
    "/indexes",
    { config: { action: "indexes.create" }, schema: { body: IndexBody } },
    async (request, reply) => {
      const { uid, primaryKey = null } = request.body;
      accessOf(request).checkUse(uid, "Field `.uid`: ");
      reply.code(202);
      const write = { method: "POST" as const, path: "/indexes", body: { json: { uid, primaryKey } } };
      return sharingOf(services, request).register(
        { type: "indexCreation", indexUid: uid, primaryKey },
        write,
      );
    },
  );

  const update = { config: { action: "indexes.update" as const }, schema: { body: IndexPatch } };
  app.patch("/indexes/:indexUid", update, async (request, reply) => {
    const { uid = null, primaryKey = null } = request.body;
    if (uid !== null) accessOf(request).checkUse(uid, "Field `.uid`: ");
    reply.code(202);
    const indexUid = indexUidOf(request);
    return sharingOf(services, request).register(
      { type: "indexUpdate", indexUid, primaryKey, newIndexUid: uid },
      { method: "PATCH", path: `/indexes/${indexUid}`, body: { json: request.body } },
    );
  });

  app.delete("/indexes/:indexUid", { config: { action: "indexes.delete" } }, async (request, reply) => {
    reply.code(202);
    const indexUid = indexUidOf(request);
    return sharingOf(services, request).register(
      { type: "indexDeletion", indexUid },
      { method: "DELETE", path: `/indexes/${indexUid}`, body: null },
    );
  });

  app.post(
    "/indexes/:indexUid/compact",
    { config: { action: "indexes.compact" } },
    async (request, reply) => {
      reply.code(202);
      return instance.register({ type: "indexCompaction", indexUid: indexUidOf(request) });
    },
  );

  addSwapRoute(app, services);
}

function addSwapRoute(app: App, services: Services): void {
  app.post(
    "/swap-indexes",
    { config: { action: "indexes.swap" }, schema: { body: SwapBody } },
    async (request, reply) => {
      const swaps = request.body.map(({ indexes, rename = false }): Swap => {
        return { indexes: indexes as [string, string], rename };
      });
      const access = accessOf(request);
      for (const [at, { indexes }] of swaps.entries())
        for (const uid of indexes) access.checkUse(uid, `Field \`[${at}].indexes\`: `);
      checkDistinct(swaps.flatMap((swap) => swap.indexes));
      reply.code(202);
      return sharingOf(services, request).register(
        { type: "indexSwap", swaps },
        { method: "POST", path: "/swap-indexes", body: { json: request.body } },
      );
    },
  );
}

const listParameters = {
  offset: parameter(count, "invalid_index_offset"),
  limit: parameter(count, "invalid_index_limit"),
};

function checkDistinct(uids: string[]): void {
  const repeated = uids.filter((uid, at) => uids.indexOf(uid) !== at);
  if (repeated.length === 0) return;
  const found = `${nameList([...new Set(repeated)])} ${repeated.length === 1 ? "is" : "are"}`;
  throw new TarsierError("invalid_swap_duplicate_index_found", { found });
}

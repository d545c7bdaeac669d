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

export function addIndexRoutes(app: App, { instance }: Services): void {
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
      return instance.register({ type: "indexCreation", indexUid: uid, primaryKey });
    },
  );

  const update = { config: { action: "indexes.update" as const }, schema: { body: IndexPatch } };
  app.patch("/indexes/:indexUid", update, async (request, reply) => {
    const { uid = null, primaryKey = null } = request.body;
    if (uid !== null) accessOf(request).checkUse(uid, "Field `.uid`: ");
    reply.code(202);
    return instance.register({
      type: "indexUpdate",
      indexUid: indexUidOf(request),
      primaryKey,
      newIndexUid: uid,
    });
  });

  app.delete("/indexes/:indexUid", { config: { action: "indexes.delete" } }, async (request, reply) => {
    reply.code(202);
    return instance.register({ type: "indexDeletion", indexUid: indexUidOf(request) });
  });

  app.post(
    "/indexes/:indexUid/compact",
    { config: { action: "indexes.compact" } },
    async (request, reply) => {
      reply.code(202);
      return instance.register({ type: "indexCompaction", indexUid: indexUidOf(request) });
    },
  );

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
      return instance.register({ type: "indexSwap", swaps });
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

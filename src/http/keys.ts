// /keys: the API keys, managed only with the master key (access.ts checks that).
import type { FastifyRequest } from "fastify";
import { TarsierError } from "../errors.ts";
import { isGlobal } from "../schemas/actions.ts";
import { KeyBody, KeyPatch } from "../schemas/keys.ts";
import { bound, PAGE_LIMIT_DEFAULT, parameter, readParameters } from "../schemas/parameters.ts";
import type { App, Services } from "./app.ts";
import type { KeyStore } from "./keystore.ts";

export function addKeyRoutes(app: App, services: Services): void {
  // Without a master key no request reaches a handler of these routes.
  const keys = services.keys as KeyStore;
  const one = "/keys/:uidOrValue";

  app.get("/keys", { config: { action: "keys.get", parameters: listParameters } }, async (request) => {
    const { offset = 0, limit = PAGE_LIMIT_DEFAULT } = readParameters(request.query, listParameters);
    const { results, total } = keys.list(offset, limit);
    return { results, offset, limit, total };
  });

  app.get(one, { config: { action: "keys.get" } }, async (request) => keys.get(uidOrValueOf(request)));

  app.post(
    "/keys",
    { config: { action: "keys.create" }, schema: { body: KeyBody } },
    async (request, reply) => {
      checkScope(request.body);
      const key = await keys.create(request.body);
      reply.code(201);
      return key;
    },
  );

  const update = { config: { action: "keys.update" as const }, schema: { body: KeyPatch } };
  app.patch(one, update, async (request) => keys.update(uidOrValueOf(request), request.body));

  app.delete(one, { config: { action: "keys.delete" } }, async (request, reply) => {
    await keys.remove(uidOrValueOf(request));
    return reply.code(204).send();
  });
}

const listParameters = {
  offset: parameter(bound, "invalid_api_key_offset"),
  limit: parameter(bound, "invalid_api_key_limit"),
};

function uidOrValueOf(request: FastifyRequest): string {
  return (request.params as { uidOrValue: string }).uidOrValue;
}

/** Actions on the whole server cannot be limited to some indexes. */
function checkScope({ indexes, actions }: KeyBody): void {
  if (indexes.length === 0 || indexes.includes("*")) return;
  const at = actions.findIndex(isGlobal);
  if (at < 0) return;
  const place = `Field \`.actions[${at}]\``;
  throw new TarsierError("index_scoped_api_key_with_global_action", { place, action: actions[at] });
}

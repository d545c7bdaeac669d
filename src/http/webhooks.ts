// /webhooks: who is notified of finished tasks.
import type { FastifyRequest } from "fastify";
import { maskSecret } from "../engine/secrets.ts";
import { TarsierError } from "../errors.ts";
import { uuidOf } from "../schemas/keys.ts";
import { WebhookBody } from "../schemas/webhooks.ts";
import type { Webhook } from "../tasks/webhooks.ts";
import type { App, Services } from "./app.ts";

export function addWebhookRoutes(app: App, { webhooks }: Services): void {
  const one = "/webhooks/:uuid";

  app.get("/webhooks", { config: { action: "webhooks.get" } }, async () => {
    return { results: webhooks.list().map(viewOf) };
  });

  app.get(one, { config: { action: "webhooks.get" } }, async (request) => {
    return viewOf(webhooks.get(pathUuid(request)));
  });

  const create = { config: { action: "webhooks.create" as const }, schema: { body: WebhookBody } };
  app.post("/webhooks", create, async ({ body: { url, headers } }) => {
    return viewOf(await webhooks.create(url ?? "", headers ?? {}));
  });

  const update = { config: { action: "webhooks.update" as const }, schema: { body: WebhookBody } };
  app.patch(one, update, async (request) => {
    const { url, headers } = request.body;
    return viewOf(await webhooks.update(pathUuid(request), url, headers));
  });

  app.delete(one, { config: { action: "webhooks.delete" } }, async (request, reply) => {
    await webhooks.delete(pathUuid(request));
    return reply.code(204).send();
  });
}

function pathUuid(request: FastifyRequest): string {
  const { uuid: found } = request.params as { uuid: string };
  const uuid = uuidOf(found);
  if (uuid !== null) return uuid;
  const parameters = { place: "The path", expected: "a UUID", found: `\`${found}\`` };
  throw new TarsierError("invalid_webhook_uuid", parameters);
}

/** Headers that authorize are shown only in part. */
function viewOf({ uuid, isEditable, url, headers }: Webhook) {
  const shown = Object.entries(headers).map(([name, value]) => {
    return [name, name.toLowerCase() === "authorization" ? masked(value) : value];
  });
  return { uuid, isEditable, url, headers: Object.fromEntries(shown) };
}

function masked(authorization: string): string {
  const scheme = /^Bearer /.exec(authorization)?.[0] ?? "";
  return scheme + maskSecret(authorization.slice(scheme.length));
}

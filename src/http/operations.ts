// Leads from a request to the operations on behalf of its sender, and from their bytes to the answer. Called
// by the routes.
import type { FastifyReply, FastifyRequest } from "fastify";
import { HIT_BYTES_HEADER } from "../network/hitbytes.ts";
import { PROXY_HEADERS } from "../network/remotepart.ts";
import { ORIGIN_HEADER } from "../network/sharedwrites.ts";
import { LocalOperations } from "../operations/local.ts";
import type { OperationServices } from "../operations/services.ts";
import { accessOf } from "./access.ts";
import type { Services } from "./app.ts";

export function operationsOf(services: Services, request: FastifyRequest): LocalOperations {
  const { headers, socket } = request.raw;
  const origin = headers[ORIGIN_HEADER];
  const inTurn: OperationServices["inTurn"] = (search) =>
    services.searches.run(search, () => socket.destroyed);
  return new LocalOperations(
    { ...services, inTurn },
    {
      access: accessOf(request),
      wantsMetadata: wantsMetadata(request),
      isForRemote: PROXY_HEADERS.some((name) => headers[name] === "true"),
      wantsHitBytes: headers[HIT_BYTES_HEADER] === "true",
      writeOrigin: typeof origin === "string" ? origin : null,
      place: null,
    },
  );
}

/** Sends JSON that the engine made, unchanged. */
export function sendJson(reply: FastifyReply, json: Uint8Array): Buffer {
  reply.type("application/json");
  return Buffer.from(json.buffer, json.byteOffset, json.byteLength);
}

/**
 * Whether the answer shall have `metadata`: by the header of the specification, or that of existing clients.
 */
function wantsMetadata({ headers }: FastifyRequest): boolean {
  const value = headers["svc-include-metadata"] ?? headers["meili-include-metadata"];
  return typeof value === "string" && /^(true|1)$/i.test(value);
}

// The access log: one line per answered request, at level info. There are many, so they are made here,
// without the logger. Called by server.ts.
//
//   2026-11-21T20:55:00.000Z INFO http: request method="GET" path="/a" status=200 bytes=2 ms=0.3 id="b-7"
import type { FastifyReply, FastifyRequest } from "fastify";
import type { App } from "./app.ts";
import { shownUrl } from "./failures.ts";
import type { LogOutput } from "./logoutput.ts";
import { LEVELS } from "./logtarget.ts";

const PART = "http";
const ID_HEADER = "x-request-id";
const ID = /^[\w.:-]{1,64}$/;
/** Distinguishes the requests of this process from those of its last run. */
const RUN = Date.now().toString(36);
let requests = 0;

/** The id that a proxy gave the request, if it is fit to be shown, else one of our own. */
export function requestIdOf({ headers }: { headers: Record<string, string | string[] | undefined> }): string {
  const given = headers[ID_HEADER];
  return typeof given === "string" && ID.test(given) ? given : `${RUN}-${(++requests).toString(36)}`;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Bytes that its connection had sent before the request. */
    bytesBefore: number;
  }
}

export function logRequests(app: App, logs: LogOutput): void {
  app.decorateRequest("bytesBefore", 0);
  app.addHook("onRequest", (request, _reply, done) => {
    request.bytesBefore = request.raw.socket.bytesWritten;
    done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    if (logs.wants(LEVELS.info, PART))
      logs.writeQuick(LEVELS.info, PART, "request", fieldsOf(request, reply));
    done();
  });
}

function fieldsOf(request: FastifyRequest, reply: FastifyReply): Record<string, string | number> {
  const { method, id } = request;
  return {
    method,
    path: shownUrl(pathOf(request.originalUrl)),
    status: reply.statusCode,
    bytes: bytesOf(request, reply),
    ms: Math.round(reply.elapsedTime * 100) / 100,
    id,
  };
}

/** The path only: the rest may hold queries of users, and secrets. */
function pathOf(url: string): string {
  const at = url.indexOf("?");
  return at < 0 ? url : url.slice(0, at);
}

/** Bytes of the body; if its length was not known beforehand, all that the connection has sent since. */
function bytesOf({ raw, bytesBefore }: FastifyRequest, reply: FastifyReply): number {
  const length = reply.getHeader("content-length");
  if (length !== undefined) return Number(length);
  // Some runtimes do not count them.
  return reply.raw.chunkedEncoding ? raw.socket.bytesWritten - bytesBefore || 0 : 0;
}

// Every answer other than the one asked for: errors thrown by hooks and handlers, refusals of fastify itself,
// and unknown paths. Known paths with the wrong method are in othermethods.ts.
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { ThreadEnded } from "../engine/remote.ts";
import { type ErrorObject, TarsierError } from "../errors.ts";
import { nameList } from "../schemas/phrases.ts";
import { formatSize } from "../sizes.ts";
import type { App } from "./app.ts";
import { RETRY_AFTER_SECONDS } from "./limits.ts";

/** Takes failures that are our fault: the answer alone would hide where they came from. */
interface FailureLog {
  error(details: object, message: string): void;
}

export function handleFailures(app: App, payloadLimitBytes: number, log: FailureLog): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const refusal = refusalOf(error, request, payloadLimitBytes);
    if (refusal.status === 500)
      log.error(
        { err: error, method: request.method, url: shownUrl(request.url), id: request.id },
        refusal.message,
      );
    sendError(reply, refusal);
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send());
}

const URL_CHARACTERS_SHOWN = 200;
/**
 * The value of a key: what follows `/keys/`, and elsewhere anything of the form of a value, or of a mistyped
 * one. The look-ahead comes first, or each of many slashes would look back over all others.
 */
const KEY_VALUES = /(?=[^/?])(?<=\/keys\/+)[^/?]+|[\da-f]{40,}/gi;

/** No shorter URL holds one, unless it has the path of that route. */
const KEY_VALUE_LEN_MIN = 40;
const KEYS_ROUTE = /\/keys\//i;

/** A URL as logs and messages may show it: without possible values of keys, and shortened. */
export function shownUrl(url: string): string {
  if (url.length < KEY_VALUE_LEN_MIN && !KEYS_ROUTE.test(url)) return url;
  return url.replace(KEY_VALUES, "KEY").slice(0, URL_CHARACTERS_SHOWN);
}

/** For paths with a part that is too long. fastify refuses nothing else by itself; these reach no route. */
export function handleLongPath(_error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const message = `The path of the URL has a part that is too long: \`${shownUrl(request.originalUrl)}\``;
  sendError(reply, new TarsierError("bad_request", { message }));
}

function sendError(reply: FastifyReply, error: TarsierError): void {
  if (error.status === 503) reply.header("retry-after", String(RETRY_AFTER_SECONDS));
  const body: ErrorObject = error.toObject();
  reply.code(error.status).type("application/json").send(JSON.stringify(body));
}

function refusalOf(error: FastifyError, request: FastifyRequest, payloadLimitBytes: number): TarsierError {
  if (error instanceof TarsierError) return error;
  if (error.code === "FST_ERR_CTP_BODY_TOO_LARGE") {
    return new TarsierError("payload_too_large", { limit: formatSize(payloadLimitBytes) });
  }
  if (error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") {
    return invalidContentType(request, DOCUMENT_TYPES);
  }
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return new TarsierError("bad_request", { message: `The request cannot be read: ${error.message}` });
  }
  // For calls that still wait when the engine closes.
  if (error instanceof ThreadEnded && error.isFinal) return new TarsierError("server_closing");
  return unexpected(error);
}

function unexpected(error: Error): TarsierError {
  return new TarsierError("internal", { message: `An internal error has occurred: ${error.message}` });
}

/** The content types of documents. */
export const DOCUMENT_TYPES = ["application/json", "application/x-ndjson", "text/csv"];

export function invalidContentType(request: FastifyRequest, accepted: readonly string[]): TarsierError {
  const found = request.headers["content-type"] ?? "";
  return new TarsierError("invalid_content_type", { found, accepted: nameList(accepted) });
}

export function missingContentType(accepted: readonly string[]): TarsierError {
  return new TarsierError("missing_content_type", { accepted: nameList(accepted) });
}

/** `place` precedes the message, `detail` follows it. */
export function invalidApiKey(detail = ": it is unknown", place = ""): TarsierError {
  return new TarsierError("invalid_api_key", { place, detail });
}

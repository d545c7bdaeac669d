// How bodies are read. A route with a body schema takes JSON; the document routes take a stream in one of
// three formats (documents.ts). Bodies of the other routes are read and forgotten.
//
//   socket -> decompression -> JSON routes:     text, at most the payload limit -> JSON.parse -> schema
//                           -> document routes: stream, counted by its reader
import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { FastifyRequest, FastifySchemaCompiler, RequestPayload, RouteOptions } from "fastify";
import type { TSchema } from "typebox";
import { TarsierError } from "../errors.ts";
import { validator } from "../schemas/validator.ts";
import type { App } from "./app.ts";
import type { BodyBudget } from "./bodybudget.ts";
import { invalidContentType, missingContentType } from "./failures.ts";

/** Sets up the reading of bodies for every route that is registered afterwards. */
export function readBodies(app: App, budget: BodyBudget): void {
  app.addHook("preParsing", decompress);
  app.addHook("preParsing", (request, reply, payload, done) => {
    // Documents are streamed.
    const isStreamed = request.routeOptions.config.action === "documents.add";
    done(null, isStreamed ? payload : budget.counted(request, reply, payload));
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, text, done) => done(null, text));
  app.addHook("onRoute", (route) => {
    if (!route.schema?.body) return;
    route.preParsing = hooksBefore(checkJsonType, route.preParsing);
    route.preValidation = hooksBefore(parseJson, route.preValidation);
  });
}

/** The check of a route's bodies, as fastify wants to have it. */
export const checkBody: FastifySchemaCompiler<unknown> = ({ schema }) => {
  const faultOf = validator(schema as TSchema);
  return (value: unknown) => {
    const fault = faultOf(value);
    return fault ? { error: fault } : { value };
  };
};

/** The body of a route without a body schema, whose body may be missing at times. */
export function jsonBody(request: FastifyRequest): unknown {
  refuseOtherTypes(request);
  return parsedBody(request);
}

/** The media type of a request in lower case, without parameters; null when there is no header. */
export function mediaType(request: FastifyRequest): string | null {
  return request.headers["content-type"]?.split(";", 1)[0].trim().toLowerCase() ?? null;
}

/** Containers inside each other in the body of a JSON route; documents have a bound of their own. */
const JSON_DEPTH_MAX = 512;

const DECOMPRESSORS = new Map<string | undefined, () => Transform>([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

type PreParsing = (
  request: FastifyRequest,
  reply: unknown,
  payload: RequestPayload,
  done: (error?: Error | null, payload?: RequestPayload) => void,
) => void;

/** An unknown coding is taken as none: the body then fails to parse. */
const decompress: PreParsing = (request, _reply, payload, done) => {
  const coding = request.headers["content-encoding"]?.trim().toLowerCase();
  const create = DECOMPRESSORS.get(coding);
  if (create === undefined) {
    done(null, payload);
    return;
  }
  // fastify compares this count, not that of the decompressed bytes, with the announced length.
  const decompressor = Object.assign(create(), { receivedEncodedLength: 0 });
  payload.on("data", (chunk: Buffer) => {
    decompressor.receivedEncodedLength += chunk.length;
  });
  payload.on("error", (error) => decompressor.destroy(error));
  // A body may turn out to be broken after the request was refused for something else: nobody reads it then.
  decompressor.on("error", () => {});
  delete request.headers["content-length"];
  done(null, payload.pipe(decompressor));
};

const JSON_TYPES = ["application/json"];
const JSON_TYPE_PATTERN = /^[^/\s]+\/([^/\s]+\+)?json$/;

const checkJsonType: PreParsing = (request, _reply, payload, done) => {
  refuseOtherTypes(request);
  done(null, payload);
};

function refuseOtherTypes(request: FastifyRequest): void {
  const type = mediaType(request);
  if (type === null) throw missingContentType(JSON_TYPES);
  if (!JSON_TYPE_PATTERN.test(type)) throw invalidContentType(request, JSON_TYPES);
}

/** Here and not in the content type parser, whose errors make fastify close the connection. */
function parseJson(request: FastifyRequest, _reply: unknown, done: () => void): void {
  request.body = parsedBody(request);
  done();
}

function parsedBody(request: FastifyRequest): unknown {
  const text = request.body as string | undefined;
  if (!text) throw new TarsierError("missing_payload", { format: "json" });
  return parsed(text);
}

function parsed(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformedJson(text);
  }
  if (isDeeper(value, JSON_DEPTH_MAX)) {
    const problem = `values are nested deeper than ${JSON_DEPTH_MAX} levels`;
    throw new TarsierError("malformed_payload", { format: "json", place: "its body", problem });
  }
  return value;
}

/** Does a value nest deeper than so many levels? Level by level, so that no depth can exhaust the stack. */
function isDeeper(value: unknown, levels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true;
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item !== "object" || item === null) continue;
      for (const inner of Object.values(item))
        if (typeof inner === "object" && inner !== null) next.push(inner);
    }
    level = next;
  }
  return false;
}

/** The texts of JSON.parse differ between runtimes: only the place is told, where they give one. */
function malformedJson(text: string): TarsierError {
  const place = text.trim() === "" ? "its start" : `\`${text.trim().slice(0, 50)}\``;
  return new TarsierError("malformed_payload", { format: "json", place, problem: "this is not valid JSON" });
}

function hooksBefore<Hook>(
  first: Hook,
  others: RouteOptions["preParsing"] | RouteOptions["preValidation"],
): never {
  return [first, others ?? []].flat() as never;
}

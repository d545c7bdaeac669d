// How bodies are read. A route with a body schema takes JSON; the document routes take a stream in one of
// three formats (documents.ts). Bodies of all other routes are read and dropped.
//
//   socket -> decompression -> JSON routes:     text, at most the payload limit -> JSON -> schema
//                           -> document routes: stream, counted by its reader
import { isUtf8 } from "node:buffer";
import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type {
  FastifyRequest,
  FastifySchemaCompiler,
  onRequestHookHandler,
  RequestPayload,
  RouteOptions,
} from "fastify";
import type { TSchema } from "typebox";
import type { IdPlace } from "../schemas/exactids.ts";
import { validator } from "../schemas/validator.ts";
import type { App } from "./app.ts";
import { announcesLittle, type BodyBudget } from "./bodybudget.ts";
import { BodyJson, isShort, NO_TEXT, readShort } from "./bodyjson.ts";
import { invalidContentType, missingContentType } from "./failures.ts";

/** Sets up the reading of bodies for every route registered afterwards; returns the reader of JSON. */
export function readBodies(app: App, budget: BodyBudget): BodyJson {
  const json = new BodyJson(budget);
  app.addHook("preParsing", decompress);
  app.addHook("preParsing", (request, reply, payload, done) => {
    // The length first: reading the options of the route makes fastify build a new object each time.
    const isOpen = announcesLittle(request) || request.routeOptions.config.takesDocuments === true;
    done(null, isOpen ? payload : budget.counted(request, reply, payload));
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, bytes, done) => {
    done(null, textOf(bytes as Buffer));
  });
  // Not in the content type parser: on its errors, fastify closes the connection.
  const parserOf =
    (ids?: IdPlace) => (request: FastifyRequest, _reply: unknown, done: (error?: Error) => void) => {
      const take = (body: unknown) => {
        request.body = body;
        done();
      };
      if (isShort(request)) take(readShort(request, ids));
      else json.read(request, ids).then(take).catch(done);
    };
  app.addHook("onRoute", (route) => {
    if (!route.schema?.body) {
      if (!readsItself(route)) route.onRequest = hooksBefore(forgetBody, route.onRequest);
      return;
    }
    route.preParsing = hooksBefore(checkJsonType, route.preParsing);
    const parseJson = parserOf(route.config?.ids);
    route.preValidation = hooksBefore(parseJson, route.preValidation);
  });
  return json;
}

/** Whether the handler reads the body, which no schema describes. */
function readsItself({ config }: RouteOptions): boolean {
  return config?.takesDocuments === true || config?.optionalBody !== undefined;
}

/**
 * What is dropped needs neither a type that is one nor a coding that holds: without these headers nobody
 * looks for either.
 */
const forgetBody: onRequestHookHandler = ({ headers }, _reply, done) => {
  delete headers["content-type"];
  delete headers["content-encoding"];
  done();
};

function textOf(bytes: Buffer): string {
  const text = bytes.toString();
  return text.includes(NO_TEXT) && !isUtf8(bytes) ? NO_TEXT : text;
}

/** The check of a route's bodies, in the form that fastify expects. */
export const checkBody: FastifySchemaCompiler<unknown> = ({ schema }) => {
  const faultOf = validator(schema as TSchema);
  return (value: unknown) => {
    const fault = faultOf(value);
    return fault ? { error: fault } : { value };
  };
};

/** The media type of a request in lower case, without parameters; null when there is no header. */
export function mediaType(request: FastifyRequest): string | null {
  return request.headers["content-type"]?.split(";", 1)[0].trim().toLowerCase() ?? null;
}

const DECOMPRESSORS = new Map<string, () => Transform>([
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

/** An unknown coding counts as none: the body then fails to parse. */
const decompress: PreParsing = (request, _reply, payload, done) => {
  const coding = request.headers["content-encoding"];
  const create = coding === undefined ? undefined : DECOMPRESSORS.get(coding.trim().toLowerCase());
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
  // The rest of a broken body is read and dropped. If the request was refused for another reason before,
  // nobody else listens for this error.
  decompressor.on("error", () => payload.resume());
  delete request.headers["content-length"];
  done(null, payload.pipe(decompressor));
};

const JSON_TYPES = ["application/json"];
const JSON_TYPE_PATTERN = /^[^/\s]+\/([^/\s]+\+)?json$/;

const checkJsonType: PreParsing = (request, _reply, payload, done) => {
  refuseOtherTypes(request);
  done(null, payload);
};

/** @throws TarsierError for a body that is not announced as JSON */
export function refuseOtherTypes(request: FastifyRequest): void {
  // The spelling of nearly every client, checked first.
  if (request.headers["content-type"] === JSON_TYPES[0]) return;
  const type = mediaType(request);
  if (type === null) throw missingContentType(JSON_TYPES);
  if (!JSON_TYPE_PATTERN.test(type)) throw invalidContentType(request, JSON_TYPES);
}

function hooksBefore<Hook>(
  first: Hook,
  others: RouteOptions["onRequest"] | RouteOptions["preParsing"] | RouteOptions["preValidation"],
): never {
  return [first, others ?? []].flat() as never;
}

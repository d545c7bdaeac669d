// /indexes/{uid}/documents: adding, changing, deleting. Every write is a task; the documents of an addition
// are streamed into a payload file first. Reading is in documentreads.ts.
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { TarsierError } from "../errors.ts";
import type { Deletion } from "../library/operations.ts";
import { DeleteBatchBody, DeleteByFilterBody } from "../schemas/documents.ts";
import { type ParameterKind, parameter, readParameters, text } from "../schemas/parameters.ts";
import { formatSize } from "../sizes.ts";
import type { App, Services } from "./app.ts";
import { mediaType } from "./bodies.ts";
import { DOCUMENT_TYPES, invalidContentType, missingContentType } from "./failures.ts";
import { operationsOf } from "./operations.ts";
import { indexUidOf } from "./paths.ts";

type Format = "json" | "ndjson" | "csv";

export function addDocumentRoutes(app: App, services: Services): void {
  const url = "/indexes/:indexUid/documents";
  const config = { action: "documents.delete" as const, parameters: writeParameters };

  app.register(async (streams) => addAdditionRoutes(streams as App, services, url));

  app.delete(url, { config }, async (request, reply) => {
    return remove(services, request, reply, { by: "all" });
  });

  app.delete(`${url}/:documentId`, { config }, async (request, reply) => {
    const { documentId } = request.params as { documentId: string };
    return remove(services, request, reply, { by: "ids", ids: [documentId] });
  });

  const batch = { config: { ...config, ids: "elements" as const }, schema: { body: DeleteBatchBody } };
  app.post(`${url}/delete-batch`, batch, async (request, reply) => {
    const ids = request.body.map((id) => (typeof id === "string" ? id : JSON.stringify(id)));
    return remove(services, request, reply, { by: "ids", ids });
  });

  app.post(`${url}/delete`, { config, schema: { body: DeleteByFilterBody } }, async (request, reply) => {
    return remove(services, request, reply, { by: "filter", filter: request.body.filter });
  });
}

/** POST replaces documents, PUT updates their fields. These routes get the body as a stream. */
function addAdditionRoutes(app: App, services: Services, url: string): void {
  app.removeAllContentTypeParsers();
  // fastify finds types by name fastest; the `*` is needed for others to reach their refusal.
  for (const type of [...DOCUMENT_TYPES, "*"])
    app.addContentTypeParser(type, (_request, payload, done) => done(null, payload));
  const config = { action: "documents.add" as const, parameters: additionParameters, takesDocuments: true };
  app.post(url, { config }, async (request, reply) => add(services, request, reply, "replace"));
  app.put(url, { config }, async (request, reply) => add(services, request, reply, "update"));
}

const FORMATS: Record<string, Format> = {
  "application/json": "json",
  "application/x-ndjson": "ndjson",
  "text/csv": "csv",
};

const delimiter: ParameterKind<string> = {
  expected: "one ASCII character",
  shown: { type: "string", minLength: 1, maxLength: 1 },
  read: (raw, refuse) => (/^[\0-\x7f]$/.test(raw) ? raw : refuse()),
};

const flagInAnyCase: ParameterKind<boolean> = {
  expected: "`true` or `false`",
  shown: { type: "boolean" },
  read: (raw, refuse) => (/^true$/i.test(raw) ? true : /^false$/i.test(raw) ? false : refuse()),
};

const writeParameters = { customMetadata: parameter(text, "invalid_index_custom_metadata") };

const additionParameters = {
  primaryKey: parameter(text, "invalid_index_primary_key"),
  csvDelimiter: parameter(delimiter, "invalid_document_csv_delimiter"),
  skipCreation: parameter(flagInAnyCase, "invalid_skip_creation"),
  ...writeParameters,
};

async function add(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  method: "replace" | "update",
): Promise<unknown> {
  const parameters = readParameters(request.query, additionParameters);
  const indexUid = indexUidOf(request);
  const format = formatOf(request, parameters.csvDelimiter);
  refuseAnnouncedLength(services, request);
  const body = (request.body as Readable | undefined) ?? Readable.from([]);
  const addition = { ...parameters, format, method };
  const task = await operationsOf(services, request).addDocuments(indexUid, body, addition);
  reply.code(202);
  return task;
}

function formatOf(request: FastifyRequest, csvDelimiter: string | undefined): Format {
  const type = mediaType(request);
  if (type === null) throw missingContentType(DOCUMENT_TYPES);
  const format = FORMATS[type];
  if (format === undefined) throw invalidContentType(request, DOCUMENT_TYPES);
  if (csvDelimiter !== undefined && format !== "csv") {
    const message = `The content type \`${type}\` has no delimiter: \`csvDelimiter\` goes with \`text/csv\``;
    throw new TarsierError("invalid_content_type", { message });
  }
  return format;
}

/** Refuses a body whose announced length is above the limit before a byte of it is read. */
function refuseAnnouncedLength({ options }: Services, request: FastifyRequest): void {
  const limitBytes = options.httpPayloadSizeLimit;
  const announcedBytes = Number(request.headers["content-length"] ?? 0);
  if (announcedBytes > limitBytes)
    throw new TarsierError("payload_too_large", { limit: formatSize(limitBytes) });
}

async function remove(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  deletion: Deletion,
): Promise<unknown> {
  const options = readParameters(request.query, writeParameters);
  reply.code(202);
  return operationsOf(services, request).deleteDocuments(indexUidOf(request), deletion, options);
}

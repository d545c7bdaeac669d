// /indexes/{uid}/documents: adding, changing, deleting. Every write is a task; the documents of an addition
// are streamed into a payload file first. Reading is in documentreads.ts.
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { TarsierError } from "../errors.ts";
import { transcribe } from "../ingest/payload.ts";
import type { SharedWrite } from "../network/sharedwrites.ts";
import { DeleteBatchBody, DeleteByFilterBody } from "../schemas/documents.ts";
import { formatSize } from "../sizes.ts";
import type { Registration } from "../tasks/registration.ts";
import { accessOf } from "./access.ts";
import type { App, Services } from "./app.ts";
import { mediaType } from "./bodies.ts";
import { DOCUMENT_TYPES, invalidContentType, missingContentType } from "./failures.ts";
import { type ParameterKind, parameter, readParameters, text } from "./parameters.ts";
import { indexUidOf } from "./paths.ts";
import { releaseBytes } from "./release.ts";
import { queryOf, sharingOf } from "./sharing.ts";
import { checkWriteFilter } from "./writefilters.ts";

type Format = "json" | "ndjson" | "csv";

export function addDocumentRoutes(app: App, services: Services): void {
  const url = "/indexes/:indexUid/documents";
  const remove = { config: { action: "documents.delete" as const } };

  app.register(async (streams) => addAdditionRoutes(streams as App, services, url));

  app.delete(url, remove, async (request, reply) => {
    return registerDeletion(services, request, reply, { by: "all" });
  });

  app.delete(`${url}/:documentId`, remove, async (request, reply) => {
    const { documentId } = request.params as { documentId: string };
    return registerDeletion(services, request, reply, { by: "ids", ids: [documentId] });
  });

  app.post(
    `${url}/delete-batch`,
    { ...remove, schema: { body: DeleteBatchBody } },
    async (request, reply) => {
      const ids = request.body.map((id) => (typeof id === "string" ? id : JSON.stringify(id)));
      return registerDeletion(services, request, reply, { by: "ids", ids });
    },
  );

  app.post(`${url}/delete`, { ...remove, schema: { body: DeleteByFilterBody } }, async (request, reply) => {
    const { filter } = request.body;
    checkWriteFilter(services.instance, filter, "use DELETE on the documents to remove all of them");
    return registerDeletion(services, request, reply, { by: "filter", filter });
  });
}

/** POST replaces documents, PUT updates their fields. These routes get the body as a stream. */
function addAdditionRoutes(app: App, services: Services, url: string): void {
  app.removeAllContentTypeParsers();
  // Named, they are found at once; what else is sent must come as far as its refusal.
  for (const type of [...DOCUMENT_TYPES, "*"])
    app.addContentTypeParser(type, (_request, payload, done) => done(null, payload));
  const config = { action: "documents.add" as const };
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
  read: (raw, refuse) => (/^[\0-\x7f]$/.test(raw) ? raw : refuse()),
};

const boolean: ParameterKind<boolean> = {
  expected: "`true` or `false`",
  read: (raw, refuse) => (/^true$/i.test(raw) ? true : /^false$/i.test(raw) ? false : refuse()),
};

const writeParameters = { customMetadata: parameter(text, "bad_request") };

const additionParameters = {
  primaryKey: parameter(text, "invalid_index_primary_key"),
  csvDelimiter: parameter(delimiter, "invalid_document_csv_delimiter"),
  skipCreation: parameter(boolean, "invalid_skip_creation"),
  ...writeParameters,
};

async function add(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  method: "replace" | "update",
) {
  const { instance } = services;
  const indexUid = indexUidOf(request);
  const parameters = readParameters(request.query, additionParameters);
  const { primaryKey = null, csvDelimiter, skipCreation = false, customMetadata } = parameters;
  const format = formatOf(request, csvDelimiter);
  refuseAnnouncedLength(services, request);
  const sharing = sharingOf(services, request);
  const draft = instance.draftPayload();
  let documentsCount = 0;
  try {
    const stream = (request.body as Readable | undefined) ?? Readable.from([]);
    const limitBytes = services.options.httpPayloadSizeLimit;
    documentsCount = await transcribe(
      stream,
      { format, delimiter: csvDelimiter, limitBytes, release: releaseBytes },
      draft,
    );
  } catch (error) {
    instance.discardPayload(draft);
    throw error;
  }
  const isEmpty = documentsCount === 0;
  if (isEmpty) instance.discardPayload(draft);
  reply.code(202);
  const path = sharedPath(request, "/documents", ["primaryKey", "skipCreation", "customMetadata"]);
  const addition: Registration = {
    type: "documentAdditionOrUpdate",
    indexUid,
    method,
    primaryKey,
    documentsCount,
    payload: isEmpty ? null : draft,
    allowIndexCreation: accessOf(request).mayCreate(indexUid),
    skipCreation,
    ...(sharing.shard && { shard: sharing.shard }),
    ...(customMetadata !== undefined && { customMetadata }),
  };
  const verb = method === "replace" ? "POST" : "PUT";
  return sharing.register(addition, { method: verb, path, body: isEmpty ? { json: [] } : "payload" });
}

/** The path of a write for other servers, with those of its parameters that count there. */
function sharedPath(request: FastifyRequest, path: string, names: readonly string[]): string {
  const given = request.query as Record<string, string>;
  const kept = Object.fromEntries(names.map((name) => [name, given[name]]));
  return `/indexes/${indexUidOf(request)}${path}${queryOf(kept)}`;
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

/** An announced length above the limit is refused before a byte is read. */
function refuseAnnouncedLength({ options }: Services, request: FastifyRequest): void {
  const limitBytes = options.httpPayloadSizeLimit;
  const announcedBytes = Number(request.headers["content-length"] ?? 0);
  if (announcedBytes > limitBytes)
    throw new TarsierError("payload_too_large", { limit: formatSize(limitBytes) });
}

type Deletion = { by: "ids"; ids: string[] } | { by: "filter"; filter: unknown } | { by: "all" };

async function registerDeletion(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  deletion: Deletion,
) {
  const indexUid = indexUidOf(request);
  const { customMetadata } = readParameters(request.query, writeParameters);
  const sharing = sharingOf(services, request);
  reply.code(202);
  const more = customMetadata === undefined ? {} : { customMetadata };
  const task: Registration = { type: "documentDeletion", indexUid, ...deletion, ...more };
  return sharing.register(task, sharedDeletion(request, deletion));
}

function sharedDeletion(request: FastifyRequest, deletion: Deletion): SharedWrite {
  const at = (path: string) => sharedPath(request, `/documents${path}`, ["customMetadata"]);
  if (deletion.by === "all") return { method: "DELETE", path: at(""), body: null };
  if (deletion.by === "ids")
    return { method: "POST", path: at("/delete-batch"), body: { json: deletion.ids } };
  return { method: "POST", path: at("/delete"), body: { json: { filter: deletion.filter } } };
}

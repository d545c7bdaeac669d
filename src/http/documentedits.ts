// POST /indexes/{uid}/documents/edit: edits documents by a function. The fields may come in the body, as
// clients send them, or as query parameters.
import type { FastifyRequest } from "fastify";
import { needEditing } from "../operations/documentwrites.ts";
import { EditBody, editCodes } from "../schemas/documents.ts";
import { filter, type ParameterKind, parameter, readParameters, text } from "../schemas/parameters.ts";
import { checker } from "../schemas/validator.ts";
import type { App, Services } from "./app.ts";
import { refuseOtherTypes } from "./bodies.ts";
import { operationsOf } from "./operations.ts";
import { indexUidOf } from "./paths.ts";

export function addDocumentEditRoutes(app: App, services: Services): void {
  const url = "/indexes/:indexUid/documents/edit";
  // An edit can read, change and delete documents.
  const config = { action: "documents.*" as const, parameters, optionalBody: EditBody };
  app.post(url, { config }, async (request, reply) => {
    const { customMetadata, ...given } = readParameters(request.query, parameters);
    const isInQuery = Object.keys(given).length > 0;
    const sent = isInQuery && !request.body ? {} : await readJson(services, request);
    const body = checkBody(isObject(sent) ? { ...given, ...sent } : sent);
    // The feature is checked before the path.
    needEditing(services.instance);
    reply.code(202);
    const { filter = null, context } = body;
    const edit = { ...body, filter, context: context as Record<string, unknown> | null | undefined };
    return operationsOf(services, request).editDocuments(indexUidOf(request), edit, { customMetadata });
  });
}

const checkBody = checker(EditBody);

function readJson({ bodies }: Services, request: FastifyRequest): Promise<unknown> {
  refuseOtherTypes(request);
  return bodies.read(request);
}

const context: ParameterKind<unknown> = {
  expected: "a JSON object",
  read: (raw, refuse) => {
    try {
      return JSON.parse(raw);
    } catch {
      return refuse();
    }
  },
};

const parameters = {
  function: parameter(text, editCodes.function),
  filter: parameter(filter, editCodes.filter),
  context: parameter(context, editCodes.context),
  customMetadata: parameter(text, "invalid_index_custom_metadata"),
};

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

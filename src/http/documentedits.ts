// POST /indexes/{uid}/documents/edit: changes documents by a function. The fields may come in the body, as
// clients send them, or as query parameters.
import { checkEditFunction } from "../engine/edit/editfunction.ts";
import type { FilterSource } from "../engine/filter/parse.ts";
import { EditBody, editCodes } from "../schemas/documents.ts";
import { checker } from "../schemas/validator.ts";
import type { Registration } from "../tasks/registration.ts";
import type { App, Services } from "./app.ts";
import { jsonBody } from "./bodies.ts";
import { needFeature } from "./features.ts";
import { filter, type ParameterKind, parameter, readParameters, text } from "./parameters.ts";
import { indexUidOf } from "./paths.ts";
import { queryOf, sharingOf } from "./sharing.ts";
import { checkWriteFilter } from "./writefilters.ts";

export function addDocumentEditRoutes(app: App, services: Services): void {
  const { instance } = services;
  const url = "/indexes/:indexUid/documents/edit";
  // Whoever edits may read, change and delete.
  app.post(url, { config: { action: "documents.*" } }, async (request, reply) => {
    const { customMetadata, ...given } = readParameters(request.query, parameters);
    const isInQuery = Object.keys(given).length > 0;
    const sent = isInQuery && !request.body ? {} : jsonBody(request);
    const body = checkBody(isObject(sent) ? { ...given, ...sent } : sent);
    needFeature(instance, "editDocumentsByFunction", "Editing documents by a function");
    const indexUid = indexUidOf(request);
    const chosen = body.filter ?? null;
    if (chosen !== null) checkWriteFilter(instance, chosen as FilterSource, "none edits all documents");
    await checkEditFunction(body.function);
    reply.code(202);
    const edition: Registration = {
      type: "documentEdition",
      indexUid,
      filter: chosen,
      context: (body.context as Record<string, unknown> | null | undefined) ?? null,
      function: body.function,
      ...(customMetadata !== undefined && { customMetadata }),
    };
    const path = `/indexes/${indexUid}/documents/edit${queryOf({ customMetadata })}`;
    return sharingOf(services, request).register(edition, { method: "POST", path, body: { json: body } });
  });
}

const checkBody = checker(EditBody);

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
  customMetadata: parameter(text, "bad_request"),
};

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

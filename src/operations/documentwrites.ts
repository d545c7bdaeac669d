// Writes of documents as tasks: additions, whose documents are streamed into a payload first, deletions, and
// editions by a function. Called by local.ts.
import { checkEditFunction } from "../engine/edit/editfunction.ts";
import { transcribe } from "../ingest/payload.ts";
import type { Addition, Deletion } from "../library/operations.ts";
import type { Edit, WriteOptions } from "../library/store.ts";
import type { SharedWrite } from "../network/sharedwrites.ts";
import { EditContext } from "../schemas/documents.ts";
import { checker } from "../schemas/validator.ts";
import type { Registration } from "../tasks/registration.ts";
import type { SummarizedTask } from "../tasks/views.ts";
import { needFeature } from "./features.ts";
import type { OperationServices, Requester } from "./services.ts";
import { sharingOf } from "./sharing.ts";
import { checkWriteFilter } from "./writefilters.ts";

export async function addDocuments(
  services: OperationServices,
  requester: Requester,
  indexUid: string,
  pieces: AsyncIterable<Uint8Array>,
  addition: Addition,
): Promise<SummarizedTask> {
  const { instance } = services;
  const { method, primaryKey = null, skipCreation = false, customMetadata } = addition;
  const sharing = sharingOf(services, requester);
  const draft = instance.draftPayload();
  let documentsCount = 0;
  try {
    const { format, csvDelimiter: delimiter } = addition;
    const body = { format, delimiter, limitBytes: services.payloadBytesMax, release: services.release };
    documentsCount = await transcribe(pieces, body, draft);
  } catch (error) {
    instance.discardPayload(draft);
    throw error;
  }
  const isEmpty = documentsCount === 0;
  if (isEmpty) instance.discardPayload(draft);
  const registration: Registration = {
    type: "documentAdditionOrUpdate",
    indexUid,
    method: sharing.isMove ? "complete" : method,
    primaryKey,
    documentsCount,
    payload: isEmpty ? null : draft,
    allowIndexCreation: requester.access.mayCreate(indexUid),
    skipCreation,
    ...(customMetadata !== undefined && { customMetadata }),
  };
  return sharing.register(registration, {
    method: method === "replace" ? "POST" : "PUT",
    path: sharedPath(indexUid, "/documents", addition),
    body: isEmpty ? { json: [] } : "payload",
  });
}

export async function deleteDocuments(
  services: OperationServices,
  requester: Requester,
  indexUid: string,
  deletion: Deletion,
  { customMetadata }: WriteOptions,
): Promise<SummarizedTask> {
  const { instance } = services;
  if (deletion.by === "filter")
    checkWriteFilter(instance, deletion.filter, "use DELETE on the documents to remove all of them");
  const chosen = deletion.by === "ids" ? { by: deletion.by, ids: deletion.ids.map(String) } : deletion;
  const task: Registration = {
    type: "documentDeletion",
    indexUid,
    ...chosen,
    ...(customMetadata !== undefined && { customMetadata }),
  };
  const write = sharedDeletion(indexUid, deletion, { customMetadata });
  return sharingOf(services, requester).register(task, write);
}

export async function editDocuments(
  services: OperationServices,
  requester: Requester,
  indexUid: string,
  edit: Edit,
  { customMetadata }: WriteOptions,
): Promise<SummarizedTask> {
  const { instance } = services;
  needEditing(instance);
  const chosen = edit.filter ?? null;
  await checkEditFunction(edit.function);
  if (chosen !== null) checkWriteFilter(instance, chosen, "none edits all documents");
  checkContext({ context: edit.context ?? null });
  const edition: Registration = {
    type: "documentEdition",
    indexUid,
    filter: chosen,
    context: edit.context ?? null,
    function: edit.function,
    ...(customMetadata !== undefined && { customMetadata }),
  };
  const path = sharedPath(indexUid, "/documents/edit", { customMetadata });
  return sharingOf(services, requester).register(edition, { method: "POST", path, body: { json: edit } });
}

const checkContext = checker(EditContext);

/** @throws TarsierError `feature_not_enabled` */
export function needEditing(instance: OperationServices["instance"]): void {
  needFeature(instance, "editDocumentsByFunction", "Editing documents by a function");
}

function sharedDeletion(indexUid: string, deletion: Deletion, options: WriteOptions): SharedWrite {
  const at = (path: string) => sharedPath(indexUid, `/documents${path}`, options);
  if (deletion.by === "all") return { method: "DELETE", path: at(""), body: null };
  if (deletion.by === "ids")
    return { method: "POST", path: at("/delete-batch"), body: { json: deletion.ids } };
  return { method: "POST", path: at("/delete"), body: { json: { filter: deletion.filter } } };
}

const SHARED_OPTIONS = ["primaryKey", "skipCreation", "customMetadata"] as const;

/** The path of a write for other servers, with those of its options that count there. */
function sharedPath(indexUid: string, path: string, options: Partial<Addition>): string {
  const given = SHARED_OPTIONS.flatMap((name) =>
    options[name] === undefined ? [] : [[name, String(options[name])]],
  );
  const kept = new URLSearchParams(given);
  return `/indexes/${indexUid}${path}${kept.size > 0 ? `?${kept}` : ""}`;
}

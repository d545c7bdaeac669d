// Runs an edit function over the documents that a filter selects. Everything that the function leaves alone
// stays as it is stored, byte by byte, even inside edited documents: numbers keep their digits. Called by
// batchdocuments.ts.
import type { JsonEntry, JsonScanner } from "../../core/json.ts";
import { TarsierError } from "../../errors.ts";
import { VECTORS_FIELD } from "../../schemas/vectorsfield.ts";
import type { Interrupt } from "../../segment/interrupt.ts";
import { findDocumentId } from "../documents/identifier.ts";
import { namedMembers } from "../documents/members.ts";
import { FieldSelection } from "../documents/selection.ts";
import { isShownWhole } from "../documents/wholedocument.ts";
import { type Edit, EditFailure } from "../edit/editfunction.ts";
import { EditThread } from "../editthread.ts";
import type { Operation } from "../engine.ts";
import type { FilterSource } from "../filter/parse.ts";
import type { IndexReader } from "../reader.ts";
import { type Work, waitFor } from "../work.ts";
import type { EditedFile } from "./editedfile.ts";
import { allDocids, filteredDocids } from "./filtereddocuments.ts";

interface EditContext {
  reader: IndexReader;
  scanner: JsonScanner;
  /** The primary key; null when there are no documents. */
  key: string | null;
  /** Receives the changed documents. */
  file: Pick<EditedFile, "append">;
  interrupt: Interrupt;
}

interface EditResult {
  /** Number of documents on which the function was run. */
  candidates: number;
  /** Ids of the documents that it deleted. */
  deleted: string[];
}

/**
 * Number of documents given to the function in one call: few enough for its time limit, enough to save calls.
 */
const CALL_DOCUMENTS_MAX = 100;
const CALL_BYTES_MAX = 256 * 1024;
/** Vectors are kept apart from the other fields: the function does not see them, but it may set them. */
const VISIBLE = new FieldSelection(null, [VECTORS_FIELD]);

const OPEN = Buffer.from("{");
const CLOSE = Buffer.from("}");

interface Original {
  id: string;
  /** The document as stored. */
  bytes: Uint8Array;
  /** The part that the function sees. */
  text: string;
}

/** @throws TarsierError for the first document on which the function fails, or which it makes invalid */
export function* editDocuments(
  { filter, context, source }: Extract<Operation, { kind: "edit" }>,
  edit: EditContext,
): Work<EditResult> {
  const { reader, interrupt, file } = edit;
  const docids = filteredDocids(reader, filter as FilterSource | null) ?? allDocids(reader);
  const deleted: string[] = [];
  if (docids.length === 0) return { candidates: 0, deleted };
  const editing = yield* openFunction(source, context);
  try {
    for (const originals of callsOf(docids, edit)) {
      interrupt();
      const edits = yield* runOn(editing, originals);
      originals.forEach((original, place) => {
        const outcome = edits[place];
        if (outcome === "deleted") deleted.push(original.id);
        else if (outcome !== "kept") file.append(documentAfter(original, outcome, edit));
      });
    }
  } finally {
    editing.close();
  }
  return { candidates: docids.length, deleted };
}

function* openFunction(source: string, context: unknown): Work<EditThread> {
  try {
    return yield* waitFor((signal) => EditThread.open(source, context, signal));
  } catch (error) {
    if (!(error instanceof EditFailure)) throw error;
    throw failure(`it does not compile: ${error.message}`);
  }
}

function* callsOf(docids: readonly number[], { reader, scanner, key }: EditContext): Generator<Original[]> {
  let originals: Original[] = [];
  let waiting = 0;
  for (const docid of docids) {
    reader.share.cache.beginTurn();
    const { segment, ordinal } = reader.find(docid)!;
    const { pointer, length } = segment.document(ordinal);
    const bytes = reader.share.core.read(pointer, length);
    const seen = isShownWhole(segment, ordinal) ? bytes : VISIBLE.select(scanner, pointer, length);
    originals.push({
      bytes,
      text: Buffer.from(seen.buffer, seen.byteOffset, seen.length).toString(),
      id: findDocumentId(scanner, pointer, length, key!),
    });
    waiting += length;
    if (originals.length < CALL_DOCUMENTS_MAX && waiting < CALL_BYTES_MAX) continue;
    yield originals;
    originals = [];
    waiting = 0;
  }
  if (originals.length > 0) yield originals;
}

function* runOn(editing: EditThread, originals: readonly Original[]): Work<Edit[]> {
  const texts = originals.map(({ text }) => text);
  try {
    return yield* waitFor((signal) => editing.run(texts, signal));
  } catch (error) {
    if (!(error instanceof EditFailure)) throw error;
    const [first, last] = [originals[0].id, originals[originals.length - 1].id];
    const place =
      error.at !== null
        ? `document \`${originals[error.at].id}\``
        : first === last
          ? `document \`${first}\``
          : `one of the ${originals.length} documents from \`${first}\` to \`${last}\``;
    throw failure(`${place}: ${error.message}`);
  }
}

/** The bytes of an edited document, which keeps its id. */
function documentAfter(
  { id, bytes, text }: Original,
  fields: Exclude<Edit, string>,
  { scanner, key }: EditContext,
): Uint8Array {
  const [pointer] = scanner.lend(bytes);
  const members = namedMembers(scanner, pointer, bytes.length);
  const sourceOf = ({ valueAddress, valueLength }: JsonEntry) =>
    bytes.subarray(valueAddress - pointer, valueAddress - pointer + valueLength);
  const sources = new Map<string, Uint8Array>();
  for (const [name, ...value] of fields) {
    const member = members.get(name);
    if (value.length > 0) sources.set(name, Buffer.from(JSON.stringify(value[0])));
    else if (member) sources.set(name, sourceOf(member));
    // A name that is not well-formed text is not found.
    else sources.set(name, Buffer.from(JSON.stringify(JSON.parse(text)[name])));
  }
  const vectors = members.get(VECTORS_FIELD);
  if (vectors && !sources.has(VECTORS_FIELD)) sources.set(VECTORS_FIELD, sourceOf(vectors));
  const pieces = [...sources].flatMap(([name, source]) => [Buffer.from(`,${JSON.stringify(name)}:`), source]);
  const document = Buffer.concat(sources.size === 0 ? [OPEN, CLOSE] : [...pieces, CLOSE]);
  document.set(OPEN);
  checkId(document, id, scanner, key!);
  return document;
}

function checkId(document: Uint8Array, id: string, scanner: JsonScanner, key: string): void {
  const [pointer] = scanner.lend(document);
  let found: string | null = null;
  try {
    found = findDocumentId(scanner, pointer, document.length, key);
  } catch (error) {
    if (!(error instanceof TarsierError) || error.code !== "invalid_document_id") throw error;
  }
  if (found !== id) throw failure(`document \`${id}\`: its primary key \`${key}\` may not change`);
}

function failure(reason: string): TarsierError {
  return new TarsierError("edit_documents_by_function_error", { reason });
}

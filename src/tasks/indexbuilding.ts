// Builds an index in a new folder from a file of documents, for the import of a dump and for a repair. No
// task stands for it, and the index is invisible until it is in the catalog.
import { Readable } from "node:stream";
import type { Engine, IndexDescription, Operation } from "../engine/engine.ts";
import { TarsierError } from "../errors.ts";
import { transcribe } from "../ingest/payload.ts";
import type { SettingsPatch } from "../schemas/settings.ts";
import { piecesOf } from "../storage/filepieces.ts";
import type { ReadableFile, Storage } from "../storage/storage.ts";
import type { Payloads } from "./payloads.ts";

interface IndexSource {
  /** Folder to build it in. */
  folder: string;
  uid: string;
  primaryKey: string | null;
  patch: SettingsPatch;
  /** Name of a file with one document per line. */
  documents: string;
}

interface BuildTools {
  /** Holds the file of documents. */
  storage: Pick<Storage, "open">;
  engine: Engine;
  payloads: Payloads;
}

/** The engine refused an operation: settings or documents that are not valid. */
export class BuildRefusal extends Error {}

/** Bytes of documents per batch, which the engine can index within its memory. */
const BATCH_BYTES = 48 * 2 ** 20;
const LINE_FEED = 10;
/** Task numbers of the operations; no real task has a negative one. */
const KEY_TASK = -1;
const SETTINGS_TASK = -2;
const FIRST_DOCUMENTS_TASK = -3;

export const NDJSON = { format: "ndjson" as const, isStored: true, limitBytes: Number.POSITIVE_INFINITY };

/** @throws BuildRefusal, and errors of the disk */
export async function buildIndex(tools: BuildTools, source: IndexSource): Promise<IndexDescription> {
  const { primaryKey, patch, documents } = source;
  const operations: Operation[] = [{ kind: "settings", taskUid: SETTINGS_TASK, patch }];
  if (primaryKey !== null) operations.unshift({ kind: "primaryKey", taskUid: KEY_TASK, primaryKey });
  let description = await runBatch(tools, source, operations, 0);
  let taskUid = FIRST_DOCUMENTS_TASK;
  for await (const payload of payloadsOf(tools, documents)) {
    const work = { method: "replace" as const, primaryKey, skipCreation: false };
    const add: Operation = { kind: "add", taskUid: taskUid--, payload, ...work };
    description = await runBatch(tools, source, [add], description.version);
  }
  return description;
}

async function runBatch(
  { engine }: BuildTools,
  { folder, uid: indexUid }: IndexSource,
  operations: Operation[],
  version: number,
): Promise<IndexDescription> {
  const { results, index } = await engine.run({
    folder,
    indexUid,
    version,
    operations,
    isRestored: true,
  });
  const error = results.find((result) => result.error)?.error;
  if (error) throw new BuildRefusal(`index \`${indexUid}\`: ${error.message}`);
  return index;
}

/** The documents of a file, as payloads of a size that the engine takes at once. */
async function* payloadsOf(
  { storage, payloads }: BuildTools,
  name: string,
): AsyncGenerator<Uint8Array | string> {
  const file = storage.open(name);
  try {
    for (let from = 0; from < file.size; ) {
      const end = endOfLines(file, from);
      const stream = Readable.from(piecesOf(file, end, from));
      const payload = payloads.draft();
      try {
        const documents = await transcribe(stream, NDJSON, payload).catch(blankAsNone);
        if (documents > 0) yield payload.stored?.name ?? payload.inline();
      } finally {
        payloads.discard(payload);
      }
      from = end;
    }
  } finally {
    file.close();
  }
}

/** End of the last line that still fits into a batch; a longer single line is taken whole. */
function endOfLines(file: ReadableFile, from: number): number {
  let fits = 0;
  let offset = from;
  for (const piece of piecesOf(file, file.size, from)) {
    const feed = piece.lastIndexOf(LINE_FEED);
    const end = feed < 0 ? 0 : offset + feed + 1;
    offset += piece.length;
    if (offset - from > BATCH_BYTES && fits > 0) return fits;
    if (end > 0) fits = end;
  }
  return file.size;
}

/** A file without documents is not an error. */
export function blankAsNone(error: unknown): number {
  if (error instanceof TarsierError && error.code === "missing_payload") return 0;
  throw error;
}

// `tarsier import FILE --index NAME`: sends the documents of a file, or of a pipe, to a running server in
// chunks, waits until they are indexed, and after an interruption goes on where the last acknowledged chunk
// of the file ended.
//
//   file -> gunzip -> transcribe (src/ingest: checks, makes lines) -> ChunkSender -> POST .../documents
import { TarsierError } from "../errors.ts";
import { transcribe } from "../ingest/payload.ts";
import { count, flag, optional, size, text } from "../option-rows.ts";
import { UsageError } from "../usageerror.ts";
import { readArguments } from "./arguments.ts";
import { ChunkSender } from "./chunk-sender.ts";
import { readEnvironment } from "./environment.ts";
import { commandHelp } from "./help.ts";
import { type ImportSource, importSource } from "./import-source.ts";
import { ImportState } from "./import-state.ts";
import { ProgressLine } from "./progress-line.ts";
import { resume } from "./resumption.ts";
import { ServerAway, ServerClient } from "./server-client.ts";
import { settle, type ValuesOf } from "./values.ts";

const CHUNK_DEFAULT_BYTES = 20_000_000;

export const importTable = {
  index: optional("NAME", "Index that gets the documents; created when it is missing"),
  primaryKey: optional("FIELD", "Field that identifies a document"),
  update: flag("Change the fields of known documents instead of replacing the documents"),
  url: text("http://localhost:7700", "URL", "Address of the server"),
  apiKey: optional("KEY", "Key that may add documents and read tasks (documents.add and tasks.get)"),
  format: optional("json|ndjson|csv", "Format of the file, when its name does not tell"),
  csvDelimiter: optional("CHARACTER", "What separates the cells of CSV (a comma; a tab in .tsv files)"),
  chunkSize: size(() => CHUNK_DEFAULT_BYTES, "Bytes sent at once"),
  retrySeconds: count(0, 86_400, () => 60, "How long to try again while the server cannot be reached"),
  noWait: flag("Leave when everything is sent, before it is indexed"),
};

type ImportOptions = ValuesOf<typeof importTable>;

export function importHelp(): string {
  return commandHelp(
    "tarsier import FILE --index NAME [options]",
    [
      "Sends the documents of FILE to a running server. FILE is .json (a list of objects, or one), " +
        ".ndjson, .jsonl, .csv or .tsv, or one of these compressed as .gz. It may be a pipe, or - for the " +
        "standard input, which is not compressed: --format says what it is.",
      "Called again after an interruption, it goes on behind the last part that the server acknowledged, " +
        "or begins anew when the server may have lost what it was sent.",
    ],
    importTable,
  );
}

/** @throws UsageError when anything keeps the file from being imported as a whole */
export async function importFile(args: readonly string[]): Promise<void> {
  const { given, positionals } = readArguments(args, importTable);
  const options = settle(importTable, [given, readEnvironment(process.env, { apiKey: importTable.apiKey })]);
  if (positionals.length !== 1) throw new UsageError(`one FILE is needed, found ${positionals.length}`);
  if (options.index === null) throw new UsageError("--index NAME is needed");
  const source = importSource(positionals[0], options);
  const { file, format, delimiter } = source;
  const progress = new ProgressLine(process.stderr, file?.bytes ?? null);
  const tell = (remark: string) => progress.note(remark);
  const client = new ServerClient(options.url, options.apiKey, options.retrySeconds, tell);
  const target = JSON.stringify([client.base, options.index, options.primaryKey, options.update]);
  const state = file ? ImportState.open({ ...file, format, delimiter, target }, tell) : ImportState.unkept();
  try {
    if (state.documents > 0) progress.note(await resume(state, client, options.index));
    const sender = new ChunkSender(client, documentsPath(options), options.chunkSize, state, progress);
    await send(source, sender, progress);
    if (!options.noWait) await sender.waitForTasks();
    if (sender.lostTasks > 0)
      progress.note(`Tasks that were deleted before their outcome was known: ${sender.lostTasks}`);
    progress.end(`${options.noWait ? "Sent" : "Imported"} ${counted(state.documents)} into ${options.index}`);
    state.remove();
  } catch (error) {
    progress.end(null);
    throw explain(error, source);
  }
}

const counted = (documents: number): string => `${documents} document${documents === 1 ? "" : "s"}`;

function documentsPath({ index, primaryKey, update }: ImportOptions): {
  method: "POST" | "PUT";
  path: string;
} {
  const query = primaryKey === null ? "" : `?primaryKey=${encodeURIComponent(primaryKey)}`;
  return {
    method: update ? "PUT" : "POST",
    path: `/indexes/${encodeURIComponent(index ?? "")}/documents${query}`,
  };
}

async function send(source: ImportSource, sender: ChunkSender, progress: ProgressLine): Promise<void> {
  const { format, delimiter } = source;
  const content = source.open((bytes) => progress.read(bytes));
  try {
    await transcribe(content, { format, delimiter, limitBytes: Number.POSITIVE_INFINITY }, sender);
    await sender.finish();
  } finally {
    content.destroy();
  }
}

function explain(error: unknown, { name, file }: ImportSource): unknown {
  if (error instanceof TarsierError) return new UsageError(`${name}: ${error.message}`, 1);
  if (file === null || !(error instanceof ServerAway)) return error;
  return new UsageError(`${error.message}. Call again to go on from here`, error.exitCode);
}

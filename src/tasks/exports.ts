// Runs export tasks: sends indexes to another instance over its HTTP API. What is there stays, unless it has
// the id of a document that is sent. The scheduler runs nothing else meanwhile, so an index is sent as one
// state of it; what the other instance makes of its tasks is not waited for.
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { IndexHandle, LinesQuery } from "../engine/engine.ts";
import { TarsierError } from "../errors.ts";
import type { OutboundClient } from "../outbound/client.ts";
import { parseSize } from "../sizes.ts";
import { type BatchContext, type Executor, succeeded } from "./execution.ts";
import { ExportTarget } from "./exporttarget.ts";
import type { Export } from "./kinds.ts";

const PAYLOAD_DEFAULT_BYTES = 50 * 2 ** 20;
/** Documents are asked for in pieces of this size. */
const PIECE_BYTES = 1024 * 1024;
const SEND_MS_MAX = 300_000;

interface Chosen {
  filter: unknown;
  overrideSettings: boolean;
}

type Step = { currentStep: string; finished: number; total: number };

export function exportExecutor(client: OutboundClient): Executor {
  return async ([task], context) => {
    const kind = task.kind as Export;
    const target = new ExportTarget(client, kind.url, kind.apiKey, context.signal);
    const indexes = chosenIndexes(kind, context.state.catalog.uids());
    const sent: Record<string, Chosen & { matchedDocuments: number }> = {};
    for (const [place, [uid, chosen]] of indexes.entries()) {
      const step = { currentStep: `Exporting index \`${uid}\``, finished: place, total: indexes.length };
      const matchedDocuments = await new IndexExport(target, context, uid, step).run(chosen, bytesOf(kind));
      sent[uid] = { ...chosen, matchedDocuments };
    }
    return { ends: [succeeded(task, { indexes: sent })] };
  };
}

class IndexExport {
  readonly #target: ExportTarget;
  readonly #context: BatchContext;
  readonly #uid: string;
  readonly #step: Step;
  readonly #handle: IndexHandle;

  constructor(target: ExportTarget, context: BatchContext, uid: string, step: Step) {
    this.#target = target;
    this.#context = context;
    this.#uid = uid;
    this.#step = step;
    const { folder, description } = context.state.catalog.get(uid)!;
    this.#handle = { folder, indexUid: uid, version: description.version };
  }

  /** Returns how many documents were sent. */
  async run({ filter, overrideSettings }: Chosen, payloadBytes: number): Promise<number> {
    this.#report(0);
    const path = `/indexes/${this.#uid}`;
    const { primaryKey } = this.#context.state.catalog.get(this.#uid)!.description;
    const exists = await this.#target.hasIndex(this.#uid);
    if (!exists) await this.#target.sendJson("POST", "/indexes", { uid: this.#uid, primaryKey });
    else if (overrideSettings && primaryKey !== null)
      await this.#target.sendJson("PATCH", path, { primaryKey });
    if (!exists || overrideSettings) {
      const settings = await this.#context.engine.settings(this.#handle);
      await this.#target.sendJson("PATCH", `${path}/settings`, settings);
    }
    return this.#sendDocuments(filter as LinesQuery["filter"], payloadBytes);
  }

  async #sendDocuments(filter: LinesQuery["filter"], payloadBytes: number): Promise<number> {
    const { engine } = this.#context;
    let gathered: Uint8Array[] = [];
    let [gatheredBytes, sent] = [0, 0];
    const flush = async () => {
      if (gatheredBytes > 0) await this.#send(Buffer.concat(gathered));
      gathered = [];
      gatheredBytes = 0;
    };
    for (let from: number | null = 0; from !== null; ) {
      const bytesMax = Math.min(PIECE_BYTES, payloadBytes - gatheredBytes);
      const { lines, documents, next } = await engine.lines(this.#handle, { from, filter, bytesMax });
      // A single document may be larger than what was asked for.
      if (gatheredBytes + lines.length > payloadBytes) await flush();
      gathered.push(lines);
      gatheredBytes += lines.length;
      sent += documents;
      if (gatheredBytes >= payloadBytes) await flush();
      this.#report(sent);
      from = next;
    }
    await flush();
    return sent;
  }

  async #send(lines: Uint8Array): Promise<void> {
    const body = await compress(lines);
    const headers = { "content-type": "application/x-ndjson", "content-encoding": "gzip" };
    const path = `/indexes/${this.#uid}/documents`;
    await this.#target.send("POST", path, { body, headers, timeoutMs: SEND_MS_MAX });
  }

  #report(sent: number): void {
    const total = this.#context.state.catalog.get(this.#uid)!.description.numberOfDocuments;
    const documents = { currentStep: "document", finished: sent, total };
    this.#context.progress.enter("processing tasks", [this.#step, documents]);
  }
}

const compress = promisify<Uint8Array, Uint8Array>(gzip);

/** Indexes in the order of their uids, each with the first pattern, in the order of bytes, that fits. */
export function chosenIndexes({ indexes }: Export, uids: readonly string[]): [uid: string, chosen: Chosen][] {
  const patterns = Object.keys(indexes).sort();
  const found = uids.map((uid) => [uid, patterns.find((pattern) => fits(uid, pattern))] as const);
  return found.flatMap(([uid, pattern]) => (pattern === undefined ? [] : [[uid, indexes[pattern]]]));
}

function fits(uid: string, pattern: string): boolean {
  return pattern.endsWith("*") ? uid.startsWith(pattern.slice(0, -1)) : uid === pattern;
}

/** @throws TarsierError for a size that came with a dump and is none */
function bytesOf({ payloadSize }: Export): number {
  if (payloadSize === null) return PAYLOAD_DEFAULT_BYTES;
  const bytes = parseSize(payloadSize);
  if (bytes !== undefined && bytes > 0) return bytes;
  throw new TarsierError("invalid_export_payload_size", {
    place: "The task",
    expected: "a size",
    found: payloadSize,
  });
}

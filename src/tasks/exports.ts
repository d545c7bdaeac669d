// Runs export tasks: sends indexes to another instance over its HTTP API. What is there stays, unless it has
// the id of a document that is sent. The scheduler runs nothing else meanwhile, so an index is sent as one
// state of it; what the other instance makes of its tasks is not waited for. When the target is away, the
// task is put off: others run, and it goes on where it stopped, with the documents of that moment.
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { IndexHandle, LinesQuery } from "../engine/engine.ts";
import { FEATURE_OF_SETTING, type UnbuiltSetting } from "../engine/unbuiltsettings.ts";
import { TarsierError } from "../errors.ts";
import type { OutboundClient } from "../outbound/client.ts";
import { FEATURE_KIND } from "../schemas/features.ts";
import type { Settings } from "../schemas/settings.ts";
import { parseSize } from "../sizes.ts";
import type { CatalogEntry } from "./catalog.ts";
import { type BatchContext, type Executor, failed, succeeded } from "./execution.ts";
import { ExportTarget, TargetAway } from "./exporttarget.ts";
import type { Export } from "./kinds.ts";
import { PATIENCE_MS_MAX, Patience } from "./patience.ts";

const PAYLOAD_DEFAULT_BYTES = 50 * 2 ** 20;
/** Of a request, whatever was asked for: it is held in memory, as it is and compressed. */
const PAYLOAD_BYTES_MAX = 128 * 2 ** 20;
/** Documents are asked for in pieces of this size. */
const PIECE_BYTES = 1024 * 1024;
/** Of a request with documents, besides the time for its bytes. */
const SEND_MS_MIN = 10_000;
const SEND_BYTES_PER_MS_MIN = 256;

interface Chosen {
  filter: unknown;
  overrideSettings: boolean;
}

type Step = { currentStep: string; finished: number; total: number };

/** How far the export of one index has come. */
interface IndexState {
  /** Another one: the index was replaced meanwhile, and begins anew. */
  folder: string;
  isPrepared: boolean;
  /** Number of the document to go on with; null: all are sent. */
  from: number | null;
  sent: number;
}

/** How far a task has come, for as long as this process runs; after a restart, it begins anew. */
interface ExportRun {
  indexes: Map<string, IndexState>;
  patience: Patience;
}

export interface ExportTimes {
  /** Of all attempts of one request: nothing else runs meanwhile. */
  retryMsMax: number;
  /** Without getting on, while other tasks run. */
  awayMsMax: number;
}

const EXPORT_TIMES: ExportTimes = { retryMsMax: 4_000, awayMsMax: PATIENCE_MS_MAX };

export function exportExecutor(client: OutboundClient, times: ExportTimes = EXPORT_TIMES): Executor {
  const runs = new Map<number, ExportRun>();
  return async ([task], context) => {
    const { waiting } = context.state.tasks;
    for (const uid of runs.keys()) if (!waiting.has(uid)) runs.delete(uid);
    const run = runs.get(task.uid) ?? { indexes: new Map(), patience: new Patience(times.awayMsMax) };
    runs.set(task.uid, run);
    const kind = task.kind as Export;
    const target = new ExportTarget(client, kind.url, kind.apiKey, context.signal, times.retryMsMax);
    try {
      return { ends: [succeeded(task, { indexes: await exportAll(kind, run, target, context) })] };
    } catch (error) {
      if (!(error instanceof TargetAway)) throw error;
      const waitMs = run.patience.waitMs();
      return waitMs === null ? { ends: [failed(task, error.refusal)] } : { waitMs };
    }
  };
}

/** What the details of the task say of each index. */
async function exportAll(
  kind: Export,
  run: ExportRun,
  target: ExportTarget,
  context: BatchContext,
): Promise<Record<string, Chosen & { matchedDocuments: number }>> {
  const indexes = chosenIndexes(kind, context.state.catalog.uids());
  const told: [uid: string, Chosen & { matchedDocuments: number }][] = [];
  for (const [place, [uid, chosen]] of indexes.entries()) {
    const entry = context.state.catalog.get(uid)!;
    const known = run.indexes.get(uid);
    const { folder } = entry;
    const state = known?.folder === folder ? known : { folder, isPrepared: false, from: 0, sent: 0 };
    run.indexes.set(uid, state);
    const step = { currentStep: `Exporting index \`${uid}\``, finished: place, total: indexes.length };
    const { patience } = run;
    await new IndexExport(target, context, { uid, entry, step, patience }).run(state, chosen, bytesOf(kind));
    told.push([uid, { ...chosen, matchedDocuments: state.sent }]);
  }
  return Object.fromEntries(told);
}

class IndexExport {
  readonly #target: ExportTarget;
  readonly #context: BatchContext;
  readonly #uid: string;
  readonly #step: Step;
  readonly #entry: CatalogEntry;
  readonly #handle: IndexHandle;
  readonly #patience: Patience;

  constructor(
    target: ExportTarget,
    context: BatchContext,
    { uid, entry, step, patience }: { uid: string; entry: CatalogEntry; step: Step; patience: Patience },
  ) {
    this.#patience = patience;
    this.#target = target;
    this.#context = context;
    this.#uid = uid;
    this.#step = step;
    this.#entry = entry;
    this.#handle = { folder: entry.folder, indexUid: uid, version: entry.description.version };
  }

  async run(state: IndexState, chosen: Chosen, payloadBytes: number): Promise<void> {
    this.#report(state.sent);
    if (!state.isPrepared) {
      await this.#prepare(chosen);
      state.isPrepared = true;
      this.#patience.restore();
    }
    if (state.from !== null)
      await this.#sendDocuments(state, chosen.filter as LinesQuery["filter"], payloadBytes);
  }

  async #prepare({ overrideSettings }: Chosen): Promise<void> {
    const path = `/indexes/${this.#uid}`;
    const { primaryKey } = this.#entry.description;
    const exists = await this.#target.hasIndex(this.#uid);
    if (!exists) await this.#target.sendJson("POST", "/indexes", { uid: this.#uid, primaryKey });
    else if (overrideSettings && primaryKey !== null)
      await this.#target.sendJson("PATCH", path, { primaryKey });
    if (!exists || overrideSettings) {
      const settings = await this.#settings();
      await this.#target.sendJson("PATCH", `${path}/settings`, settings);
    }
  }

  /** Those of features that are off would be refused where they are off, too. */
  async #settings(): Promise<Settings> {
    const settings = { ...(await this.#context.engine.settings(this.#handle)) };
    const switches = this.#context.state.values(FEATURE_KIND);
    for (const [name, feature] of Object.entries(FEATURE_OF_SETTING)) {
      if (switches.get(feature) !== true) delete settings[name as UnbuiltSetting];
    }
    return settings;
  }

  /** What was sent stands in the state before more is read. */
  async #sendDocuments(state: IndexState, filter: LinesQuery["filter"], payloadBytes: number): Promise<void> {
    const { engine } = this.#context;
    let gathered: Uint8Array[] = [];
    let [gatheredBytes, documents] = [0, 0];
    const flush = async (from: number | null) => {
      if (gatheredBytes > 0) {
        await this.#send(Buffer.concat(gathered));
        this.#patience.restore();
      }
      state.from = from;
      state.sent += documents;
      gathered = [];
      [gatheredBytes, documents] = [0, 0];
      this.#report(state.sent);
    };
    for (let from = state.from; from !== null; ) {
      const bytesMax = Math.min(PIECE_BYTES, payloadBytes - gatheredBytes);
      const piece = await engine.lines(this.#handle, { from, filter, bytesMax });
      // A single document may be larger than what was asked for.
      if (gatheredBytes + piece.lines.length > payloadBytes) await flush(from);
      gathered.push(piece.lines);
      gatheredBytes += piece.lines.length;
      documents += piece.documents;
      from = piece.next;
      if (gatheredBytes >= payloadBytes) await flush(from);
    }
    await flush(null);
  }

  async #send(lines: Uint8Array): Promise<void> {
    const body = await compress(lines);
    const headers = { "content-type": "application/x-ndjson", "content-encoding": "gzip" };
    const path = `/indexes/${this.#uid}/documents`;
    const timeoutMs = SEND_MS_MIN + Math.ceil(body.length / SEND_BYTES_PER_MS_MIN);
    await this.#target.send("POST", path, { body, headers, timeoutMs });
  }

  #report(sent: number): void {
    const total = this.#entry.description.numberOfDocuments;
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
  if (bytes !== undefined) return Math.min(bytes, PAYLOAD_BYTES_MAX);
  throw new TarsierError("invalid_export_payload_size", {
    place: "The task",
    expected: "a size",
    found: payloadSize,
  });
}

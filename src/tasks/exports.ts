// Runs export tasks: sends indexes to another instance over its HTTP API. Documents there stay, except those
// with an id that is sent. The scheduler runs nothing else meanwhile, so one state of an index is sent; the
// tasks of the other instance are not waited for. While the target is away the task is postponed: others run,
// and it resumes where it stopped, with the documents of that moment.
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { LinesQuery } from "../engine/engine.ts";
import type { IndexHandle } from "../engine/indexhandle.ts";
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
/** Bound of one request, whatever size the task asks for: it is held in memory, both plain and compressed. */
const PAYLOAD_BYTES_MAX = 128 * 2 ** 20;
/** Documents are read from the engine in pieces of this size. */
const PIECE_BYTES = 1024 * 1024;
/** Time limit of a request with documents, in addition to the time for its bytes. */
const SEND_MS_MIN = 10_000;
const SEND_BYTES_PER_MS_MIN = 256;

interface Chosen {
  filter: unknown;
  overrideSettings: boolean;
}

type Step = { currentStep: string; finished: number; total: number };

/** Progress of the export of one index. */
interface IndexState {
  /** If the folder is another one, the index was replaced meanwhile, and its export starts over. */
  folder: string;
  isPrepared: boolean;
  /** Number of the document to continue with; null: all are sent. */
  from: number | null;
  sent: number;
}

/** Progress of a task, kept while this process runs; after a restart the export starts over. */
interface ExportRun {
  indexes: Map<string, IndexState>;
  patience: Patience;
}

interface ExportTimes {
  /** Time for all attempts of one request; nothing else runs meanwhile. */
  retryMsMax: number;
  /** Time without progress after which the task fails, although other tasks run in between. */
  awayMsMax: number;
}

const EXPORT_TIMES: ExportTimes = { retryMsMax: 4_000, awayMsMax: PATIENCE_MS_MAX };

export function exportExecutor(client: OutboundClient, times: ExportTimes = EXPORT_TIMES): Executor {
  const runs = new Map<number, ExportRun>();
  return async ([task], context) => {
    const { waiting } = context.state.tasks;
    for (const uid of runs.keys()) if (!waiting.has(uid)) runs.delete(uid);
    const run = runs.get(task.uid) ?? {
      indexes: new Map(),
      patience: new Patience({ totalMs: times.awayMsMax }),
    };
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

/** Exports all indexes; returns what the details of the task tell of each. */
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

  /** Without settings of features that are off here: a target where they are off, too, would refuse them. */
  async #settings(): Promise<Settings> {
    const settings = { ...(await this.#context.engine.settings(this.#handle)) };
    const switches = this.#context.state.values(FEATURE_KIND);
    for (const [name, feature] of Object.entries(FEATURE_OF_SETTING)) {
      if (switches.get(feature) !== true) delete settings[name as UnbuiltSetting];
    }
    return settings;
  }

  /** `state` is updated for what was sent before more is read. */
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
      // A single document may be longer than the size that was asked for.
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

/** Indexes by uid, each with the first pattern that matches it, in byte order. */
export function chosenIndexes({ indexes }: Export, uids: readonly string[]): [uid: string, chosen: Chosen][] {
  const patterns = Object.keys(indexes).sort();
  const found = uids.map((uid) => [uid, patterns.find((pattern) => fits(uid, pattern))] as const);
  return found.flatMap(([uid, pattern]) => (pattern === undefined ? [] : [[uid, indexes[pattern]]]));
}

function fits(uid: string, pattern: string): boolean {
  return pattern.endsWith("*") ? uid.startsWith(pattern.slice(0, -1)) : uid === pattern;
}

/** @throws TarsierError when a dump brought a size that cannot be parsed */
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

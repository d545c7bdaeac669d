// The engine as the rest of the program sees it: one thread that writes, one that merges, and some that
// search; or all three in the caller's thread. Methods are called by name (roles.ts).
import { Worker } from "node:worker_threads";
import { coreModule } from "../core/core.ts";
import type { EmbedderProvider } from "../embedders/embedder.ts";
import { TarsierError } from "../errors.ts";
import type { DocumentParts, DocumentsQuery } from "../schemas/documents.ts";
import type { FacetSearchQuery } from "../schemas/facetsearch.ts";
import { type SearchQuery, sparseQuery } from "../schemas/search.ts";
import type { Settings } from "../schemas/settings.ts";
import type { SimilarQuery } from "../schemas/similar.ts";
import type { Storage } from "../storage/storage.ts";
import { AnswerCache } from "./answercache.ts";
import { newRing } from "./callring.ts";
import { DamageList } from "./damagelist.ts";
import { decodeLines } from "./documentlines.ts";
import { takeThread } from "./earlythread.ts";
import type {
  Batch,
  BatchNote,
  BatchResult,
  Compaction,
  DocumentLines,
  Engine,
  IndexDescription,
  LinesQuery,
  ProgressListener,
} from "./engine.ts";
import { readAnswer } from "./federation/answerbytes.ts";
import type { FederatedAnswer, FederatedRequest } from "./federation/asked.ts";
import { GROUP_INDEXES_MAX, type Group, groupsOf, joinedAnswers } from "./federation/groups.ts";
import { Lanes } from "./federation/lanes.ts";
import { sparseRequest } from "./federation/sparserequest.ts";
import { type EngineFigures, EngineMeter, threadFigures } from "./figures.ts";
import type { IndexHandle } from "./indexhandle.ts";
import { type MergeListener, MergeSchedule, REST_AFTER_MS } from "./mergeschedule.ts";
import { searchEmbedded, searchFederatedEmbedded } from "./queryvectors.ts";
import { type Caller, LocalCaller, RemoteCaller, type Thread, ThreadEnded } from "./remote.ts";
import { type EngineOptions, searchMethods } from "./roles.ts";
import type { PartialAnswer } from "./searchanswer.ts";
import { newStop } from "./stop.ts";
import { KEPT_TURN, SharedTurn, type Turn } from "./turn.ts";
import { openEmbedders } from "./vectors/sources.ts";
import type { WorkerStart } from "./workerstart.ts";

/**
 * Limits for threads that build indexes: their objects in JavaScript's heap are short-lived, and a small
 * young generation collects them sooner.
 */
const INDEXING_LIMITS = { maxYoungGenerationSizeMb: 6 };

/** Threads that build indexes end after being idle for this long; the next batch starts another. */
const IDLE_MS = { search: undefined, write: 10_000, merge: 1_000 };

/** The work of starting up goes first: starting a second thread at the same time delays it by 25 ms. */
const KEPT_AFTER_MS = 1_000;

/** With as many hits before the page, one thread for all indexes beats several that must give them all. */
const PASSED_MIN = 200;

/** A call that takes longer than this counts as another one that waits. */
const LONG_CALL_MS = 20;
/** A thread that is at one call for this long is waited for no longer: a new one takes less to start. */
const HELD_MS_MAX = 100;

/**
 * How long a search thread may take to close its files: Bun does not close the open files of a thread that is
 * terminated. A search that runs longer ends with its thread.
 */
const CLOSE_MS_MAX = 300;

/**
 * An engine over worker threads for the data folder at `root`. One search thread starts at once, the others
 * when they are needed: so a newly started server answers its first search sooner.
 */
export function openThreadedEngine(root: string, given: EngineOptions): PoolEngine {
  const module = coreModule();
  const answers = new AnswerCache(given.searchBytes);
  const options = { ...given, searchBytes: given.searchBytes - answers.bytesMax };
  const start = (role: WorkerStart["role"]) =>
    new RemoteCaller(() => startThread({ role, root, module, options }), IDLE_MS[role]);
  const searchers = Array.from({ length: options.threads }, () => start("search"));
  searchers[0].start();
  const embedders = openEmbedders(options.embedding);
  const parts = { embedders, answers, restAfterMs: REST_AFTER_MS };
  return new PoolEngine(start("write"), start("merge"), searchers, parts);
}

/** Starts a thread of a role. A search thread is called through a ring: there each hop counts. */
export function startThread(start: Omit<WorkerStart, "ring">): Thread {
  const url = new URL("./worker.js", import.meta.url);
  if (start.role !== "search") {
    const workerData: WorkerStart = { ...start, ring: null };
    return { worker: new Worker(url, { workerData, resourceLimits: INDEXING_LIMITS }) };
  }
  const { calling, answering } = newRing();
  const workerData: WorkerStart = { ...start, ring: answering };
  const transferList = [answering.port];
  const early = takeThread();
  early?.postMessage(workerData, transferList);
  return { worker: early ?? new Worker(url, { workerData, transferList }), ring: calling };
}

/**
 * An engine that does everything in the calling thread. A caller that only reads never loads the code that
 * writes.
 */
export function openLocalEngine(storage: Storage, options: EngineOptions): PoolEngine {
  const answers = new AnswerCache(options.searchBytes);
  const searchBytes = options.searchBytes - answers.bytesMax;
  const local = { ...options, searchBytes, threads: 0, indexingThreads: 1 };
  const roles = () => import("./writeroles.ts");
  const writer = new LocalCaller(async () => (await roles()).writeMethods(storage, local));
  const merger = new LocalCaller(async () => (await roles()).mergeMethods(storage, local));
  const searcher = new LocalCaller(() => searchMethods(storage, local));
  return new PoolEngine(writer, merger, [searcher], { embedders: openEmbedders(options.embedding), answers });
}

interface PoolParts {
  embedders?: EmbedderProvider;
  /** Default: no answers are kept. */
  answers?: AnswerCache;
  /**
   * When an index counts as at rest (mergeschedule.ts). Default: never, since merges block the caller's
   * thread.
   */
  restAfterMs?: number;
}

export class PoolEngine implements Engine {
  readonly #writer: Caller;
  readonly #merger: Caller;
  readonly #searchers: readonly Caller[];
  readonly #merges: MergeSchedule;
  readonly #embedders: EmbedderProvider;
  readonly #answers: AnswerCache;
  readonly #meter: EngineMeter;
  /** Newest versions by folder, where merges have made a newer one than batches did. */
  readonly #versions = new Map<string, number>();
  /** Flags of the running batches: setting one to a value other than 0 ends its batch. */
  readonly #stops = new Set<Int32Array>();
  /** Indexes in which damage was met. */
  readonly damage = new DamageList();
  /** Called for each merge that failed; searches and batches go on. */
  onMergeFailure: (folder: string, error: Error) => void = () => {};

  constructor(
    writer: Caller,
    merger: Caller,
    searchers: readonly Caller[],
    {
      embedders = openEmbedders(),
      answers = new AnswerCache(0),
      restAfterMs = Number.POSITIVE_INFINITY,
    }: PoolParts = {},
  ) {
    this.#embedders = embedders;
    this.#answers = answers;
    this.#writer = writer;
    this.#merger = merger;
    this.#searchers = searchers;
    this.#meter = new EngineMeter(searchers);
    const listener: MergeListener = {
      merged: (folder, version) => {
        this.#versions.set(folder, version);
        this.#meter.forget(folder);
      },
      failed: (folder, error) => {
        this.damage.note(folder, error);
        this.onMergeFailure(folder, error);
      },
    };
    this.#merges = new MergeSchedule(writer, merger, listener, restAfterMs);
  }

  damageOf(folder: string): string | null {
    return this.damage.of(folder);
  }

  describe(folder: string): Promise<IndexDescription> {
    return this.damage.watch(folder, this.#writer.call("describe", [folder]));
  }

  async run(batch: Batch, progress?: ProgressListener, signal?: AbortSignal): Promise<BatchResult> {
    const { folder } = batch;
    let changed = false;
    this.#merges.begin(folder);
    try {
      const write = this.#stoppable(signal, (stop) => this.#write(batch, stop, progress));
      const result = await this.damage.watch(folder, write);
      this.damage.noteAll(folder, result.results);
      this.#meter.forget(folder);
      ({ changed } = result);
      return result;
    } finally {
      this.#merges.end(folder, changed);
    }
  }

  async compact(folder: string, signal?: AbortSignal): Promise<Compaction> {
    const bytesBefore = await this.#writer.call<number>("size", [folder]);
    const merge = this.#stoppable(signal, (stop) => this.#merges.compact(folder, stop));
    await this.damage.watch(folder, merge);
    const bytesAfter = await this.#writer.call<number>("size", [folder]);
    return { index: await this.describe(folder), bytesBefore, bytesAfter };
  }

  async search(index: IndexHandle, query: SearchQuery, turn: Turn = KEPT_TURN): Promise<Uint8Array> {
    const said = sparseQuery(query);
    const key = this.#answers.keyOf(this.#newest(index), said);
    const known = key && this.#answers.find(key, query.requestUid);
    if (known) return known;
    const search = (embedded: Partial<SearchQuery>) =>
      this.#read<Uint8Array | PartialAnswer>("search", index, { ...said, ...embedded });
    const answer = await searchEmbedded<Uint8Array | PartialAnswer>(this.#embedders, search, turn);
    if ("partial" in answer) {
      this.#meter.degradedSearches++;
      return answer.partial;
    }
    if (key) this.#answers.keep(key, answer);
    return answer;
  }

  async searchFederated(request: FederatedRequest, turn: Turn = KEPT_TURN): Promise<FederatedAnswer> {
    const { indexes, passed } = request;
    const isDeep = passed >= PASSED_MIN && indexes.length <= GROUP_INDEXES_MAX;
    const groups = groupsOf(this.#searchersOf(indexes.length, isDeep));
    const asked = groups.length === 1 ? request : { ...request, passed: 0 };
    const shared = new SharedTurn(turn);
    const lanes = new Lanes<Caller>();
    const searched = groups.map((group) =>
      shared.run((own) => this.#searchGroup(group, asked, { turn: own, lanes })),
    );
    const found = await Promise.all(searched);
    return joinedAnswers(groups, found);
  }

  /** Makes the first search thread open an index and read what a first search of it would wait for. */
  warmUp(index: IndexHandle): void {
    const call = this.#searchers[0].call("warmUp", [this.#newest(index)]);
    // Any other problem is reported to whoever searches the index.
    this.damage.watch(index.folder, call).catch(() => {});
  }

  /**
   * From shortly after the call, keeps a writing thread ready before a batch comes. It costs memory while
   * nobody writes.
   */
  keepWriter(): void {
    setTimeout(() => this.#writer.keep(), KEPT_AFTER_MS).unref();
  }

  similar(index: IndexHandle, query: SimilarQuery): Promise<Uint8Array> {
    return this.#read("similar", index, query);
  }

  facetSearch(index: IndexHandle, query: FacetSearchQuery): Promise<Uint8Array> {
    return this.#read("facetSearch", index, query);
  }

  documents(index: IndexHandle, query: DocumentsQuery): Promise<Uint8Array> {
    return this.#read("documents", index, query);
  }

  document(index: IndexHandle, id: string, parts: DocumentParts): Promise<Uint8Array | null> {
    return this.#read("document", index, id, parts);
  }

  async lines(index: IndexHandle, query: LinesQuery): Promise<DocumentLines> {
    return decodeLines(await this.#read("lines", index, query));
  }

  fields(index: IndexHandle): Promise<string[]> {
    return this.#read("fields", index);
  }

  settings(index: IndexHandle): Promise<Settings> {
    return this.#read("settings", index);
  }

  async drop(folder: string): Promise<void> {
    await this.#merges.cancel(folder);
    this.#versions.delete(folder);
    this.#meter.forget(folder);
    const running = this.#searchers.filter(({ state }) => state !== "none");
    await Promise.all(running.map((searcher) => searcher.call("forget", [folder])));
    await this.#writer.call("drop", [folder]);
    this.damage.forget(folder);
  }

  async figures(folders: readonly string[]): Promise<EngineFigures> {
    const [segments, caches] = [await this.#meter.segments(folders), await this.#meter.caches()];
    const { degradedSearches } = this.#meter;
    const [search, write, merge] = [this.#searchers, [this.#writer], [this.#merger]].map(threadFigures);
    const own = { merges: this.#merges.figures, answers: this.#answers.figures, degradedSearches };
    return { ...own, segments, caches, threads: { search, write, merge } };
  }

  /** Fulfilled when no merge is running or waiting. */
  settled(): Promise<void> {
    return this.#merges.settled();
  }

  /**
   * Ends everything that runs: batches as if aborted, searches with an error, merges without a trace; small
   * merges that indexes need are done first.
   */
  async close(): Promise<void> {
    for (const stop of this.#stops) Atomics.store(stop, 0, 1);
    // A thread that is not ready has nothing open.
    const searchers = this.#searchers.map((searcher) =>
      searcher.close(searcher.state === "ready" ? CLOSE_MS_MAX : 0),
    );
    await Promise.all([...searchers, this.#merges.close()]);
    await Promise.all([this.#writer.close(), this.#merger.close()]);
  }

  /**
   * Runs something that ends with `aborted` when its `stop` flag is set: by the signal, or by closing the
   * engine.
   */
  async #stoppable<T>(signal: AbortSignal | undefined, run: (stop: Int32Array) => Promise<T>): Promise<T> {
    if (signal?.aborted) throw new TarsierError("aborted");
    const stop = newStop();
    const abort = () => Atomics.store(stop, 0, 1);
    signal?.addEventListener("abort", abort);
    this.#stops.add(stop);
    try {
      return await run(stop);
    } finally {
      this.#stops.delete(stop);
      signal?.removeEventListener("abort", abort);
    }
  }

  /** A batch whose thread ended may or may not be committed: the next thread finds out, or runs it again. */
  #write(batch: Batch, stop: Int32Array, progress?: ProgressListener): Promise<BatchResult> {
    const listener = progress && ((news: BatchNote) => progress(...news));
    const call = () => this.#writer.call<BatchResult>("run", [batch, stop], listener);
    return call().catch((error) => {
      if (!(error instanceof ThreadEnded) || error.isFinal) throw error;
      return call();
    });
  }

  /** The part of a federated search that one thread answers. */
  async #searchGroup(
    group: Group<Caller>,
    request: FederatedRequest,
    { turn, lanes }: { turn: Turn; lanes: Lanes<Caller> },
  ): Promise<FederatedAnswer> {
    const indexes = group.orders.map((order) => request.indexes[order]);
    const call = (asked: FederatedRequest) => {
      const newest = asked.indexes.map((one) => ({ ...one, index: this.#newest(one.index) }));
      const said = sparseRequest({ ...asked, indexes: newest });
      return group.thread.call<Uint8Array>("searchFederated", [said]);
    };
    const search = async (asked: FederatedRequest) =>
      readAnswer(await lanes.run(group.thread, () => call(asked)), group.orders);
    const answer = await searchFederatedEmbedded(this.#embedders, { ...request, indexes }, search, turn);
    for (const [at, { fault, isDegraded }] of answer.answers.entries()) {
      if (isDegraded) this.#meter.degradedSearches++;
      if (fault)
        this.damage.note(indexes[at].index.folder, new TarsierError(fault.code, { message: fault.message }));
    }
    if (answer.refused === null) return answer;
    const { order, code, message } = answer.refused;
    const refusal = new TarsierError(code, { message });
    this.damage.note(request.indexes[order].index.folder, refusal);
    throw refusal;
  }

  /** Calls a search thread about an index. */
  #read<Result>(method: string, index: IndexHandle, ...args: unknown[]): Promise<Result> {
    const call = this.#searcher().call<Result>(method, [this.#newest(index), ...args]);
    return this.damage.watch(index.folder, call);
  }

  #newest(index: IndexHandle): IndexHandle {
    const version = Math.max(index.version, this.#versions.get(index.folder) ?? 0);
    return version === index.version ? index : { ...index, version };
  }

  /**
   * The ready thread that is likely to come to the call first. When all are busy, another one is started for
   * the calls that follow: this call would wait longer for it, unless all have been at one call for long.
   */
  #searcher(): Caller {
    const ready = leastBusy(this.#searchers.filter(({ state }) => state === "ready"));
    const least = ready ?? leastBusy(this.#searchers)!;
    if (least.pending === 0) return least;
    this.#startAnother();
    if (least.heldMs < HELD_MS_MAX) return least;
    return leastBusy(this.#searchers.filter(({ state }) => state === "started")) ?? least;
  }

  /**
   * The thread for each index of a request: idle threads share them. When all are busy, or `isTogether`, one
   * gets them all: other requests need the threads, too, and each hop costs.
   */
  #searchersOf(indexes: number, isTogether: boolean): Caller[] {
    const isIdle = ({ state, pending }: Caller) => state === "ready" && pending === 0;
    const idle = isTogether ? [] : this.#searchers.filter(isIdle);
    const threads = idle.length > 0 ? idle : [this.#searcher()];
    if (idle.length > 0 && idle.length < indexes) this.#startAnother();
    return Array.from({ length: indexes }, (_, at) => threads[at % threads.length]);
  }

  #startAnother(): void {
    this.#searchers.find(({ state }) => state === "none")?.start();
  }
}

/**
 * The first of the callers with the fewest calls waiting; null without any. A call that has run for long may
 * go on for as long again: it counts as many, or a search would wait for it while another thread has time.
 */
function leastBusy(callers: readonly Caller[]): Caller | null {
  let least: Caller | null = null;
  let leastCalls = Number.POSITIVE_INFINITY;
  for (const caller of callers) {
    const calls = caller.pending + Math.floor(caller.heldMs / LONG_CALL_MS);
    if (calls >= leastCalls) continue;
    least = caller;
    leastCalls = calls;
  }
  return least;
}

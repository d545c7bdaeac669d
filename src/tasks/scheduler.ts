// Runs batches, one at a time, as long as tasks wait: choose, run, write the end, notify. After registering a
// task, call `wake`.
import type { Engine } from "../engine/engine.ts";
import { messageOf, TarsierError } from "../errors.ts";
import { RecordTooLarge } from "../storage/recordformat.ts";
import type { BatchLimits } from "./autobatch.ts";
import { briefly, type EndedBatch, finishRecord } from "./batchresult.ts";
import { type BatchPlan, chooseBatch } from "./choice.ts";
import { type BatchContext, type BatchEffects, failed } from "./execution.ts";
import { executorOf, type MoreExecutors } from "./executors.ts";
import { IndexFolders } from "./indexfolders.ts";
import type { Journal } from "./journal.ts";
import { ROOM_MAKING_TYPES, type TaskType } from "./kinds.ts";
import { Progress } from "./progress.ts";
import { rowsOf } from "./queries.ts";
import type { Clock, Moment } from "./time.ts";
import { rangesHave, type UidRanges, unpackUids } from "./uidranges.ts";

interface SchedulerOptions {
  journal: Journal;
  engine: Engine;
  clock: Clock;
  limits: BatchLimits;
  executors: MoreExecutors;
  /** Tasks that just ended, by ascending uid; called once their end is durable. */
  onFinished(uids: number[]): void;
  /** Nothing runs because writes are held (heldwrites.ts). */
  onHeld(): void;
  /** Something failed that is no fault of a task. */
  onTrouble(error: Error): void;
  /** Nothing runs any more, unless it is woken; the error has been told as trouble. */
  onStopped(error: Error): void;
}

export interface RunningBatch {
  uid: number;
  plan: BatchPlan;
  startedAt: Moment;
  progress: Progress;
}

export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #folders: IndexFolders;
  #running: RunningBatch | null = null;
  #abort = new AbortController();
  #loop: Promise<void> | null = null;
  #closed = false;
  #idlers: (() => void)[] = [];
  /** Why nothing runs: a batch ended in doubt, or the journal failed. Tasks wait for the next start. */
  #stopped: Error | null = null;
  #cutPause: (() => void) | null = null;
  /** Uid of a postponed task -> when it may run again, by performance.now(). */
  readonly #postponed = new Map<number, number>();
  /** Kind of the task just postponed; other waiting tasks go before the next one of this kind. */
  #putOff: TaskType | null = null;
  #alarm: NodeJS.Timeout | undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#folders = new IndexFolders(options.journal, options.engine, options.clock, options.onTrouble);
  }

  get running(): RunningBatch | null {
    return this.#running;
  }

  get stopped(): Error | null {
    return this.#stopped;
  }

  /** Looks for work, unless already working. */
  wake(): void {
    if (this.#closed || this.#options.limits.tasksMax === 0) return;
    this.#loop ??= this.#runAll();
  }

  /** Stops the running batch if it holds one of these tasks; its tasks then wait again. */
  interrupt(tasks: UidRanges): void {
    if (this.#running?.plan.tasks.some(({ uid }) => rangesHave(tasks, uid))) this.#abort.abort();
  }

  /**
   * Fulfilled when nothing waits or runs, or when nothing will any more: after a close, a failed journal, or
   * a batch in doubt.
   */
  idle(): Promise<void> {
    const { journal } = this.#options;
    const hasStopped = this.#closed || this.#stopped !== null || journal.failure !== null;
    const isIdle = hasStopped || journal.state.tasks.waiting.size === 0;
    if (this.#loop === null && isIdle) return Promise.resolve();
    return new Promise((resolve) => this.#idlers.push(resolve));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#abort.abort();
    this.#cutPause?.();
    clearTimeout(this.#alarm);
    await this.#loop;
    this.#tellIdlers();
  }

  async #runAll(): Promise<void> {
    this.#stopped = null;
    await this.#folders.dropAbandoned();
    while (!this.#closed) {
      try {
        const plan = this.#choose();
        if (!plan) break;
        await this.#runBatch(plan);
      } catch (error) {
        // A task could not be read, or the end could not be written: the tasks wait again, and the engine
        // will recognise what it has already committed.
        this.#options.onTrouble(error as Error);
        if (this.#options.journal.failure || isInDoubt(error)) {
          this.#stopped = error as Error;
          this.#loop = null;
          this.#tellIdlers();
          this.#options.onStopped(this.#stopped);
          return;
        }
        if (!this.#closed) await this.#pause(RETRY_MILLISECONDS);
      }
    }
    // In the same turn that found no work: a later `wake` starts a new loop, a later `idle` finds none to
    // wait for.
    this.#loop = null;
    this.#setAlarm();
    const { tasks, held } = this.#options.journal.state;
    if (!this.#closed && tasks.waiting.size > 0) {
      if (held.isAny()) this.#options.onHeld();
      return;
    }
    this.#tellIdlers();
  }

  #tellIdlers(): void {
    for (const resolve of this.#idlers.splice(0)) resolve();
  }

  #choose(): BatchPlan | null {
    const { journal, limits } = this.#options;
    const { state } = journal;
    for (const uid of this.#postponed.keys()) if (!state.tasks.waiting.has(uid)) this.#postponed.delete(uid);
    if (this.#putOff !== null) {
      const alike = rowsOf(state.tasks, { statuses: ["enqueued"], types: [this.#putOff] });
      this.#putOff = null;
      const uids = Array.from(alike, (row) => state.tasks.columns.uids[row]);
      const plan = chooseBatch(state, limits, new Set([...this.#postponed.keys(), ...uids]));
      if (plan) return plan;
    }
    const now = performance.now();
    const awaited = [...this.#postponed].filter(([, until]) => until > now);
    return chooseBatch(state, limits, new Set(awaited.map(([uid]) => uid)));
  }

  async #runBatch(plan: BatchPlan): Promise<void> {
    const { journal, clock } = this.#options;
    const { state } = journal;
    const uids = plan.tasks.map(({ uid }) => uid);
    const startedAt = clock.now();
    const progress = new Progress(() => clock.now());
    const running = { uid: state.nextBatchUid, plan, startedAt, progress };
    this.#abort = new AbortController();
    state.tasks.startProcessing(uids, running.uid, startedAt);
    this.#running = running;
    let ended = false;
    try {
      const effects = await this.#execute(plan, progress, startedAt);
      if (effects === null) return;
      progress.enter("writing tasks to disk");
      const batch = { ...running, tasks: plan.tasks, strategy: plan.strategy, finishedAt: clock.now() };
      const written = await this.#writeEnd(batch, effects);
      ended = true;
      this.#running = null;
      this.#tellFinished(endedUids(written));
      await this.#folders.drop(written.drops ?? []);
    } finally {
      this.#running = null;
      if (!ended) state.tasks.stopProcessing(uids);
    }
  }

  /**
   * Writes how the batch ended and returns that. An end too large for one record would be too large again: it
   * is retried with shortened errors, and then, if only the catalog would change, the tasks fail.
   */
  async #writeEnd(batch: EndedBatch, effects: BatchEffects): Promise<BatchEffects> {
    const { journal } = this.#options;
    let refusal: RecordTooLarge | null = null;
    for (const wording of [(whole: BatchEffects) => whole, briefly]) {
      const written = wording(effects);
      try {
        await journal.write(finishRecord(batch, written, journal.state), "end");
        return written;
      } catch (error) {
        if (!(error instanceof RecordTooLarge)) throw error;
        refusal = error;
      }
    }
    // The engine has committed what the catalog would not know of: the batch runs again.
    if (effects.indexed) throw refusal;
    const ends = batch.tasks.map((task) => failed(task, crashed(refusal)));
    await journal.write(finishRecord(batch, { ends }, journal.state), "end");
    return { ends };
  }

  /** What the batch did; null when it was interrupted or postponed. */
  async #execute(plan: BatchPlan, progress: Progress, startedAt: Moment): Promise<BatchEffects | null> {
    const { journal, engine, clock } = this.#options;
    const context: BatchContext = {
      state: journal.state,
      engine,
      progress,
      signal: this.#abort.signal,
      startedAt,
      now: () => clock.now(),
      reserveFolder: () => this.#folders.reserve(),
      createIndex: (uid) => this.#folders.createIndex(uid),
    };
    const failure = plan.failure ?? (makesRoom(plan) ? null : journal.restoreReserve());
    if (failure) return { ends: plan.tasks.map((task) => failed(task, failure)) };
    try {
      const outcome = await executorOf(plan, this.#options.executors)(plan.tasks, context);
      if (!("waitMs" in outcome)) return outcome;
      for (const { uid } of plan.tasks) this.#postponed.set(uid, performance.now() + outcome.waitMs);
      this.#putOff = plan.tasks[0].kind.type;
      return null;
    } catch (cause) {
      if (this.#abort.signal.aborted) return null;
      if (journal.failure || isInDoubt(cause)) throw cause;
      const error = cause instanceof TarsierError ? cause : crashed(cause);
      return { ends: plan.tasks.map((task) => failed(task, error)) };
    }
  }

  /** Wakes when the first postponed task is due. */
  #setAlarm(): void {
    clearTimeout(this.#alarm);
    if (this.#closed || this.#postponed.size === 0) return;
    const waitMs = Math.max(1, Math.min(...this.#postponed.values()) - performance.now());
    this.#alarm = setTimeout(() => this.wake(), waitMs);
  }

  /** An exception of a listener does not change that the batch has ended. */
  #tellFinished(uids: number[]): void {
    try {
      this.#options.onFinished(uids);
    } catch (error) {
      this.#options.onTrouble(error as Error);
    }
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#cutPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function makesRoom({ tasks }: BatchPlan): boolean {
  return tasks.some(({ kind }) => ROOM_MAKING_TYPES.has(kind.type));
}

function endedUids({ ends, canceled }: BatchEffects): number[] {
  const uids = [...ends.map(({ uid }) => uid), ...(canceled ? unpackUids(canceled.tasks) : [])];
  return uids.sort((a, b) => a - b);
}

/** Whether the batch was committed is known only at the next start: until then its tasks wait. */
function isInDoubt(cause: unknown): boolean {
  return cause instanceof TarsierError && cause.code === "commit_in_doubt";
}

/** An error that the engine did not foresee. */
function crashed(cause: unknown): TarsierError {
  return new TarsierError("internal", { message: `the batch crashed: ${messageOf(cause)}` });
}

/** Pause after the end of a batch could not be written. */
const RETRY_MILLISECONDS = 10_000;

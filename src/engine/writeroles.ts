// The methods that the threads that write offer to pool.ts by name, and those that the sandbox of an edit
// function offers to editthread.ts. An engine in the caller's thread loads this file at the first write
// (pool.ts).
import type { SegmentEntry } from "../segment/manifeststate.ts";
import type { MergeJob } from "../segment/merge.ts";
import type { Storage } from "../storage/storage.ts";
import { EditFailure, EditFunction, loadInterpreter, SANDBOX_BOUNDS } from "./edit/editfunction.ts";
import type { EditAnswer } from "./editthread.ts";
import type { Batch, BatchNote } from "./engine.ts";
import type { MergeReach } from "./ingest/mergepolicy.ts";
import { MergeThread } from "./mergethread.ts";
import type { RemoteMethods } from "./remote.ts";
import type { EngineOptions } from "./roles.ts";
import { openEmbedders } from "./vectors/sources.ts";
import { WriteThread } from "./writethread.ts";

export function writeMethods(storage: Storage, options: EngineOptions): RemoteMethods {
  const { indexingBytes, indexingThreads, embedding } = options;
  const thread = new WriteThread(storage, indexingBytes, openEmbedders(embedding), indexingThreads);
  const turns = new Turns();
  return {
    describe: ([folder]: [string]) => thread.describe(folder),
    size: ([folder]: [string]) => thread.size(folder),
    run: ([batch, stop]: [Batch, Int32Array | null], note: (news: BatchNote) => void) =>
      turns.next(() => thread.run(batch, stop, (...news) => note(news))),
    beginMerge: ([folder, reach]: [string, MergeReach]) => turns.next(() => thread.beginMerge(folder, reach)),
    commitMerge: ([job, merged]: [MergeJob, SegmentEntry | null]) =>
      turns.next(() => thread.commitMerge(job, merged)),
    tidy: ([folder]: [string]) => turns.next(() => thread.tidy(folder)),
    endMerge: ([job]: [MergeJob]) => turns.next(() => thread.endMerge(job)),
    drop: ([folder]: [string]) => turns.next(() => thread.drop(folder)),
    rest: () => turns.next(() => thread.rest()),
    close: () => turns.next(() => thread.close()),
  };
}

export function mergeMethods(storage: Storage, options: EngineOptions): RemoteMethods {
  const thread = new MergeThread(storage, options.indexingBytes, options.indexingThreads);
  return {
    merge: ([job, stop]: [MergeJob, Int32Array | null]) => thread.merge(job, stop),
    rest: () => true,
    close: () => {},
  };
}

/** A sandbox with one function. A failure of the function is a normal answer: it names a document. */
export function editMethods(): RemoteMethods {
  let edit: EditFunction | null = null;
  const answer = (run: () => string): EditAnswer => {
    try {
      return { text: run() };
    } catch (error) {
      if (!(error instanceof EditFailure)) throw error;
      return { text: null, reason: error.message, at: error.at };
    }
  };
  return {
    load: async () => {
      await loadInterpreter();
      return answer(() => "");
    },
    compile: ([source, context, timeMs]: [string, unknown, number]) =>
      answer(() => {
        edit?.close();
        edit = null;
        edit = EditFunction.compile(source, context, { ...SANDBOX_BOUNDS, timeMs });
        return "";
      }),
    run: ([documents]: [string]) => answer(() => edit!.answer(documents)),
    rest: () => true,
  };
}

/** Runs calls one after another: a batch that waits for an embedder keeps the others waiting. */
class Turns {
  #last: Promise<unknown> = Promise.resolve();
  #running = 0;

  next<T>(call: () => T | Promise<T>): T | Promise<T> {
    if (this.#running === 0) {
      const done = call();
      if (!(done instanceof Promise)) return done;
      return this.#enter(done);
    }
    return this.#enter(this.#last.then(call));
  }

  #enter<T>(done: Promise<T>): Promise<T> {
    this.#running++;
    const leave = () => {
      this.#running--;
    };
    this.#last = done.then(leave, leave);
    return done;
  }
}

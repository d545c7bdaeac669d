// Merges of segments in one thread, beside batches and searches. Runs in a worker (worker.ts) or in the
// caller's thread.
import { Core } from "../core/core.ts";
import { TarsierError } from "../errors.ts";
import { BuildBuffers, type BuildingLimits } from "../segment/builder.ts";
import type { SegmentEntry } from "../segment/manifeststate.ts";
import { type MergeJob, mergeSegments } from "../segment/merge.ts";
import type { MergeShare } from "../segment/mergeparts.ts";
import type { Storage } from "../storage/storage.ts";
import { buildingBudget } from "./ingest/budget.ts";

export class MergeThread {
  readonly #storage: Storage;
  readonly #budget: BuildingLimits;
  #share: MergeShare;

  /** `threads`: number of threads that build a segment together. */
  constructor(storage: Storage, indexingBytes: number, threads = 1) {
    this.#storage = storage;
    this.#budget = buildingBudget(indexingBytes, threads);
    this.#share = openMergeShare(storage, this.#budget);
  }

  /** Writes the merged segment; null when no document is left. Ends with `aborted` when `stop` is set. */
  merge(job: MergeJob, stop: Int32Array | null): SegmentEntry | null {
    try {
      return mergeSegments(this.#share, job, () => {
        if (stop && Atomics.load(stop, 0) !== 0) throw new TarsierError("aborted");
      });
    } catch (error) {
      // Any other failure may have left the core in any state.
      if (!(error instanceof TarsierError)) {
        this.#share = openMergeShare(this.#storage, this.#budget);
      }
      throw error;
    }
  }
}

function openMergeShare(storage: Storage, limits: BuildingLimits): MergeShare {
  const core = new Core();
  return { core, storage, buffers: new BuildBuffers(core, limits) };
}

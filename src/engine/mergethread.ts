// Merges of segments in one thread, beside batches and searches. Runs in a worker (worker.ts) or in the caller's thread.
import { Core } from "../core/core.ts";
import { TarsierError } from "../errors.ts";
import { BuildBuffers } from "../segment/builder.ts";
import { ExtentCache } from "../segment/cache.ts";
import type { SegmentEntry } from "../segment/manifeststate.ts";
import { mergeSegments, type MergeShare } from "../segment/merge.ts";
import type { Storage } from "../storage/storage.ts";
import type { MergeTask } from "./writethread.ts";

const CACHE_BYTES = 64 * 1024 * 1024;

export class MergeThread {
  readonly #share: MergeShare;

  constructor(storage: Storage) {
    const core = new Core();
    this.#share = { core, storage, cache: new ExtentCache(core, CACHE_BYTES), buffers: new BuildBuffers(core) };
  }

  /** Writes the merged segment; null when no document is left. `stop`: ends with `aborted` when it is set. */
  merge(task: MergeTask, stop: Int32Array | null): SegmentEntry | null {
    return mergeSegments(this.#share, task, () => {
      if (stop && Atomics.load(stop, 0) !== 0) throw new TarsierError("aborted");
    });
  }
}

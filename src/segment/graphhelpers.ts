// Threads that insert into a graph beside the one that builds it. They are started for one graph and end with
// it; one that comes too late ends at once. Used by vectorgraphbuilder.ts; the threads run graphthread.ts.
import { Worker } from "node:worker_threads";
import { type Core, coreModule } from "../core/core.ts";
import { BUILDER_STOP_AT } from "../core/vectorgraph.ts";
import { awaitLeaving, newAttendance } from "./graphattendance.ts";
import type { GraphThreadStart } from "./graphthread.ts";

/** A helper has nothing in its own heap but this program. */
const LIMITS = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 };

export class GraphHelpers {
  readonly #core: Core;
  readonly #builder: number;
  readonly #attendance = newAttendance();

  /** Starts one thread for each room. */
  constructor(core: Core, builder: number, rooms: readonly number[]) {
    this.#core = core;
    this.#builder = builder;
    const shared = { module: coreModule(), memory: core.memory, builder, attendance: this.#attendance };
    const url = new URL("./graphthread.js", import.meta.url);
    for (const room of rooms) {
      const workerData: GraphThreadStart = { ...shared, room };
      // If a helper cannot start, nothing is lost; if it fails at work, it reports that when it leaves.
      try {
        const worker = new Worker(url, { workerData, resourceLimits: LIMITS });
        worker.on("error", () => {});
        worker.unref();
      } catch {
        // There are too many threads already.
        return;
      }
    }
  }

  /**
   * Waits until no helper is at work, and none will be: then the builder's memory may be freed. `stops`: they
   * skip the remaining items.
   */
  close(stops: boolean): void {
    if (stops) Atomics.store(this.#core.i32, (this.#builder + BUILDER_STOP_AT) >>> 2, 1);
    const isWell = awaitLeaving(this.#attendance);
    if (!isWell && !stops) throw new Error("a thread that helped to build a graph has failed");
  }
}

// Answers searches that cost little in the thread that asks: the way to a search thread and back takes
// longer than most searches. Searches that read much, that filter or sort, and all of them while this thread
// is busy, go to the search threads (pool.ts), so that this one goes on answering.
import { performance } from "node:perf_hooks";
import { TarsierError } from "../errors.ts";
import type { SearchQuery } from "../schemas/search.ts";
import type { Storage } from "../storage/storage.ts";
import type { IndexHandle } from "./engine.ts";
import { SearchThread } from "./searchthread.ts";

/** Bytes of posting lists and occurrences that a search may read here: two milliseconds of work at most. */
const READ_BYTES_MAX = 128 * 1024;
/** A search that took longer (a slow disk, code not yet compiled) closes the lane for a while. */
const SEARCH_MS_MAX = 8;
const CLOSED_MS = 100;
/** The first answers come from the search thread: it starts while this thread is at work. */
const CLOSED_AT_START_MS = 1500;
/** So often it is measured how busy the thread is; above this part of the time the lane is closed. */
const SAMPLE_MS = 100;
const BUSY_PART_MAX = 0.95;

export class FrontLane {
  readonly #make: () => SearchThread;
  #thread: SearchThread | null = null;
  #closedUntil = performance.now() + CLOSED_AT_START_MS;
  #sampled = performance.eventLoopUtilization();
  #sampledAt = performance.now();

  constructor(storage: Storage, cacheBytes: number) {
    this.#make = () => new SearchThread(storage, cacheBytes);
  }

  /** The answer, or null when the search belongs to a search thread. @throws TarsierError */
  search(index: IndexHandle, query: SearchQuery): Uint8Array | null {
    const began = performance.now();
    if (!isPlain(query) || !this.#isOpen(began)) return null;
    this.#thread ??= this.#make();
    try {
      return this.#thread.search(index, query, READ_BYTES_MAX);
    } catch (error) {
      if (error instanceof TarsierError) throw error;
      return null;
    } finally {
      const ended = performance.now();
      if (ended - began > SEARCH_MS_MAX) this.#closedUntil = ended + CLOSED_MS;
    }
  }

  /** Closes an index. */
  forget(folder: string): void {
    this.#thread?.forget(folder);
  }

  close(): void {
    this.#thread?.close();
    this.#thread = null;
  }

  #isOpen(now: number): boolean {
    if (now - this.#sampledAt > SAMPLE_MS) {
      const { utilization } = performance.eventLoopUtilization(this.#sampled);
      if (utilization > BUSY_PART_MAX) this.#closedUntil = now + CLOSED_MS;
      this.#sampled = performance.eventLoopUtilization();
      this.#sampledAt = now;
    }
    return now >= this.#closedUntil;
  }
}

/** True for words and nothing that is looked up in other ways. */
function isPlain({ filter, sort, facets, distinct, vector, hybrid, media }: SearchQuery): boolean {
  return [filter, sort, facets, distinct, vector, hybrid, media].every((part) => part === null);
}

// The figures that an engine reports for monitoring: segments, merges, caches and threads. Filled by pool.ts,
// shown by the metrics route.
import type { AnswerCacheFigures } from "./answercache.ts";
import type { Caller } from "./remote.ts";

export interface EngineFigures {
  /** Segments of the given indexes, by folder; an index that cannot be read is left out. */
  segments: ReadonlyMap<string, number>;
  merges: MergeFigures;
  /** Cache of each running search thread, by the thread's number. */
  caches: ReadonlyMap<number, CacheFigures>;
  answers: AnswerCacheFigures;
  /** Threads by role. */
  threads: Record<Role, ThreadFigures>;
  /** Searches since the start that ran out of time before all hits were ranked. */
  degradedSearches: number;
}

/** Merges since the start, and the number of indexes that have some waiting. */
export interface MergeFigures {
  running: number;
  waiting: number;
  done: number;
  failed: number;
  /** Bytes of the merged segments, and of the ones that were made of them. */
  bytesRead: number;
  bytesWritten: number;
}

/** The parts of segments that a search thread keeps in memory. */
export interface CacheFigures {
  bytes: number;
  bytesMax: number;
  hits: number;
  misses: number;
}

interface ThreadFigures {
  running: number;
  max: number;
  /** Calls not yet answered: running or waiting. */
  calls: number;
}

type Role = "search" | "write" | "merge";

export class EngineMeter {
  degradedSearches = 0;
  readonly #searchers: readonly Caller[];
  /** Segment counts by folder, kept until the index changes. */
  readonly #segments = new Map<string, Promise<number | null>>();

  constructor(searchers: readonly Caller[]) {
    this.#searchers = searchers;
  }

  /** To be called when an index has other segments than before, or was removed. */
  forget(folder: string): void {
    this.#segments.delete(folder);
  }

  /** Asks about one index after another, so that no search waits long. */
  async segments(folders: Iterable<string>): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    for (const folder of folders) {
      const asked = this.#segments.get(folder) ?? this.#ask(folder);
      this.#segments.set(folder, asked);
      const count = await asked;
      if (count !== null) counts.set(folder, count);
    }
    return counts;
  }

  /** A thread that does not run yet has nothing to report, and is not started just for this. */
  async caches(): Promise<Map<number, CacheFigures>> {
    const figures = new Map<number, CacheFigures>();
    for (const [number, searcher] of this.#searchers.entries()) {
      if (searcher.state !== "ready") continue;
      const told = await searcher.call<CacheFigures>("cacheFigures", []).catch(() => null);
      if (told) figures.set(number, told);
    }
    return figures;
  }

  #ask(folder: string): Promise<number | null> {
    const searcher = this.#searchers.find(({ state }) => state === "ready") ?? this.#searchers[0];
    return searcher.call<number>("segments", [folder]).catch(() => {
      this.forget(folder);
      return null;
    });
  }
}

export function threadFigures(callers: readonly Caller[]): ThreadFigures {
  return {
    running: callers.filter(({ state }) => state !== "none").length,
    max: callers.length,
    calls: callers.reduce((sum, { pending }) => sum + pending, 0),
  };
}

// What an engine tells of itself to those who watch it: segments, merges, caches and threads. Filled by
// pool.ts; the metrics show it.
import type { AnswerCacheFigures } from "./answercache.ts";
import type { MergeFigures } from "./mergeschedule.ts";
import type { Caller } from "./remote.ts";

export interface EngineFigures {
  /** Segments of the indexes that were asked for, by folder; none for one that cannot be read. */
  segments: ReadonlyMap<string, number>;
  merges: MergeFigures;
  /** Of each search thread that runs, by its number. */
  caches: ReadonlyMap<number, CacheFigures>;
  answers: AnswerCacheFigures;
  /** By what they do. */
  threads: Record<Role, ThreadFigures>;
  /** Searches since the start whose time ran out before all hits were ranked. */
  degradedSearches: number;
}

/** The parts of segments that a search thread keeps at hand. */
export interface CacheFigures {
  bytes: number;
  bytesMax: number;
  hits: number;
  misses: number;
}

interface ThreadFigures {
  running: number;
  max: number;
  /** Calls not yet answered: at work, or waiting. */
  calls: number;
}

type Role = "search" | "write" | "merge";

export class EngineMeter {
  degradedSearches = 0;
  readonly #searchers: readonly Caller[];
  /** By folder, until the index changes. */
  readonly #segments = new Map<string, Promise<number | null>>();

  constructor(searchers: readonly Caller[]) {
    this.#searchers = searchers;
  }

  /** An index has other segments than before, or none any more. */
  forget(folder: string): void {
    this.#segments.delete(folder);
  }

  /** Asks one index after the other, so that no search waits long. */
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

  /** A thread that does not run yet has nothing to tell, and is not started for it. */
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

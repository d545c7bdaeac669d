// The warm-up of a server. A process that has just started runs code that no compiler has optimised yet: its
// first searches take longer than those that come after some thousand others. So a server that holds many
// documents, or gets them, searches by itself, in a small index that comes with the package
// (tools/warmupset.mjs), in the thread that will answer its users. It stops while they ask, and leaves
// nothing behind. Used by src/node.ts.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { PoolEngine } from "../engine/pool.ts";
import { upwards } from "../package-files.ts";
import { type SearchBody, searchQueryOf } from "../schemas/search.ts";
import type { Instance } from "./instance.ts";

const FOLDER = "bundle/warmup";
const QUERIES = "queries.json";
/** How often all queries are asked. */
const ROUNDS = 4;
/** Who starts a server asks it next: that answer does not wait. */
const AFTER_START_MS = 300;
/** Without searches for so long the server is idle. */
const QUIET_MS = 50;
/** A server that is never idle has warmed up by itself. */
const WAIT_MS_MAX = 60_000;
/** Fewer documents, and fewer bytes of new ones, are searched quickly by any code. */
const DOCUMENTS_MIN = 1000;
const PAYLOAD_BYTES_MIN = 256 * 1024;

/** Path of the folder with its index and queries; undefined: this build has none. */
export function findWarmUp(): string | undefined {
  const queries = [...upwards(`${FOLDER}/${QUERIES}`)].find((place) => existsSync(place));
  return queries && fileURLToPath(new URL(".", queries));
}

interface WarmUpParts {
  instance: Pick<Instance, "allStats" | "on">;
  engine: Pick<PoolEngine, "quietMs" | "warmUp" | "endWarmUp">;
  /** From `findWarmUp`. */
  root: string;
  onFailure(error: unknown): void;
}

export class WarmUp {
  readonly #parts: WarmUpParts;
  readonly #closing = new AbortController();
  readonly #earliest = performance.now() + AFTER_START_MS;
  #running: Promise<void> | null = null;

  /** Begins when there is reason to. */
  constructor(parts: WarmUpParts) {
    this.#parts = parts;
    const { indexes } = parts.instance.allStats();
    const isFilled = [...indexes.values()].some(
      ({ description }) => description.numberOfDocuments >= DOCUMENTS_MIN,
    );
    if (isFilled) this.#begin();
    parts.instance.on("accepted", ({ kind }) => {
      if (kind.type === "documentAdditionOrUpdate" && kind.payloadBytes >= PAYLOAD_BYTES_MIN) this.#begin();
    });
  }

  /** Fulfilled when it has stopped. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  #begin(): void {
    this.#running ??= this.#run().catch((error) => {
      if (!this.#closing.signal.aborted) this.#parts.onFailure(error);
    });
  }

  async #run(): Promise<void> {
    const { engine, root } = this.#parts;
    await this.#pause(Math.max(0, this.#earliest - performance.now()));
    const bodies: SearchBody[] = JSON.parse(readFileSync(join(root, QUERIES), "utf8"));
    const queries = bodies.map((body) => searchQueryOf(body, "", null));
    const end = performance.now() + WAIT_MS_MAX;
    for (let asked = 0; asked < ROUNDS * queries.length; asked++) {
      while (engine.quietMs < QUIET_MS) await this.#pause(QUIET_MS);
      if (performance.now() > end) break;
      this.#closing.signal.throwIfAborted();
      await engine.warmUp(queries[asked % queries.length]);
    }
    await engine.endWarmUp();
  }

  #pause(milliseconds: number): Promise<unknown> {
    return setTimeout(milliseconds, null, { signal: this.#closing.signal });
  }
}

// A client that searches beside other work, over a connection of its own. Called by copies.bench.ts.
import { BenchClient } from "./client.ts";
import { anew } from "./questions.ts";

/** Asks one question after the other, each in words that no answer is kept for. */
export class Searcher {
  readonly #client: BenchClient;
  readonly #path: string;
  readonly #bodies: readonly object[];
  #next = 0;

  constructor(url: string, uid: string, bodies: readonly object[]) {
    this.#client = new BenchClient(url);
    this.#path = `/indexes/${uid}/search`;
    this.#bodies = bodies;
  }

  /** Milliseconds that it took. */
  async search(): Promise<number> {
    const body = Buffer.from(JSON.stringify(anew(this.#bodies[this.#next++ % this.#bodies.length])));
    const start = performance.now();
    await this.#client.send("POST", this.#path, body, "application/json");
    return performance.now() - start;
  }

  async searchDuring(work: Promise<unknown>): Promise<number[]> {
    const times: number[] = [];
    let goesOn = true;
    const ended = work.finally(() => {
      goesOn = false;
    });
    while (goesOn) times.push(await this.search());
    await ended;
    return times;
  }

  close(): void {
    this.#client.close();
  }
}

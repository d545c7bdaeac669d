// The memory of a server under load: its resident set, sampled until told to stop. Used by soak.ts and
// overload.ts.
import { spawnSync } from "node:child_process";

const SAMPLE_MS = 500;
const KIB = 1024;

export class RssSamples {
  readonly #samples: number[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number) {
    const sample = () => {
      const { stdout } = spawnSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" });
      if (Number(stdout) > 0) this.#samples.push(Number(stdout) * KIB);
    };
    // A load that fails is not to be kept alive by its samples.
    this.#timer = setInterval(sample, SAMPLE_MS).unref();
  }

  get most(): number {
    return Math.max(0, ...this.#samples);
  }

  /** Part by which the mean of the last quarter exceeds that of the second one. */
  get growth(): number {
    const quarter = Math.floor(this.#samples.length / 4);
    if (quarter === 0) return 0;
    const mean = (from: number) =>
      this.#samples.slice(from, from + quarter).reduce((sum, one) => sum + one, 0) / quarter;
    return mean(this.#samples.length - quarter) / mean(quarter) - 1;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

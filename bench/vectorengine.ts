// What an engine for vectors is to the vector benchmarks, and the time that it takes to build one.

export interface VectorEngine {
  name: string;
  /** Null: there is nothing to build. */
  built: BuildTime | null;
  /** Search widths (ef) to measure; a scan has none. */
  widths: number[];
  search(query: Float32Array, width: number): ArrayLike<number>;
  /** The same search among some items, given as a bitmap and their number. */
  searchAmong?(query: Float32Array, width: number, allowed: Uint8Array, count: number): ArrayLike<number>;
}

/** Time to build with some number of threads. */
export interface BuildTime {
  name: string;
  threads: number;
  seconds: number;
  /** Sum over all threads: the figure to compare on a machine that also does other things. */
  processorSeconds: number;
}

/** Makes something and measures the time. */
export function timed<Made>(
  name: string,
  threads: number,
  make: () => Made,
): { made: Made; built: BuildTime } {
  const [begin, before] = [performance.now(), process.cpuUsage()];
  const made = make();
  const { user, system } = process.cpuUsage(before);
  const seconds = (performance.now() - begin) / 1000;
  return { made, built: { name, threads, seconds, processorSeconds: (user + system) / 1e6 } };
}

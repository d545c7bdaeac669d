// Measures one engine for vectors, in its own process: building, and queries a second at equal recall.
// Started by vectorfigures.ts, which passes the engine and the most vectors to use.
import { vectorEngines } from "../vectorengines.ts";
import { loadVectorSet } from "../vectorset.ts";
import { measureWidth, rateAt, type VectorSpeed } from "../vectorspeed.ts";
import { tell } from "./measuringprocess.ts";
import type { VectorMeasurement } from "./vectorfigures.ts";

const RECALLS = [0.9, 0.95];

const [name, vectorsMax] = process.argv.slice(2);
const set = loadVectorSet(Number(vectorsMax));
try {
  measureEngine();
} catch (error) {
  const note = `not measured: ${error instanceof Error ? error.message : error}`;
  tell([{ name: "graph built by 1 thread", unit: "s", values: [], note }]);
}

function measureEngine(): void {
  const measured: VectorMeasurement[] = [];
  const engines = vectorEngines[name](set);
  const speeds: VectorSpeed[] = engines.flatMap((engine) =>
    engine.widths.map((width) => measureWidth(set, engine, width)),
  );
  for (const kind of new Set(engines.map((engine) => engine.name))) {
    const built = engines.find((engine) => engine.name === kind)?.built;
    if (!built) continue;
    const of = {
      engine: kind.startsWith("usearch") ? kind : name,
      set: `${set.count} ${set.name} vectors`,
    };
    const threads = `${built.threads} thread${built.threads === 1 ? "" : "s"}`;
    measured.push({ ...of, name: `graph built by ${threads}`, unit: "s", values: [built.seconds] });
    // A graph built by several threads is searched just like the other one.
    if (built.threads !== 1) continue;
    for (const recall of RECALLS) {
      const rate = rateAt(speeds, kind, recall);
      const result = Number.isFinite(rate) ? { values: [rate] } : { values: [], note: "not reached" };
      measured.push({
        ...of,
        name: `queries at a recall of ${recall}, one thread`,
        unit: "queries/s",
        ...result,
      });
    }
  }
  tell(measured);
}

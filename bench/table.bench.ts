// Where does Tarsier stand? One table of everything that is measured: indexing, memory, disk, start, searches
// by class, throughput, searches during indexing, freshness of answers, vectors; for Tarsier over HTTP, the
// server that PEER_BIN names, and libraries in a process, on the same data in the same run. Written to
// bench/results.
//
//   npm run bench -- [--only indexing,search] [--sets npm,pypi@10000] [--engines tarsier,minisearch]
//                    [--quick] [--no-write] [--results DIR] [--seconds 60] [--options "--max-..."]
//   PEER_BIN=path/to/meilisearch npm run bench
import { readCommandLine } from "./commandline.ts";
import { type Dataset, datasetNames, loadDataset } from "./datasets.ts";
import { comparison, type Figure, type Measurement, printProgress, show } from "./figures.ts";
import { libraryNames, measureLibrary } from "./peers/libraryfigures.ts";
import { measureVectors, vectorEngineNames } from "./peers/vectorfigures.ts";
import { Results } from "./results.ts";
import { type Program, peerProgram, tarsier } from "./server.ts";
import { measureServer } from "./serverfigures.ts";

const { plan, sets, engines, results: folder } = readCommandLine();
const programs = [tarsier, peerProgram()].filter((program): program is Program => program !== null);
const serverNames = programs.map(({ name }) => name);
const isServer = (engine: string) => serverNames.includes(engine);
const isAsked = (engine: string) => engines?.includes(engine) ?? true;
const notes = [
  [
    "Ratios are Tarsier's figure divided by the other engine's. A set is asked with the settings and queries",
    "of `../shared/relevance` where it has some. Cold: the first pass over all queries after a start, with",
    "the files still in the memory of the system; warm: the third pass; steady: the first one after 5,000",
    "searches. Libraries keep everything in their heap and write nothing to disk.",
  ].join(" "),
];
const results = new Results("table", folder);
console.log(`${results.heading}\n`);
const figures: Figure[] = [];
const serverParts = [...plan.parts].filter((part) => part !== "vectors");
for (const set of serverParts.length > 0 ? (sets ?? datasetNames()) : []) await measureSet(loadDataset(set));
if (plan.parts.has("vectors")) {
  for (const name of vectorEngineNames.filter(isAsked)) {
    for await (const some of measureVectors(name, plan)) take(some);
  }
}
show(comparison(figures, isServer));
for (const note of notes) console.log(note);
const path = write();
if (path !== null) console.log(`written to ${path}.md and .json`);

async function measureSet(dataset: Dataset): Promise<void> {
  const takeAll = async (engine: string, measurements: AsyncIterable<Measurement[]>) => {
    for await (const some of measurements) take(some.map((one) => ({ set: dataset.label, engine, ...one })));
  };
  for (const program of programs) {
    if (isAsked(program.name)) await takeAll(program.name, measureServer(program, dataset, plan));
  }
  if (!plan.parts.has("indexing") && !plan.parts.has("search")) return;
  for (const name of libraryNames) {
    if (isAsked(name)) await takeAll(name, measureLibrary(name, dataset, plan));
  }
}

/** Figures are saved at once, because a run takes long. */
function take(some: Figure[]): void {
  figures.push(...some);
  for (const figure of some) printProgress(figure);
  write();
}

function write(): string | null {
  return results.write(figures, comparison(figures, isServer), notes);
}

// How long does it take until documents can be searched? Tarsier over HTTP (acknowledged and synced to disk)
// against libraries that index in memory, on the same documents in the same run.
//
//   npm run bench:indexing -- [--sets movies,cities,npm,debian] [--engines tarsier,orama,...] [--seconds 30]
import { formatSize } from "../src/sizes.ts";
import { contenders } from "./contenders.ts";
import { type Dataset, datasetNames, loadDataset } from "./datasets.ts";
import { benchOptions, printTable, ratio } from "./report.ts";

const options = benchOptions(datasetNames(), Object.keys(contenders));
for (const set of options.sets) {
  const dataset = loadDataset(set);
  const bytes = dataset.documents.reduce((sum, document) => sum + JSON.stringify(document).length, 0);
  console.log(`${set}: ${dataset.documents.length} documents, ${formatSize(Math.round(bytes / 1e4) * 1e4)}`);
  const rows: string[][] = [];
  let base = Number.NaN;
  for (const engine of options.engines) {
    const { seconds, indexed, memory } = await measure(engine, dataset);
    const isWhole = indexed === dataset.documents.length;
    const perDocument = seconds / indexed;
    if (Number.isNaN(base)) base = perDocument;
    rows.push([
      engine,
      isWhole ? `${seconds.toFixed(2)} s` : `stopped at ${seconds.toFixed(0)} s`,
      `${((100 * indexed) / dataset.documents.length).toFixed(0)}%`,
      `${Math.round(indexed / seconds)}/s`,
      formatSize(Math.round(memory / 1e6) * 1e6),
      ratio(perDocument, base),
    ]);
  }
  printTable(["engine", "time", "indexed", "documents", "memory", "time per document"], rows);
}

async function measure(engine: string, dataset: Dataset) {
  const contender = await contenders[engine](dataset);
  try {
    const start = performance.now();
    const indexed = await contender.index(start + options.seconds * 1000);
    return { seconds: (performance.now() - start) / 1000, indexed, memory: contender.memory() };
  } finally {
    await contender.close();
  }
}

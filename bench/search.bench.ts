// How long does a search take, by the kind of query? Tarsier over HTTP, one request at a time, against
// libraries in this process. An engine that is not done in time is left out of the table and named below it.
// A last line says what formatting adds to a page.
//
//   npm run bench:search -- [--sets movies,cities,npm,debian] [--engines tarsier,orama,...] [--seconds 30]
import { type Contender, contenders } from "./contenders.ts";
import { datasetNames, loadDataset } from "./datasets.ts";
import { makeQueries, type QueryClass } from "./queries.ts";
import { benchOptions, printTable, quantile, ratio } from "./report.ts";

const QUERIES_PER_CLASS = 100;
const WARM_UP_QUERIES = 20;

const options = benchOptions(datasetNames(), Object.keys(contenders));
for (const set of options.sets) {
  const dataset = loadDataset(set);
  const classes = makeQueries(dataset, QUERIES_PER_CLASS);
  console.log(`${set}: ${dataset.documents.length} documents, ${QUERIES_PER_CLASS} queries a class`);
  const rows: string[][] = [];
  const unfinished: string[] = [];
  const formatting: string[] = [];
  const base = new Map<string, number>();
  for (const engine of options.engines) {
    const contender = await contenders[engine](dataset);
    try {
      const indexed = await contender.index(performance.now() + options.seconds * 1000);
      if (indexed < dataset.documents.length) {
        const share = Math.floor((100 * indexed) / dataset.documents.length);
        unfinished.push(
          `${engine}: not measured, ${share}% of the documents indexed after ${options.seconds} s`,
        );
        continue;
      }
      for (const queries of classes) rows.push(await measure(contender, queries, base));
      formatting.push(...(await measureFormatting(contender, classes[0].queries)));
    } finally {
      await contender.close();
    }
  }
  const order = classes.map(({ name }) => name);
  rows.sort((a, b) => order.indexOf(a[0]) - order.indexOf(b[0]));
  printTable(["class", "engine", "p50", "p95", "with hits", "p50 ratio"], rows);
  for (const line of [...unfinished, ...formatting]) console.log(line);
}

async function measure(
  contender: Contender,
  { name, queries }: QueryClass,
  base: Map<string, number>,
): Promise<string[]> {
  const deadline = performance.now() + options.seconds * 1000;
  for (const query of queries.slice(0, WARM_UP_QUERIES)) {
    if (performance.now() < deadline) await contender.search(query);
  }
  const times: number[] = [];
  let found = 0;
  for (const query of queries) {
    if (performance.now() > deadline) break;
    const start = performance.now();
    if ((await contender.search(query)) > 0) found++;
    times.push(performance.now() - start);
  }
  const median = quantile(times, 0.5);
  if (!base.has(name)) base.set(name, median);
  const count = times.length < queries.length ? ` of ${times.length}` : "";
  const show = (ms: number) => `${ms.toFixed(2)} ms`;
  return [
    name,
    contender.name,
    show(median),
    show(quantile(times, 0.95)),
    `${found}${count}`,
    ratio(median, base.get(name) ?? 0),
  ];
}

/** What cropping and highlighting adds to each search: asked in turns, so that both are warm. */
async function measureFormatting(contender: Contender, queries: readonly string[]): Promise<string[]> {
  if (!contender.searchFormatted) return [];
  const added: number[] = [];
  for (const query of [...queries.slice(0, WARM_UP_QUERIES), ...queries]) {
    const start = performance.now();
    await contender.search(query);
    const middle = performance.now();
    await contender.searchFormatted(query);
    added.push(performance.now() - middle - (middle - start));
  }
  const median = quantile(added.slice(WARM_UP_QUERIES), 0.5);
  return [`${contender.name}: cropping and highlighting a page adds ${median.toFixed(2)} ms (p50)`];
}

// Measures one library on one set, in its own process: started by libraryfigures.ts, which passes the
// library, the set and the plan, and reads lists of measurements, one per line.
import { loadDataset } from "../datasets.ts";
import type { Measurement } from "../figures.ts";
import { PLAIN_SEARCHES, quantiles } from "../parts/searching.ts";
import { plainClasses, questionsAbout } from "../questions.ts";
import { BATCH_LEN, libraries } from "./libraries.ts";
import { tell } from "./measuringprocess.ts";

const MEGABYTE = 1e6;
const WARM_UP_QUERIES = 20;

const [name, label, secondsMax, perClass, parts] = process.argv.slice(2);
const dataset = loadDataset(label);
const { documents } = dataset;
const library = libraries[name](dataset);
if (await indexAll()) {
  if (parts.split(",").includes("search")) await searchAll();
}

/** Returns whether all documents were indexed in time. */
async function indexAll(): Promise<boolean> {
  const before = heapBytes();
  const begin = performance.now();
  const deadline = begin + Number(secondsMax) * 1000;
  let done = 0;
  while (done < documents.length && performance.now() < deadline) {
    await library.add(documents.slice(done, done + BATCH_LEN));
    done = Math.min(done + BATCH_LEN, documents.length);
  }
  const seconds = (performance.now() - begin) / 1000;
  const memory = heapBytes() - before;
  if (done < documents.length) {
    const share = Math.floor((100 * done) / documents.length);
    const note = `not finished after ${Math.round(seconds)} s, ${share} %`;
    tell([{ name: "indexing, documents a second", unit: "documents/s", values: [], note }]);
    return false;
  }
  const bytes = dataset.lines.length;
  tell([
    { name: "indexing, documents a second", unit: "documents/s", values: [done / seconds] },
    { name: "indexing, input a second", unit: "MB/s", values: [bytes / MEGABYTE / seconds] },
    { name: "indexing, time", unit: "s", values: [seconds] },
    { name: "index in the heap", unit: "MB", values: [memory / MEGABYTE] },
  ]);
  return true;
}

/** Classes that are not done in time are left out, with a note in the row of all classes. */
async function searchAll(): Promise<void> {
  const classes = plainClasses(questionsAbout(dataset, Number(perClass)).classes);
  const deadline = performance.now() + Number(secondsMax) * 1000;
  const measured: Measurement[] = [];
  const all: number[] = [];
  for (const { name, questions } of classes) {
    for (const { q } of questions.slice(0, WARM_UP_QUERIES)) {
      if (performance.now() < deadline) await library.search(q);
    }
    const times: number[] = [];
    for (const { q } of questions) {
      if (performance.now() > deadline) break;
      const begin = performance.now();
      await library.search(q);
      times.push(performance.now() - begin);
    }
    all.push(...times);
    if (times.length === questions.length) measured.push(quantiles(`search, ${name}, warm`, times));
  }
  const note =
    measured.length < classes.length ? `(${measured.length} of ${classes.length} classes)` : undefined;
  tell([{ ...quantiles(PLAIN_SEARCHES, all), note }, ...measured]);
}

/** Size of the heap after a collection: the process is started with --expose-gc. */
function heapBytes(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

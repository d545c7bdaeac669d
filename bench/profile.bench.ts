// Where does the time of a search go? Each class of query is run in a loop in this process, without threads
// and HTTP; for the ten slowest classes, a profile shows the functions that take most time, alone and with
// the functions they call. Written to bench/results.
//
//   npm run bench:profile -- [--sets npm] [--classes oneWord,prefix] [--quick] [--no-write] [--results DIR]
import { join } from "node:path";
import { open, type StoreIndex } from "../src/index.ts";
import { temporaryFolder } from "./cleanup.ts";
import { readCommandLine } from "./commandline.ts";
import { type FunctionTime, profile } from "./cpuprofile.ts";
import { type Dataset, datasetNames, loadDataset, piecesOf } from "./datasets.ts";
import { type Figure, growth, markdownOf, show, type Table } from "./figures.ts";
import { anew, pageOf, type QuestionClass, questionsAbout } from "./questions.ts";
import { Results } from "./results.ts";

interface TimedClass {
  of: QuestionClass;
  /** Microseconds of processor time. */
  perQuery: number;
}

const SHOWN_CLASSES = 10;
const SHOWN_FUNCTIONS = 12;
const WARM_UP_MS = 2000;
const MEASURED_MS = 3000;
const QUICK_MS = 200;
const PIECE_BYTES = 2 ** 20;

const { isQuick, sets, classes: asked, results: folder, plan } = readCommandLine();
const defaultSet = datasetNames().includes("npm") ? "npm" : "cities";
for (const set of sets ?? [defaultSet]) await profileSet(loadDataset(set));

async function profileSet(dataset: Dataset): Promise<void> {
  const results = new Results(`profile-${dataset.label}`, folder);
  const { settings, classes } = questionsAbout(dataset, plan.queriesPerClass);
  const temporary = temporaryFolder();
  const store = await open({ folder: join(temporary.path, "db"), threads: 0 });
  try {
    const index = store.index(dataset.name);
    await index.updateSettings(settings);
    await index.addFrom(chunks(dataset), { format: "ndjson", primaryKey: dataset.primaryKey });
    await index.compact();
    const timed: TimedClass[] = [];
    for (const of of classes.filter(({ name }) => asked?.includes(name) ?? true)) {
      timed.push({ of, perQuery: await timeClass(index, dataset, of) });
    }
    timed.sort((a, b) => b.perQuery - a.perQuery);
    const functions: FunctionTime[][] = [];
    for (const slow of timed.slice(0, SHOWN_CLASSES)) {
      functions.push(await profileClass(index, dataset, slow));
    }
    report(results, dataset, timed, functions);
  } finally {
    await store.close();
    temporary.remove();
  }
}

async function* chunks({ lines }: Dataset): AsyncGenerator<Uint8Array> {
  yield* piecesOf(lines, PIECE_BYTES);
}

async function timeClass(index: StoreIndex, dataset: Dataset, of: QuestionClass): Promise<number> {
  await runFor(isQuick ? QUICK_MS : WARM_UP_MS, index, dataset, of);
  const before = process.cpuUsage();
  const queries = await runFor(isQuick ? QUICK_MS : MEASURED_MS, index, dataset, of);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / queries;
}

/**
 * Its time, divided among functions. Samples give shares, not times, since other processes may use the
 * processor.
 */
async function profileClass(
  index: StoreIndex,
  dataset: Dataset,
  { of, perQuery }: TimedClass,
): Promise<FunctionTime[]> {
  const functions = await profile(async () => {
    await runFor(isQuick ? QUICK_MS : MEASURED_MS, index, dataset, of);
  });
  const scale = perQuery / functions.reduce((sum, { self }) => sum + self, 0);
  return functions.map(({ name, self, inclusive }) => {
    return { name, self: self * scale, inclusive: inclusive * scale };
  });
}

/** Returns how many queries ran. */
async function runFor(
  milliseconds: number,
  index: StoreIndex,
  dataset: Dataset,
  { questions }: QuestionClass,
): Promise<number> {
  const bodies = questions.map((question) => pageOf(question, dataset));
  const deadline = performance.now() + milliseconds;
  let rounds = 0;
  do {
    for (const body of bodies) await index.search(anew(body));
    rounds++;
  } while (performance.now() < deadline);
  return rounds * bodies.length;
}

function report(
  results: Results,
  { label }: Dataset,
  timed: readonly TimedClass[],
  profiles: readonly FunctionTime[][],
): void {
  const figures = timed.map(({ of: { name }, perQuery }): Figure => {
    return { set: label, engine: "tarsier", name, unit: "us", values: [perQuery] };
  });
  const classes = growth(figures, [label]);
  console.log(`${results.heading}\n`);
  show(classes);
  const sections: string[] = [];
  for (const [i, functions] of profiles.entries()) {
    const title = `${timed[i].of.name}: ${timed[i].perQuery.toFixed(0)} us of processor time a query`;
    const table = functionTable(functions);
    console.log(title);
    show(table);
    sections.push(`## ${title}\n\n${markdownOf(table).trimEnd()}`);
  }
  const path = results.write(figures, classes, sections);
  if (path !== null) console.log(`written to ${path}.md and .json`);
}

/** The functions that take most time themselves, next to those that take most with everything they call. */
function functionTable(functions: readonly FunctionTime[]): Table {
  const most = (by: "self" | "inclusive") =>
    [...functions]
      .sort((a, b) => b[by] - a[by])
      .slice(0, SHOWN_FUNCTIONS)
      .map((time) => [time[by].toFixed(1), time.name]);
  const inclusive = most("inclusive");
  const rows = most("self").map((row, i) => [...row, ...(inclusive[i] ?? ["", ""])]);
  return { header: ["us itself", "function", "us with what it calls", "function"], rows, texts: 4 };
}

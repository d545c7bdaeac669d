// The page: opens the catalogue, searches at every key, and keeps a copy for offline use when asked to.
import { Catalogue, FACETS, type Facet, type Question } from "./catalogue.ts";
import { countText, numberText, showFilters, showResults, summaryOf } from "./view.ts";

const PAGE_HITS = 20;

const part = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const query = part<HTMLInputElement>("query");
const sort = part<HTMLSelectElement>("sort");
const keep = part<HTMLButtonElement>("keep");
const more = part<HTMLButtonElement>("more");
const progress = part<HTMLProgressElement>("progress");

const chosen: Record<Facet, Set<string>> = { section: new Set(), priority: new Set(), tags: new Set() };
let size = "";
let limit = PAGE_HITS;

let catalogue: Promise<Catalogue> = Catalogue.open();
/** One question at a time: of those that come meanwhile only the newest is asked. */
let asking: Promise<void> | null = null;
let isAskedAgain = false;

query.value = new URLSearchParams(location.search).get("q") ?? "";
void start().catch(tell);
// What is fetched is on its way now, and there is time for this.
query.focus();
numberText(0);

async function start(): Promise<void> {
  await ask();
  performance.mark("first-answer");
  const opened = await catalogue;
  part("about").textContent = countText(await opened.count());
  showMode(opened);
  await navigator.serviceWorker?.register("service-worker.js");
}

function ask(): Promise<void> {
  isAskedAgain = asking !== null;
  asking ??= askOnce().finally(() => {
    asking = null;
    if (isAskedAgain) void ask().catch(tell);
  });
  return asking;
}

async function askOnce(): Promise<void> {
  const question: Question = { q: query.value, sort: sort.value as Question["sort"], chosen, size, limit };
  const opened = await catalogue;
  const began = performance.now();
  const answer = await opened.search(question);
  part("status").textContent = summaryOf(answer, performance.now() - began);
  showResults(part("results"), answer);
  showFilters(part("filters"), answer, question);
  more.hidden = answer.hits.length < limit;
}

function askAnew(): void {
  limit = PAGE_HITS;
  const address = query.value === "" ? location.pathname : `?q=${encodeURIComponent(query.value)}`;
  history.replaceState(null, "", address);
  void ask().catch(tell);
}

function showMode({ isKept }: Catalogue): void {
  keep.hidden = isKept;
  const threads = crossOriginIsolated ? "isolated page" : "page without isolation";
  part("mode").textContent = isKept
    ? `Works offline: the index lies in this browser (${threads}).`
    : `The index is read by ranges from static files (${threads}).`;
}

async function keepCopy(): Promise<void> {
  keep.disabled = true;
  progress.hidden = false;
  try {
    await keepShell();
    const copy = await Catalogue.keep((done) => {
      progress.value = done;
    });
    const before = await catalogue;
    catalogue = Promise.resolve(copy);
    await before.close();
    showMode(copy);
    await ask();
  } finally {
    keep.disabled = false;
    progress.hidden = true;
  }
}

/** The files of the page itself: the service worker keeps them. */
async function keepShell(): Promise<void> {
  if (!navigator.serviceWorker) return;
  await navigator.serviceWorker.ready;
  const cache = await caches.open("shell");
  const names = (await (await fetch("shell.json")).json()) as string[];
  await cache.addAll(["./", "shell.json", ...names]);
}

function tell(error: unknown): void {
  part("status").textContent = `That did not work: ${error instanceof Error ? error.message : error}`;
}

query.addEventListener("input", askAnew);
sort.addEventListener("change", askAnew);
part("search").addEventListener("submit", (event) => event.preventDefault());
keep.addEventListener("click", () => void keepCopy().catch(tell));
more.addEventListener("click", () => {
  limit += PAGE_HITS;
  void ask().catch(tell);
});
part("filters").addEventListener("change", ({ target }) => {
  const { name, value, checked } = target as HTMLInputElement;
  if (name === "size") size = value;
  const facet = FACETS.find((known) => known === name);
  if (facet && checked) chosen[facet].add(value);
  else if (facet) chosen[facet].delete(value);
  askAnew();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== query) {
    event.preventDefault();
    query.focus();
  }
});

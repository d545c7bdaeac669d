// Search in your own program, without a server: typed documents in a folder, or in memory without `folder`.
// Run it with Node 22.18 or later, Bun (`bun examples/library.ts`) or Deno (`deno run -A` before it).
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open, TarsierError } from "tarsier";

interface Movie {
  id: number;
  title: string;
  year: number;
  genres: string[];
}

const folder = mkdtempSync(join(tmpdir(), "movies-"));
const store = await open({ folder, threads: 1 });
const movies = store.index<Movie>("movies");

// Every write is a task: waiting for it is waiting for its end.
await movies.updateSettings({ filterableAttributes: ["genres", "year"], sortableAttributes: ["year"] });
const task = await movies.add([
  { id: 1, title: "The Little Prince", year: 2015, genres: ["animation", "family"] },
  { id: 2, title: "Princess Mononoke", year: 1997, genres: ["animation", "fantasy"] },
  { id: 3, title: "The Princess Bride", year: 1987, genres: ["adventure", "fantasy"] },
]);
console.log(`${task.details?.indexedDocuments} movies, ${task.status}`);

// `enqueued` is fulfilled as soon as the write is safe on disk, before it can be found.
await movies.update({ id: 3, genres: ["adventure", "comedy", "fantasy"] }).enqueued;
await store.tasks.idle();

const { hits, facetDistribution } = await movies.search("prnces", {
  filter: "genres = fantasy",
  sort: ["year:asc"],
  facets: ["genres"],
  attributesToHighlight: ["title"],
});
for (const { title, year, _formatted } of hits) console.log(year, title, "->", _formatted?.title);
console.log(facetDistribution?.genres);

// What is refused is a TarsierError, with the codes of the HTTP API.
try {
  await movies.search("prince", { filter: "title = x" });
} catch (error) {
  if (error instanceof TarsierError) console.log(error.code, error.status);
}

await store.close();
rmSync(folder, { recursive: true });

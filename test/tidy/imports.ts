// Who imports whom: the directions that imports may take, and the files that nobody asks for.
import { dirname, join } from "node:path/posix";
import { isCode, type Source } from "./sources.ts";

/** From top to bottom: a file may import its own layer and those below. */
const LAYERS = [
  "http",
  "operations",
  "library",
  "network",
  "tasks",
  "engine",
  "embedders",
  "segment",
  "storage",
];
/** Importable from everywhere; they import each other and what is no layer. */
const COMMON = [
  "core",
  "schemas",
  "ingest",
  "outbound",
  "errors",
  "limits",
  "decimals",
  "deferred",
  "options",
  "givenoptions",
  "package-files",
  "option-rows",
  "kebabcase",
  "later",
  "runtime",
  "sizes",
  "slices",
  "closers",
  "threaddata",
  "trimming",
  "usageerror",
  "version",
];
/** Doors may import everything, and nothing imports them but the command line. */
const DOORS = ["cli", "node", "browser", "index"];

export function wrongDirections(sources: readonly Source[]): string[] {
  return sources.filter(isCode).flatMap((source) =>
    importsOf(source)
      .filter((target) => !mayImport(source.path, target))
      .map((target) => `${source.path} imports ${target}`),
  );
}

function mayImport(from: string, to: string): boolean {
  if (from.startsWith("assembly/")) return to.startsWith("assembly/");
  if (!from.startsWith("src/")) return true;
  if (!to.startsWith("src/")) return false;
  const [importer, imported] = [partOf(from), partOf(to)];
  if (importer === imported || DOORS.includes(importer)) return true;
  if (DOORS.includes(imported)) return false;
  if (COMMON.includes(imported)) return true;
  const [above, below] = [LAYERS.indexOf(importer), LAYERS.indexOf(imported)];
  return above >= 0 && below > above;
}

/**
 * Files that import one another in a circle, also if only for types, and those between two circles; then the
 * same for folders below the parts of src, each taken as one, with the files beside them.
 */
export function circles(sources: readonly Source[]): string[] {
  const files = sources.filter(isCode);
  return [...circlesOf(files, (path) => path), ...circlesOf(files, roomOf)];
}

/** `nameOf`: what a file counts as. */
function circlesOf(files: readonly Source[], nameOf: (path: string) => string): string[] {
  const targets = new Map<string, Set<string>>();
  for (const file of files) {
    const name = nameOf(file.path);
    const own = targets.get(name) ?? new Set();
    targets.set(name, own);
    for (const target of importsOf(file, IMPORT)) own.add(nameOf(target));
    if (name !== file.path) own.delete(name);
  }
  for (let before = -1; targets.size !== before; ) {
    before = targets.size;
    const imported = new Set([...targets.values()].flatMap((own) => [...own]));
    for (const [name, own] of targets) {
      if (!imported.has(name) || ![...own].some((target) => targets.has(target))) targets.delete(name);
    }
  }
  return [...targets.keys()];
}

/** The folder below a part of src (`src/engine/search`), or the file itself. */
const roomOf = (path: string): string => path.match(/^src\/\w+\/\w+(?=\/)/)?.[0] ?? path;

/** The folder or the file directly in src: `engine`, `errors`. */
function partOf(path: string): string {
  return path.split("/")[1].replace(/\.ts$/, "");
}

/** Parts of src that this test has no rule for. */
export function unknownParts(sources: readonly Source[]): string[] {
  const known = [...LAYERS, ...COMMON, ...DOORS];
  const parts = sources.filter(({ path }) => path.startsWith("src/")).map(({ path }) => partOf(path));
  return [...new Set(parts)].filter((part) => !known.includes(part));
}

/**
 * Entry files stand for themselves: doors, tests, benchmarks, tools, the list of the core's exports, and what
 * tools/browser-platform.mjs puts into the place of other files.
 */
const ENTRY = new RegExp(
  [
    /^src\/(?:cli|node|browser|index)\.ts$|^assembly\/index\.ts$/,
    /^src\/browser\/(?:(?:worker|start)\.ts$|platform\/)/,
    /\/run\.ts$|^test\/browser\/(?:features\.ts$|builtins\/)/,
    /\.(?:test|fuzz|bench|worker|page)\.ts$|^tools\/|^examples\//,
  ]
    .map(({ source }) => source)
    .join("|"),
);

export function unusedFiles(sources: readonly Source[]): string[] {
  const code = sources.filter(isCode);
  const used = new Set(
    code.flatMap((source) => importsOf(source).filter((target) => target !== source.path)),
  );
  return code.map(({ path }) => path).filter((path) => !ENTRY.test(path) && !used.has(path));
}

/** Files that the first comment of another one names, and that are not there. */
export function namesOfNothing(sources: readonly Source[]): string[] {
  const paths = sources.map(({ path }) => `/${path}`);
  return sources.filter(isCode).flatMap(({ path, text }) => {
    const [header = ""] = text.match(/^(?:\/\/.*\n)+/) ?? [];
    return [...header.matchAll(/[\w./-]*\w\.ts\b/g)]
      .map(([name]) => name.replace(/^(?:\.{1,2}\/)+/, ""))
      .filter((name) => !paths.some((other) => other.endsWith(`/${name}`)))
      .map((name) => `${path} names ${name}`);
  });
}

// In assembly/ names may come without an ending.
const NAME = /["']([./]+(?:[\w-]+\/)*)(?:([\w.-]+)\.[jt]s|([\w-]+))["']/.source;
/** Imports, exports from and import(). */
const IMPORT = new RegExp(`(?:\\bfrom\\s*|\\bimport\\s*\\(?\\s*)${NAME}`, "g");
/** The same and the URLs of worker files. */
const REFERENCE = new RegExp(`(?:\\bfrom\\s*|\\bimport\\s*\\(?\\s*|\\bURL\\(\\s*)${NAME}`, "g");

/** The files that a file names, relative to the root. */
export function importsOf({ path, text }: Source, kind = REFERENCE): string[] {
  return [...text.matchAll(kind)]
    .map(([, folder, withEnding, bare]) => `${join(dirname(path), folder, withEnding ?? bare)}.ts`)
    .filter((target) => !target.startsWith("../"));
}

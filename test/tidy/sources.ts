// The project's own files, as the tidy test reads them, and their code without comments and texts.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export interface Source {
  /** Relative to the root of the repository, with forward slashes. */
  path: string;
  text: string;
}

const FOLDERS = ["src", "assembly", "test", "bench", "tools"];
/** Beside these folders: files that are read by people or run by machines. */
const LOOSE_FILES = [
  "README.md",
  "CONTRIBUTING.md",
  "ARCHITECTURE.md",
  "CHANGELOG.md",
  ".ci/run",
  "package.json",
];

export function readSources(): Source[] {
  const root = findRoot();
  const inFolders = FOLDERS.filter((folder) => existsSync(join(root, folder))).flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.m?ts$|\.mjs$/.test(name) && !name.includes("node_modules"))
      .map((name) => join(root, folder, name)),
  );
  const loose = LOOSE_FILES.map((name) => join(root, name)).filter((path) => existsSync(path));
  return [...inFolders, ...loose]
    .map((path) => ({ path: relative(root, path).replaceAll("\\", "/"), text: readFileSync(path, "utf8") }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The folder around the build, or the working folder when the build lies elsewhere. */
export function findRoot(): string {
  for (
    let folder = dirname(fileURLToPath(import.meta.url));
    dirname(folder) !== folder;
    folder = dirname(folder)
  ) {
    if (existsSync(join(folder, "asconfig.json"))) return folder;
  }
  return process.cwd();
}

export function isCode({ path }: Source): boolean {
  return /\.(ts|mjs)$/.test(path);
}

/** Tables and generated code say so in the name of the file or its folder; no size holds for them. */
export function isTable({ path }: Source): boolean {
  return /(?:table|generated)[^/]*$|\/(?:tables|generated)\//i.test(path);
}

const NO_CODE = new RegExp(
  [
    /\/\/[^\n]*/, // a comment to the end of the line
    /\/\*[\s\S]*?\*\//, // a comment over lines
    // A regular expression, behind what cannot end a value.
    /(?<=[(,=:[!&|?{};>]\s*|\breturn\s+)\/(?![/*])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/,
    /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/, // texts in three kinds of quotes
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);

/** The same text with blanks for comments, texts and regular expressions; line feeds stay where they are. */
export function codeOf(text: string): string {
  return text.replace(NO_CODE, (found) => found.replace(/[^\n]/g, " "));
}

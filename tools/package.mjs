// Tries the package as users get it: packs it, checks its size and manifest (publint), installs it into an
// empty project, and uses library, types, examples, server and command there.
//   node tools/package.mjs
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const PACKAGE_BYTES_MAX = 3_000_000;
const CORE_BYTES_MAX = 80_000;
const DEPENDENCIES_MAX = 20;
const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const failures = [];
const check = (holds, what) => {
  console.log(`${holds ? "ok    " : "FAILED"} ${what}`);
  if (!holds) failures.push(what);
};

const LIBRARY_PROGRAM = `
import { open } from "tarsier";
const store = await open({ folder: "./data", threads: 1 });
const movies = store.index("movies");
await movies.add([{ id: 1, title: "The Little Prince" }, { id: 2, title: "Princess Mononoke" }]);
const { hits } = await movies.search("mononok");
console.log(hits[0].title);
await movies.add([{ id: 3, title: "学习中文" }, { id: 4, title: "ฉันรักภาษาไทย" }]);
for (const q of ["中文", "ภาษาไทย"]) console.log((await movies.search(q)).hits[0].id);
await store.close();
`;
const LIBRARY_OUTPUT = ["Princess Mononoke", 3, 4].join("\n");

const SERVER_PROGRAM = `
import { defaultOptions, openServer } from "tarsier/server";
const options = { ...defaultOptions(), dbPath: "./served", httpAddr: "127.0.0.1:0", logLevel: "off" };
const { url, close } = await openServer(options);
console.log((await (await fetch(url + "/health")).json()).status);
await close();
`;

const TYPES_PROGRAM = `
import { open, type Store, type TarsierError } from "tarsier";
import { open as openInPage, type OpenOptions } from "tarsier/browser";
import { openServer, type OpenServer } from "tarsier/server";
interface Movie { id: number; title: string }
export async function find(q: string): Promise<string> {
  const store: Store = await open();
  const { hits } = await store.index<Movie>("movies").search(q, { attributesToRetrieve: ["title"] });
  // @ts-expect-error: movies have no such field
  await store.index<Movie>("movies").search(q, { attributesToRetrieve: ["name"] });
  return hits[0].title;
}
export const code = (error: TarsierError) => error.code;
export const inPage = (options: OpenOptions): Promise<Store> => openInPage(options);
// @ts-expect-error: pages have no such option
export const lasting = () => openInPage({ durability: "os" });
export type Server = OpenServer & { open: typeof openServer };
`;

const scratch = mkdtempSync(join(tmpdir(), "tarsier-package-"));
try {
  const { name, size, unpackedSize } = pack();
  check(size < PACKAGE_BYTES_MAX, `the package has ${size} bytes (${unpackedSize} unpacked)`);
  checkCores();
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const count = Object.keys(dependencies).length;
  check(count <= DEPENDENCIES_MAX, `${count} direct dependencies`);
  await lint(join(scratch, name));
  install(join(scratch, name));
  use();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
if (failures.length > 0) process.exitCode = 1;

function pack() {
  const { stdout } = run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", scratch], root);
  const [{ filename, size, unpackedSize }] = Object.values(JSON.parse(stdout));
  return { name: filename, size, unpackedSize };
}

function checkCores() {
  for (const name of ["core.wasm", "core.single.wasm"]) {
    const { length } = gzipSync(readFileSync(join(root, "build", name)), { level: 9 });
    check(length < CORE_BYTES_MAX, `${name} has ${length} bytes compressed`);
  }
}

async function lint(tarball) {
  const { publint } = await import("publint");
  const { formatMessage } = await import("publint/utils");
  const bytes = readFileSync(tarball);
  const { messages, pkg } = await publint({
    pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) },
    strict: true,
  });
  for (const message of messages) console.log(`       ${formatMessage(message, pkg)}`);
  check(messages.length === 0, "publint has nothing to say");
}

/** Makes an empty project with the package. */
function install(tarball) {
  const project = { name: "consumer", private: true, type: "module" };
  writeFileSync(join(scratch, "package.json"), JSON.stringify(project));
  const { status, stderr } = run("npm", ["install", "--no-audit", "--no-fund", tarball], scratch);
  check(status === 0, `it is installed into an empty project${status === 0 ? "" : `\n${stderr}`}`);
}

function use() {
  const version = run("npx", ["--no", "--", "tarsier", "--version"], scratch);
  check(version.status === 0, `npx tarsier --version: ${version.stdout.trim()}`);
  writeFileSync(join(scratch, "library.mjs"), LIBRARY_PROGRAM);
  const library = run(process.execPath, ["library.mjs"], scratch);
  check(library.stdout.trim() === LIBRARY_OUTPUT, `import { open } from "tarsier"${library.stderr}`);
  writeFileSync(join(scratch, "server.mjs"), SERVER_PROGRAM);
  const server = run(process.execPath, ["server.mjs"], scratch);
  check(server.stdout.trim() === "available", `import { openServer } from "tarsier/server"${server.stderr}`);
  checkTypes();
}

/** Checks that the declarations are complete: nothing but the package is around them. */
function checkTypes() {
  writeFileSync(join(scratch, "types.mts"), TYPES_PROGRAM);
  // Examples need the declarations of their runtime.
  const names = ["library.ts", "server.ts"];
  for (const name of names) copyFileSync(join(root, "examples", name), join(scratch, name));
  const around = join(root, "node_modules", "@types");
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--types"];
  const alone = run(process.execPath, [compiler, ...options, "", "types.mts"], scratch);
  check(alone.status === 0, `its types are whole${alone.status === 0 ? "" : `\n${alone.stdout}`}`);
  const more = ["node", "--typeRoots", around, ...names];
  const examples = run(process.execPath, [compiler, ...options, ...more], scratch);
  check(examples.status === 0, `the examples compile${examples.status === 0 ? "" : `\n${examples.stdout}`}`);
}

function run(command, args, cwd) {
  return spawnSync(command, args, { cwd, encoding: "utf8", maxBuffer: 2 ** 26, timeout: 300_000 });
}

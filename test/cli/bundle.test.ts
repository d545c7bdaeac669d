// The bundles that are shipped (build/cli.js): they find the core, the worker and the version, and a database
// goes on after a restart. The other tests run the files that tsc writes.
import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { pause, Server } from "../crash/server.ts";

const program = fileURLToPath(new URL("../../cli.js", import.meta.url));
const library = new URL("../../bundle/node.js", import.meta.url).href;
const launcher = new URL("../../bundle/launcher.cjs", import.meta.url).href;
const POLL_MS = 20;

async function addDocuments(server: Server, documents: readonly object[]): Promise<void> {
  const { status, body } = await server.send("POST", "/indexes/books/documents", documents);
  equal(status, 202);
  const { taskUid } = body as { taskUid: number };
  for (;;) {
    const { status: state } = await server.get<{ status: string }>(`/tasks/${taskUid}`);
    if (state !== "enqueued" && state !== "processing") return equal(state, "succeeded");
    await pause(POLL_MS);
  }
}

async function titles(server: Server, q: string): Promise<string[]> {
  const { hits } = await server.post<{ hits: { title: string }[] }>("/indexes/books/search", { q });
  return hits.map(({ title }) => title);
}

test("the bundled server indexes and searches, and does so again after a restart", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tarsier-bundle-"));
  const servers: Server[] = [];
  const start = async () => {
    const server = await Server.start(folder, program);
    servers.push(server);
    await server.ready();
    return server;
  };
  try {
    const first = await start();
    await addDocuments(first, [{ id: 1, title: "The night animals" }]);
    deepEqual(await titles(first, "night"), ["The night animals"]);
    await first.kill();
    const second = await start();
    deepEqual(await titles(second, "animal"), ["The night animals"]);
    await addDocuments(second, [{ id: 2, title: "Night and day" }]);
    equal((await titles(second, "night")).length, 2);
    const { pkgVersion } = await second.get<{ pkgVersion: string }>("/version");
    equal(pkgVersion, JSON.parse(readFileSync("package.json", "utf8")).version);
  } finally {
    await Promise.all(servers.map((server) => server.kill()));
    rmSync(folder, { recursive: true, force: true });
  }
});

test("the bundled programs are compiled from their code caches, threads at any time", () => {
  const compiled = [
    ["", "cli.cjs"],
    ["", "worker.cjs"],
    ["setOptimizingFlags();", "worker.cjs"],
  ];
  for (const [before, name] of compiled) {
    equal(launched(`${before} report(compile("${name}").cachedDataRejected);`), "false", `${before} ${name}`);
  }
});

test("with the flags of the launcher a function is optimised after fewer calls", () => {
  const count = `
    const ways = Array.from({ length: 20 }, (_, way) => "all += one * " + way + " - one;").join(" ");
    const sum = new Function("one", "let all = 0; " + ways + " return all;");
    let calls = 0;
    const isOptimized = () => %GetOptimizationStatus(sum) & 16;
    for (const end = Date.now() + 5000; !isOptimized() && Date.now() < end; calls++) sum(calls & 3);
    report(calls);`;
  const [usual, sooner] = ["", "setOptimizingFlags();"].map((before) =>
    Number(launched(before + count, ["--allow-natives-syntax", "--no-concurrent-recompilation"])),
  );
  // Later versions of V8 keep their own ways.
  if (process.versions.v8.startsWith("11.")) ok(sooner < usual / 2, `${sooner} calls instead of ${usual}`);
});

test("flags change once the server listens, not before: until then code comes from caches", async () => {
  if (!process.versions.v8.startsWith("11.")) return;
  const folder = mkdtempSync(join(tmpdir(), "tarsier-bundle-"));
  const probe = join(folder, "probe.cjs");
  writeFileSync(
    probe,
    `const v8 = require("node:v8");
    const { setFlagsFromString } = v8;
    v8.setFlagsFromString = (flag) => { console.error("flag " + flag); setFlagsFromString(flag); };`,
  );
  const told = async (...options: string[]) => {
    const place = ["--http-addr", "127.0.0.1:0", "--db-path", join(folder, "db"), ...options];
    const server = spawn(process.execPath, ["--require", probe, program, ...place]);
    let text = "";
    server.stderr.setEncoding("utf8").on("data", (some: string) => {
      text += some;
    });
    for (let i = 0; i < 500 && !(text.includes("http://") && text.includes("flag")); i++)
      await pause(POLL_MS);
    // What follows at once is seen, too.
    await pause(10 * POLL_MS);
    server.kill();
    await once(server, "exit");
    const said: string[] = text.match(/http:\/\/|(?<=^flag )--[\w-]+/gm) ?? [];
    return said;
  };
  try {
    const flags = ["--interrupt-budget", "--max-inlined-bytecode-size-cumulative"];
    deepEqual(await told(), ["http://", ...flags]);
    const small = await told("--max-indexing-memory", "96MiB", "--max-search-memory", "64MiB");
    ok(small.length > 1, "a small server has flags of its own");
    ok(!small.includes(flags[0]), `${small}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("flags change after caches are written, and no cache is written with other flags", () => {
  const folder = mkdtempSync(join(tmpdir(), "tarsier-launcher-"));
  try {
    copyFileSync(fileURLToPath(launcher), join(folder, "launcher.cjs"));
    for (const name of ["cli.cjs", "worker.cjs"]) writeFileSync(join(folder, name), "exports.one = 1;");
    const source = `
      import { readdirSync } from "node:fs";
      import { cachedDataVersionTag } from "node:v8";
      const timers = [];
      globalThis.setTimeout = (run, after) => ({ unref: () => timers.push({ run, after }) });
      const { launch, optimizeSooner } = await import(${JSON.stringify(join(folder, "launcher.cjs"))});
      const tags = [cachedDataVersionTag()];
      launch("cli.cjs");
      optimizeSooner();
      tags.push(cachedDataVersionTag());
      launch("worker.cjs");
      const order = timers.sort((a, b) => a.after - b.after);
      order[0].run();
      order[2]?.run();
      tags.push(cachedDataVersionTag());
      order[1].run();
      const caches = readdirSync(${JSON.stringify(folder)}).filter((name) => name.endsWith(".cache"));
      process.stdout.write(JSON.stringify({ tags, caches, waits: order.map(({ after }) => after) }));`;
    const said = JSON.parse(ran(source)) as { tags: number[]; caches: string[]; waits: number[] };
    equal(said.tags[1], said.tags[0]);
    const kept = said.caches.map((name) => name.split(".")[0]);
    if (process.versions.v8.startsWith("11.")) {
      ok(said.waits[2] > said.waits[1]);
      notEqual(said.tags[2], said.tags[1]);
      deepEqual(kept, ["cli"]);
    } else {
      equal(said.tags[2], said.tags[1], "later versions of V8 keep their flags");
      deepEqual(kept, ["cli", "worker"]);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("a program is not compiled from the cache of another text that is as long", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tarsier-launcher-"));
  try {
    copyFileSync(fileURLToPath(launcher), join(folder, "launcher.cjs"));
    const { compile, writeCache } = await import(pathToFileURL(join(folder, "launcher.cjs")).href);
    const write = (word: string) => writeFileSync(join(folder, "cli.cjs"), `exports.say = () => "${word}";`);
    write("one");
    writeCache(compile("cli.cjs"));
    equal(compile("cli.cjs").cachedDataRejected, false);
    write("two");
    equal(compile("cli.cjs").cachedDataRejected, undefined);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("a runtime with other flags keeps the caches of this one as they are", () => {
  const source = 'report(compile("worker.cjs").cachedDataRejected);';
  equal(launched(source, ["--no-sparkplug"]), "undefined");
});

test("the bundled programs leave imports to the launcher: a cached script has none", async () => {
  for (const name of ["cli.cjs", "worker.cjs"]) {
    const text = readFileSync(new URL(name, launcher), "utf8");
    deepEqual(text.match(/(?<![.\w$])import\(.{0,30}/g), null, name);
  }
});

test("the bundled server calls the webhook of its command line, at a host that it looks up", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tarsier-bundle-"));
  const receiver = createServer((_request, response) => response.end());
  const called = once(receiver, "request") as Promise<[IncomingMessage]>;
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const url = `http://localhost:${(receiver.address() as AddressInfo).port}/`;
  const options = [
    "--task-webhook-url",
    url,
    "--task-webhook-authorization-header",
    "Bearer x",
    "--experimental-allowed-ip-networks",
    "127.0.0.1",
  ];
  const server = await Server.start(folder, program, options);
  try {
    await server.ready();
    equal((await server.send("POST", "/indexes", { uid: "books" })).status, 202);
    const [{ headers }] = await called;
    equal(headers.authorization, "Bearer x");
  } finally {
    await server.kill();
    receiver.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

test("the bundled program knows its version, and the library its door", async () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  equal(spawnSync(process.execPath, [program, "--version"], { encoding: "utf8" }).stdout, `${version}\n`);
  deepEqual(Object.keys(await import(library)), ["defaultOptions", "openServer"]);
});

test("a bundle that was copied out of the package knows its version, too", () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  const folder = mkdtempSync(join(tmpdir(), "tarsier-copied-"));
  try {
    const build = dirname(program);
    const filter = (path: string) => !path.endsWith(".cache") && !path.endsWith("browser");
    for (const name of ["cli.js", "bundle"])
      cpSync(join(build, name), join(folder, name), { recursive: true, filter });
    const copied = spawnSync(process.execPath, [join(folder, "cli.js"), "--version"], { encoding: "utf8" });
    deepEqual([copied.stdout, copied.stderr], [`${version}\n`, ""]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** What a program says that has the launcher at hand. */
function launched(source: string, flags: readonly string[] = []): string {
  const lines = [
    `import { compile, setOptimizingFlags } from ${JSON.stringify(launcher)};`,
    "const report = (value) => process.stdout.write(String(value));",
    source,
  ];
  return ran(lines.join("\n"), flags);
}

/** What a program says. */
function ran(source: string, flags: readonly string[] = []): string {
  const options = [...flags, "--input-type=module", "--eval", source];
  const { stdout, stderr } = spawnSync(process.execPath, options);
  return `${stdout}${stderr}`;
}

test("an error that nobody expected ends the process and is told with its stack", () => {
  const folder = mkdtempSync(join(tmpdir(), "tarsier-bundle-"));
  const fault = "setTimeout(() => JSON.parse(Buffer.from('x')), 300)";
  const where = 'import { isMainThread } from "node:worker_threads"';
  const module = `data:text/javascript,${where}; if (isMainThread) ${fault}`;
  try {
    const { status, stderr } = spawnSync(
      process.execPath,
      ["--import", module, program, "--http-addr", "127.0.0.1:0", "--db-path", join(folder, "db")],
      { encoding: "utf8" },
    );
    equal(status, 1);
    match(stderr, /tarsier: this should not have happened.*SyntaxError.*\n +at /);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

// The bundles that are shipped (build/cli.js): they find the core, the worker and the version, and a database
// goes on after a restart. The other tests run the files that tsc writes.
import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
    ["optimizeSooner();", "worker.cjs"],
  ];
  for (const [before, name] of compiled) {
    equal(launched(`${before} report(compile("${name}").cachedDataRejected);`), "false", `${before} ${name}`);
  }
});

test("a program in a process of its own is optimised sooner", () => {
  const count = `
    const ways = Array.from({ length: 20 }, (_, way) => "all += one * " + way + " - one;").join(" ");
    const sum = new Function("one", "let all = 0; " + ways + " return all;");
    let calls = 0;
    const isOptimized = () => %GetOptimizationStatus(sum) & 16;
    for (const end = Date.now() + 5000; !isOptimized() && Date.now() < end; calls++) sum(calls & 3);
    report(calls);`;
  const [usual, sooner] = ["", "optimizeSooner();"].map((before) =>
    Number(launched(before + count, ["--allow-natives-syntax", "--no-concurrent-recompilation"])),
  );
  // Later versions of V8 keep their own ways.
  if (process.versions.v8.startsWith("11.")) ok(sooner < usual / 2, `${sooner} calls instead of ${usual}`);
});

test("a program that is still to be kept for later starts is optimised sooner afterwards", () => {
  const folder = mkdtempSync(join(tmpdir(), "tarsier-launcher-"));
  try {
    copyFileSync(fileURLToPath(launcher), join(folder, "launcher.cjs"));
    for (const name of ["cli.cjs", "worker.cjs"]) writeFileSync(join(folder, name), "exports.one = 1;");
    const source = `
      import { readdirSync } from "node:fs";
      import { cachedDataVersionTag, setFlagsFromString } from "node:v8";
      const timers = [];
      globalThis.setTimeout = (run) => ({ unref: () => timers.push(run) });
      const { launch, optimizeSooner } = await import(${JSON.stringify(join(folder, "launcher.cjs"))});
      const tags = [cachedDataVersionTag()];
      launch("cli.cjs");
      optimizeSooner();
      tags.push(cachedDataVersionTag());
      while (timers.length > 0) timers.shift()();
      tags.push(cachedDataVersionTag());
      launch("worker.cjs");
      setFlagsFromString("--no-sparkplug");
      while (timers.length > 0) timers.shift()();
      const caches = readdirSync(${JSON.stringify(folder)}).filter((name) => name.endsWith(".cache"));
      process.stdout.write(JSON.stringify({ tags, caches }));`;
    const { tags, caches } = JSON.parse(ran(source)) as { tags: number[]; caches: string[] };
    equal(tags[1], tags[0]);
    if (process.versions.v8.startsWith("11.")) notEqual(tags[2], tags[1]);
    // With other flags than those of its compilation a cache would never be used.
    deepEqual(
      caches.map((name) => name.split(".")[0]),
      ["cli"],
    );
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
    ...["--task-webhook-url", url, "--task-webhook-authorization-header", "Bearer x"],
    ...["--experimental-allowed-ip-networks", "127.0.0.1"],
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

/** What a program says that has the launcher at hand. */
function launched(source: string, flags: readonly string[] = []): string {
  const lines = [
    `import { compile, optimizeSooner } from ${JSON.stringify(launcher)};`,
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

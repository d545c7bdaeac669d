// Imports that are interrupted, and something happens to the server before they are called again: in the end
// all documents are there. Each test has a server over an engine in memory.
import { equal, match, rejects } from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { type Fixture, startFixture } from "../http/harness.ts";
import { Importing, lines } from "./importing.ts";

const COUNT = 100_000;
const CHUNKS_BEFORE_CUT = 2;
const BEGUN_ANEW = /Beginning anew, not behind \d+ documents that were sent before: (.+)\nImported 100000 /;

let importing: Importing;
let server: Fixture;
let url: string;
/** So many more chunks are taken; from then on connections are cut. */
let chunksLeft: number;
let beforeTaskIsRead: (() => Promise<void>) | null;

beforeEach(async () => {
  importing = await Importing.start();
  chunksLeft = CHUNKS_BEFORE_CUT;
  beforeTaskIsRead = null;
  server = await startServer(0);
});

afterEach(async () => {
  await server.app.close();
  await importing.close();
});

async function startServer(port: number): Promise<Fixture> {
  const fixture = await startFixture({ httpPayloadSizeLimit: 10_000_000 }, "{}", {
    app: (app) =>
      app.addHook("onRequest", async (request) => {
        const isChunk = request.method === "POST" && request.url === "/indexes/peaks/documents";
        if (isChunk && chunksLeft-- <= 0) request.raw.socket.destroy();
        if (request.url.startsWith("/tasks/")) await beforeTaskIsRead?.();
      }),
  });
  url = await fixture.app.listen({ port, host: "127.0.0.1" });
  return fixture;
}

const run = () => importing.run(url, "a.ndjson", lines(COUNT), "--chunk-size", "300 kB");

async function interrupt(): Promise<void> {
  await rejects(run(), /cannot be reached/);
  await server.instance.idle();
  chunksLeft = Number.POSITIVE_INFINITY;
}

async function ask(line: string, json?: unknown): Promise<void> {
  equal((await server.code(line, json))[0] < 300, true, line);
  await server.instance.idle();
}

async function countDocuments(): Promise<number> {
  const { body } = await server.app.inject("/indexes/peaks/stats");
  return JSON.parse(body).numberOfDocuments;
}

async function endsWhole(toldOutput: RegExp): Promise<void> {
  await run();
  equal(await countDocuments(), COUNT);
  match(importing.output, toldOutput);
}

test("an import goes on when nothing was lost, whatever else happened", async () => {
  await interrupt();
  await ask("DELETE /indexes/teas");
  await ask("PATCH /indexes/peaks/settings", { stopWords: ["the"] });
  await endsWhole(/Going on behind \d+ documents that were sent before\nImported 100000 /);
});

const losses: Record<string, [string, unknown?][]> = {
  "its index was deleted": [["DELETE /indexes/peaks"]],
  "the documents of its index were deleted": [["DELETE /indexes/peaks/documents"]],
  "a document was deleted": [["DELETE /indexes/peaks/documents/7"]],
  "its documents were edited": [
    ["PATCH /experimental-features", { editDocumentsByFunction: true }],
    ["POST /indexes/peaks/documents/edit", { function: "doc.x = 1" }],
  ],
  "its index was renamed": [["PATCH /indexes/peaks", { uid: "hills" }]],
  "its index was swapped": [["POST /swap-indexes", [{ indexes: ["peaks", "teas"] }]]],
  "its tasks were deleted": [["DELETE /tasks?statuses=succeeded"]],
  "its index was deleted, and the task of that": [
    ["DELETE /indexes/peaks"],
    ["DELETE /tasks?types=indexDeletion"],
  ],
};

for (const [loss, requests] of Object.entries(losses)) {
  test(`an import begins anew when ${loss}`, async () => {
    await interrupt();
    for (const [line, json] of requests) await ask(line, json);
    await endsWhole(BEGUN_ANEW);
  });
}

test("an import that began anew goes on after a second interruption", async () => {
  await interrupt();
  await ask("DELETE /indexes/peaks");
  chunksLeft = CHUNKS_BEFORE_CUT;
  await interrupt();
  await endsWhole(/Beginning anew.*\nGoing on behind \d+ documents that were sent before\nImported 100000 /);
});

test("an import begins anew when another server answers at the address", async () => {
  await interrupt();
  await server.app.close();
  server = await startServer(Number(new URL(url).port));
  // Tasks of the same numbers.
  for (let uid = 1; uid <= CHUNKS_BEFORE_CUT; uid++) await ask("POST /indexes/peaks/documents", []);
  await endsWhole(BEGUN_ANEW);
  match(importing.output, /it is another server, or its tasks were deleted/);
});

test("an import begins anew when a former version left its state", async () => {
  await interrupt();
  await ask("DELETE /indexes/peaks");
  const [name] = await importing.stateFiles();
  const path = join(importing.folder, name);
  const { first, last, ...former } = JSON.parse(await readFile(path, "utf8"));
  await writeFile(path, JSON.stringify(former));
  await endsWhole(/^Imported 100000 /);
});

test("tasks that are deleted before their outcome is known do not keep an import from its end", async () => {
  chunksLeft = Number.POSITIVE_INFINITY;
  beforeTaskIsRead = async () => {
    beforeTaskIsRead = null;
    await server.instance.idle();
    await ask("DELETE /tasks?indexUids=peaks");
  };
  await endsWhole(/^Tasks that were deleted before their outcome was known: [1-9]\d*\nImported 100000 /);
});

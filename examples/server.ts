// A server inside of your own program: `bun examples/server.ts`, `deno run -A examples/server.ts`, or Node
// 22.18 or later. The command `tarsier` does the same.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultOptions, openServer } from "tarsier/server";

const folder = mkdtempSync(join(tmpdir(), "teas-"));
const server = await openServer({
  ...defaultOptions(),
  dbPath: join(folder, "data"),
  httpAddr: "localhost:0",
  logLevel: "warn",
});
const url = `${server.url}/indexes/teas`;

const headers = { "content-type": "application/json" };
const teas = JSON.stringify([
  { id: 1, name: "Oolong" },
  { id: 2, name: "Sencha" },
]);
await fetch(`${url}/documents`, { method: "POST", headers, body: teas });

let found: { hits: { name: string }[] } = { hits: [] };
while (!found.hits?.length) found = await (await fetch(`${url}/search?q=olong`)).json();
console.log(found.hits[0].name);

await server.close();
rmSync(folder, { recursive: true });

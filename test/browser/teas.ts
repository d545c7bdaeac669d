// A server process with an index of teas, or with none, for the tests of pages that speak to one
// (page.test.ts, pageaccess.test.ts, pageadditions.test.ts, pagefilters.test.ts,
// instantsearch.test.ts).
import { Meilisearch } from "meilisearch";
import { Server } from "../crash/server.ts";
import { type Cleanups, temporaryFolder } from "./chromium.ts";

export interface Tea {
  id: number;
  name: string;
  kind: string;
  /** A name that a filter must quote. */
  "steeped for": number;
}

/** On a busy machine a task takes longer than the few seconds that the client waits of its own accord. */
const TASK_MS_MAX = 120_000;

const NAMES: [string, string][] = [
  ["sencha", "green"],
  ["sencha of spring", "green"],
  ["gyokuro", "green"],
  ["assam", "black"],
  ["darjeeling of spring", "black"],
  ["silver needle", "white"],
];

/** Ids from 1 on, steeped for as many times ten seconds. */
export const TEAS: Tea[] = NAMES.map(([name, kind], at) => ({
  id: at + 1,
  name,
  kind,
  "steeped for": (at + 1) * 10,
}));

export interface TeaServer {
  url: string;
  client: Meilisearch;
}

/** A server that is ended with the test. */
export async function serveTeas(context: Cleanups, masterKey?: string): Promise<TeaServer> {
  const folder = temporaryFolder(context);
  const server = await Server.start(folder, undefined, masterKey ? ["--master-key", masterKey] : []);
  context.after(() => server.kill());
  await server.ready();
  const defaultWaitOptions = { timeout: TASK_MS_MAX };
  const client = new Meilisearch({ host: server.url, apiKey: masterKey, defaultWaitOptions });
  const index = client.index("teas");
  const filterableAttributes = ["kind", "steeped for"];
  await index.updateSettings({ filterableAttributes, sortableAttributes: ["steeped for"] }).waitTask();
  await index.addDocuments(TEAS).waitTask();
  return { url: server.url, client };
}

/** A server without indexes, that is ended with the test. */
export async function serveNothing(context: Cleanups): Promise<TeaServer> {
  const empty = await Server.start(temporaryFolder(context));
  context.after(() => empty.kill());
  await empty.ready();
  return { url: empty.url, client: new Meilisearch({ host: empty.url }) };
}

// Flags of the launch that a running server goes by: features that they turn on, and what dumps say of a
// server that sends no usage events.
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { openServer } from "../../src/node.ts";
import type { Options } from "../../src/options.ts";
import { unpackArchive } from "../../src/storage/archivereader.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import { readWhole } from "../../src/tasks/dumps/files.ts";
import { Place } from "../tasks/copyfixture.ts";
import { served } from "./served.ts";

const place = new Place();
after(() => place.remove());

interface Task {
  taskUid: number;
  status: string;
  details: { dumpUid: string };
}

type Ask = <Answer>(method: string, path: string, body?: object) => Promise<Answer>;

/** Opens a server on that folder for as long as `use` takes. */
const serving = <Result>(
  name: string,
  changes: Partial<Options>,
  use: (ask: Ask) => Promise<Result>,
): Promise<Result> =>
  served(place, name, changes, (url) =>
    use(async (method, path, body) => {
      const headers = { "content-type": "application/json" };
      const sent = body && { headers, body: JSON.stringify(body) };
      const response = await fetch(url + path, { method, ...sent });
      ok(response.ok, `${response.status}`);
      return (await response.json()) as never;
    }),
  );

type Features = Record<string, boolean | null>;

/** The features of a server that is launched like that, when `patch` has been sent. */
const features = (name: string, changes: Partial<Options>, patch?: object): Promise<Features> =>
  serving(name, changes, (ask) => ask(patch ? "PATCH" : "GET", "/experimental-features", patch));

const LEGACY = { experimentalLegacySearchDefault: true };

test("the legacy search is on from the launch that says so, until somebody decides otherwise", async () => {
  equal((await features("first", {})).legacySearch, null);
  equal((await features("first", LEGACY)).legacySearch, true);
  equal((await features("first", {})).legacySearch, true);
  equal((await features("first", {}, { legacySearch: false })).legacySearch, false);
  equal((await features("first", LEGACY)).legacySearch, false);
});

test("the legacy search stays off when that was decided before any launch with its flag", async () => {
  equal((await features("second", {}, { legacySearch: false })).legacySearch, false);
  equal((await features("second", LEGACY)).legacySearch, false);
});

test("other features are on at each launch that says so, and stay on", async () => {
  const launch = {
    experimentalContainsFilter: true,
    experimentalEnableMetrics: true,
    experimentalEnableLogsRoute: true,
  };
  const names = ["containsFilter", "metrics", "logsRoute"];
  const off = Object.fromEntries(names.map((name) => [name, false]));
  await features("third", {}, off);
  for (const options of [launch, {}]) {
    const { legacySearch, ...found } = await features("third", options);
    deepEqual([...names.map((name) => found[name]), legacySearch], [true, true, true, null]);
  }
});

/** The files of a dump that a server makes, by name; and the lines of its tasks. */
async function dumped(name: string, changes: Partial<Options>) {
  const dumpUid = await serving(name, changes, async (ask) => {
    const { taskUid } = await ask<Task>("POST", "/dumps");
    for (;;) {
      const { status, details } = await ask<Task>("GET", `/tasks/${taskUid}`);
      if (status === "succeeded") return details.dumpUid;
      equal(status === "failed", false);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });
  const storage = new MemoryStorage();
  storage.makeFolder("dump");
  await unpackArchive(`${place.folder("dumps")}/${dumpUid}.dump`, storage, "dump");
  const files = storage.list("dump");
  const read = (file: string) => readWhole(storage, `dump/${file}`);
  const [line] = read("tasks/queue.jsonl").trim().split("\n");
  return { files, read, type: JSON.parse(line).type.dumpCreation };
}

const NAME_FILE = "instance_uid.uuid";

test("a dump names the server that it is of", async () => {
  const { files, read, type } = await dumped("named", {});
  ok(files.includes(NAME_FILE));
  equal(type.instance_uid, read(NAME_FILE).trim());
});

test("a dump of a server that sends no usage events does not name it, nor does its task", async () => {
  const { files, read, type } = await dumped("unnamed", { noAnalytics: true });
  ok(files.includes("metadata.json") && !files.includes(NAME_FILE), files.join());
  equal(type.instance_uid, null);
  ok(!read("tasks/queue.jsonl").includes('"instance_uid":"'));
});

test("options of a server may be missing or undefined, and no others are taken", async () => {
  const place = new Place();
  const given = { dbPath: join(place.path, "db"), httpAddr: "127.0.0.1:0", logLevel: "off" } as const;
  const { url, close } = await openServer({ ...given, scheduleSnapshot: undefined, importDump: undefined });
  const { results } = (await (await fetch(`${url}/tasks`)).json()) as { results: unknown[] };
  await close();
  deepEqual(results, []);
  await rejects(openServer({ ...given, port: 7700 } as Partial<Options>), /no option `port`/);
  await rejects(openServer({ ...given, httpAddr: "nowhere" }), /HOST:PORT/);
  place.remove();
});

// The keys that a server has from its first start on, and how they go from server to server.
import { deepEqual, equal } from "node:assert/strict";
import { after, test } from "node:test";
import type { Options } from "../../src/options.ts";
import { Place } from "../tasks/copyfixture.ts";
import { writeArchive } from "../tasks/oldlines.ts";
import { served } from "./served.ts";

const place = new Place();
after(() => place.remove());

const MASTER_KEY = "a-master-key-of-32-bytes-or-more";
const NAMES = ["Default Search API Key", "Default Admin API Key", "Default Read-Only Admin API Key"];

interface Key {
  name: string;
  uid: string;
  key: string;
}

type Send = (method: string, path: string, key?: string) => Promise<[number, never]>;

/** Opens a server for as long as `use` takes. `send` gives status and body. */
const serving = <Result>(
  name: string,
  changes: Partial<Options>,
  use: (send: Send) => Promise<Result>,
): Promise<Result> =>
  served(place, name, changes, (url) =>
    use(async (method, path, key = changes.masterKey ?? "") => {
      const headers = { ...(key !== "" && { authorization: `Bearer ${key}` }) };
      const response = await fetch(url + path, { method, headers });
      return [response.status, (await response.json()) as never];
    }),
  );

const keysOf = (name: string, changes: Partial<Options>) =>
  serving(name, changes, async (send) => {
    const [status, { results }] = (await send("GET", "/keys")) as [number, { results: Key[] }];
    equal(status, 200);
    return results;
  });

test("a database that began without a master key has the default keys once there is one", async () => {
  await serving("late", { masterKey: null }, async (send) => {
    deepEqual(await send("GET", "/keys").then(([status, { code }]) => [status, code]), [
      401,
      "missing_master_key",
    ]);
    deepEqual(await send("GET", "/indexes", "x").then(([status]) => status), 200);
  });
  const keys = await keysOf("late", { masterKey: MASTER_KEY });
  deepEqual(
    keys.map(({ name }) => name),
    NAMES,
  );
  deepEqual(await keysOf("late", { masterKey: MASTER_KEY }), keys);
  await serving("late", { masterKey: MASTER_KEY }, async (send) => {
    equal((await send("GET", "/indexes", keys[1].key))[0], 200);
    equal((await send("GET", "/indexes", keys[0].key))[0], 403);
  });
});

test("a dump of a server without a master key brings the default keys to one with it", async () => {
  const dumpUid = await serving("open", { masterKey: null }, async (send) => {
    const [, { taskUid }] = await send("POST", "/dumps");
    for (;;) {
      const [, task] = (await send("GET", `/tasks/${taskUid}`)) as [number, Record<string, never>];
      if (task.status === "succeeded") return (task.details as { dumpUid: string }).dumpUid;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });
  const importDump = `${place.folder("dumps")}/${dumpUid}.dump`;
  const keys = await keysOf("closed", { masterKey: MASTER_KEY, importDump });
  deepEqual(
    keys.map(({ name }) => name),
    NAMES,
  );
  deepEqual(await keysOf("closed", { masterKey: MASTER_KEY }), keys);
});

test("a dump without keys leaves none until the next start", async () => {
  await writeArchive(place.path, "bare.dump", {
    "metadata.json": { dumpVersion: "V6" },
    "tasks/queue.jsonl": [],
  });
  const importDump = `${place.path}/bare.dump`;
  deepEqual(await keysOf("bare", { masterKey: MASTER_KEY, importDump }), []);
  equal((await keysOf("bare", { masterKey: MASTER_KEY })).length, NAMES.length);
});

// Options of a server that a program gives, which may have been written without types: what no launch would
// take is refused before anything is opened, and nothing runs with a value that means something else.
import { deepEqual, equal, ok, rejects, throws } from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { readGiven, settleGiven } from "../src/givenoptions.ts";
import { open } from "../src/index.ts";
import { openServer } from "../src/node.ts";
import { defaultOptions, type Options, optionTable } from "../src/options.ts";
import { Place } from "./tasks/copyfixture.ts";

const place = new Place();
after(() => place.remove());

test("a server refuses values that no launch would take, and makes no folder", async () => {
  const wrong: Record<string, unknown[]> = {
    dbPath: [5, "", null],
    httpAddr: [7700, "7700", "localhost:99999"],
    masterKey: [5, "", ["a key in a list, of 16 bytes"]],
    logLevel: ["loud", null],
    env: ["staging"],
    threads: [-1, 1.5, Number.NaN, [2], null, {}],
    maxIndexingMemory: ["much", 0, Number.POSITIVE_INFINITY],
    durability: [true],
    noAnalytics: ["no", null],
    experimentalAllowedIpNetworks: ["localhost", [5], null],
  };
  const dbPath = join(place.folder("refused"), "data");
  for (const [name, values] of Object.entries(wrong))
    for (const value of values) {
      const given = { dbPath, httpAddr: "127.0.0.1:0", logLevel: "off", [name]: value };
      const option = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      await rejects(openServer(given as Partial<Options>), { message: RegExp(`^--${option}: expected `) });
    }
  for (const given of [undefined, null, "films", 5, []])
    await rejects(openServer(given as never), { message: /are an object/ });
  ok(!existsSync(dbPath));
});

test("a program gives no config file, which only the command line reads", async () => {
  const given = { dbPath: place.folder("filed"), httpAddr: "127.0.0.1:0", configFilePath: "films.toml" };
  await rejects(openServer(given as never), { message: /^--config-file-path: only the command line reads/ });
});

test("a refusal does not repeat a value, which may be a secret", () => {
  const masterKey = ["a secret of sixteen bytes"] as never;
  throws(
    () => settleGiven({ masterKey }),
    ({ message }: Error) => !message.includes("secret"),
  );
});

test("a server in production needs a long master key, however it is opened", async () => {
  for (const masterKey of [undefined, null, "short"]) {
    const given = { env: "production", masterKey } as const;
    await rejects(openServer({ dbPath: place.folder("open"), ...given }), { message: /16 bytes or more/ });
  }
});

test("options have their values, or are read from texts as those of a command line are", () => {
  const defaults = defaultOptions();
  deepEqual(settleGiven(defaults), defaults);
  deepEqual(settleGiven({ masterKey: undefined, threads: undefined }), defaults);
  const texts = { maxIndexingMemory: "1 MiB", threads: "2", noAnalytics: "true", logLevel: "WARN" };
  const { maxIndexingMemory, threads, noAnalytics, logLevel } = settleGiven(texts as never);
  deepEqual([maxIndexingMemory, threads, noAnalytics, logLevel], [2 ** 20, 2, true, "warn"]);
});

test("a list may be empty, in a server and in the library", async () => {
  const row = optionTable.experimentalAllowedIpNetworks;
  deepEqual(readGiven(row, []), []);
  deepEqual(readGiven(row, ["10.0.0.0/8", "any"]), ["10.0.0.0/8", "any"]);
  equal(readGiven(row, ["10.0.0.0/8", ""]), undefined);
  await (await open({ allowedIpNetworks: [] })).close();
  await rejects(open({ threads: [0] as never }), { code: "bad_request" });
});

// The container image: what its Dockerfile sets, and what a container's own environment may replace.
import { deepEqual, equal } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readEnvironment } from "../../src/cli/environment.ts";
import { optionTable } from "../../src/options.ts";

/** The variables of the image that are options of the server. */
function imageEnvironment(): Record<string, string> {
  const text = readFileSync("Dockerfile", "utf8").replace(/\\\n/g, "");
  const pairs = [...text.matchAll(/\b((?:TARSIER|MEILI)_[A-Z_]+)=(\S+)/g)].filter(
    ([pair]) => !pair.includes("..."),
  );
  return Object.fromEntries(pairs.map(([, name, value]) => [name, value]));
}

function given(environment: Record<string, string>): Record<string, string> {
  const options = readEnvironment({ ...imageEnvironment(), ...environment }, optionTable);
  return Object.fromEntries([...options].map(([name, { text }]) => [name, text]));
}

test("the image keeps all data in its volume, and listens to other containers", () => {
  deepEqual(given({}), {
    dbPath: "/data/data.tarsier",
    httpAddr: "0.0.0.0:7700",
    dumpDir: "/data/dumps",
    snapshotDir: "/data/snapshots",
  });
});

test("a container's environment replaces what the image sets, under both names of an option", () => {
  for (const prefix of ["TARSIER_", "MEILI_"]) {
    equal(given({ [`${prefix}DB_PATH`]: "/elsewhere" }).dbPath, "/elsewhere");
    equal(given({ [`${prefix}HTTP_ADDR`]: "0.0.0.0:80" }).httpAddr, "0.0.0.0:80");
  }
});

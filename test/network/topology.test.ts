// The network object: what patches change, what is refused, and that it lasts.
import { deepEqual, equal, throws } from "node:assert/strict";
import { test } from "node:test";
import { TarsierError } from "../../src/errors.ts";
import { patchedNetwork, Topology } from "../../src/network/networkchanges.ts";
import { networkOf } from "../../src/network/topology.ts";
import type { Network, NetworkPatch } from "../../src/schemas/network.ts";

const remote = (url: string, searchApiKey: string | null = null) => ({
  url,
  searchApiKey,
  writeApiKey: null,
});
const known: Network = { self: "a", sharding: false, remotes: { b: remote("http://b", "key") } };

test("a patch changes what it names, and null resets it", () => {
  const after = (patch: NetworkPatch) => patchedNetwork(known, patch);
  deepEqual(after({}), known);
  deepEqual(after({ sharding: true }), { ...known, sharding: true });
  deepEqual(after({ self: null, remotes: null, sharding: null }), {
    self: null,
    sharding: false,
    remotes: {},
  });
  deepEqual(after({ remotes: { b: { url: "https://c/d" } } }).remotes, { b: remote("https://c/d", "key") });
  deepEqual(after({ remotes: { b: { searchApiKey: null } } }).remotes, { b: remote("http://b") });
  deepEqual(after({ remotes: { b: null, none: null, a: { url: "http://a" } } }).remotes, {
    a: remote("http://a"),
  });
});

test("remotes need a url that can be called, and sharding a name", () => {
  const refused = (patch: NetworkPatch, code: string, from: Network = known) =>
    throws(
      () => patchedNetwork(from, patch),
      (error) => error instanceof TarsierError && error.code === code,
    );
  refused({ remotes: { c: {} } }, "missing_network_url");
  refused({ remotes: { c: { url: null } } }, "missing_network_url");
  refused({ remotes: { b: { url: null } } }, "invalid_network_url");
  refused({ remotes: { b: { url: "ftp://b" } } }, "invalid_network_url");
  refused({ remotes: { b: { url: "b" } } }, "invalid_network_url");
  refused({ remotes: { b: { url: "http://user:secret@b" } } }, "invalid_network_url");
  refused({ sharding: true, self: null }, "invalid_network_sharding");
  refused({ self: null }, "invalid_network_sharding", { ...known, sharding: true });
});

test("patches that come at the same time all count", async () => {
  const kept = new Map<string, unknown>();
  const instance = {
    value: (kind: string, key: string) => kept.get(kind + key),
    put: async (kind: string, key: string, value: unknown) => {
      await new Promise((resolve) => setImmediate(resolve));
      kept.set(kind + key, value);
    },
    hold: async () => {},
  };
  const topology = new Topology(instance);
  const refused = topology.patch({ remotes: { c: {} } }).catch((error: TarsierError) => error.code);
  const names = ["x", "y", "z"];
  await Promise.all(names.map((name) => topology.patch({ remotes: { [name]: { url: "http://n" } } })));
  equal(await refused, "missing_network_url");
  deepEqual(Object.keys(networkOf(instance).remotes), names);
});

/** An instance that shares documents, and what its writes are held for. */
function sharing(network: Network, values: Record<string, unknown> = {}) {
  const kept = new Map<string, unknown>(Object.entries({ topology: network, ...values }));
  const holds: (readonly string[] | null)[] = [];
  /** What was begun before anything was durable. */
  const together: string[][] = [];
  let begun: string[] = [];
  const noted = async (what: string, change: () => void) => {
    if (begun.push(what) === 1) together.push(begun);
    change();
    await new Promise(setImmediate);
    begun = [];
  };
  const instance = {
    value: (_: string, key: string) => kept.get(key),
    put: (_: string, key: string, value: unknown) => noted(key, () => kept.set(key, value)),
    hold: (members: readonly string[] | null) => noted("hold", () => holds.push(members)),
  };
  return { topology: new Topology(instance), kept, holds, together };
}

const shared = (...names: string[]): Network => {
  const remotes = Object.fromEntries(names.map((name) => [name, remote(`http://${name}`)]));
  return { self: "a", sharding: true, remotes };
};

test("a change of the servers that share documents holds writes in the same go", async () => {
  const { topology, holds, together } = sharing(shared("a", "b"));
  await topology.patch({ remotes: { c: { url: "http://c" } } });
  deepEqual(holds, [["a", "b", "c"]]);
  deepEqual(together, [["topology", "hold"]], "no write sees the one without the other");
  await topology.patch({ remotes: { b: null } });
  deepEqual(holds[1], ["a", "c"]);
  deepEqual(together[1], ["topology", "leavers", "hold"]);
  await topology.patch({ sharding: false });
  equal(holds[2], null, "nothing is to move any more");
});

test("a change that leaves the servers as they are holds no writes", async () => {
  const { topology, holds, kept } = sharing(shared("a", "b"));
  await topology.patch({ remotes: { b: { writeApiKey: "key", url: "http://other" } } });
  deepEqual(holds, []);
  equal(kept.get("leavers"), undefined, "nor has one left that has another address now");
});

test("servers that were taken out are remembered until they come back", async () => {
  const { topology, kept } = sharing(shared("a", "b", "c", "d"));
  const leavers = () => Object.keys((kept.get("leavers") as object | null) ?? {});
  await topology.patch({ remotes: { c: null } });
  deepEqual(leavers(), ["c"]);
  await topology.patch({ remotes: { d: null } });
  deepEqual(leavers(), ["c", "d"]);
  await topology.patch({ remotes: { c: { url: "http://c" } } });
  deepEqual(leavers(), ["d"]);
  await topology.patch({ remotes: { d: { url: "http://d" } } });
  equal(kept.get("leavers"), null);
});

test("neither this server nor one that has another name now counts as taken out", async () => {
  const { topology, kept } = sharing(shared("a", "b", "c"));
  await topology.patch({ remotes: { a: null, b: null, z: { url: "http://b" } } });
  equal(kept.get("leavers"), undefined);
});

test("a server that is taken out while documents are not shared is not remembered", async () => {
  const { topology, kept } = sharing({ ...shared("a", "b"), sharding: false });
  await topology.patch({ remotes: { b: null } });
  equal(kept.get("leavers"), undefined);
});

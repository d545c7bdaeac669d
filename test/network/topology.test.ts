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

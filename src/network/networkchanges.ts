// Changes of the network by patches, as the route of /network makes them.
import { areSameMembers } from "../engine/shard.ts";
import { TarsierError } from "../errors.ts";
import { hasCredentials, isHttpUrl } from "../outbound/urls.ts";
import type { Network, NetworkPatch, Remote, RemotePatch } from "../schemas/network.ts";
import { foundIn } from "../schemas/phrases.ts";
import type { InstanceInterface } from "../tasks/instanceinterface.ts";
import { leaversOf, putLeavers, sharersIn } from "./members.ts";
import { NETWORK, networkOf } from "./topology.ts";

type Values = Pick<InstanceInterface, "value" | "put" | "hold">;

/** Changes run one after the other: each starts from the outcome of the one before. */
export class Topology {
  readonly #instance: Values;
  #last: Promise<unknown> = Promise.resolve();

  constructor(instance: Values) {
    this.#instance = instance;
  }

  /** Durable when fulfilled. Rejects with a TarsierError; nothing has changed then. */
  patch(patch: NetworkPatch): Promise<Network> {
    const change = this.#last.then(async () => {
      const before = networkOf(this.#instance);
      const network = patchedNetwork(before, patch);
      // In one go, so that no write sees a part of the change.
      await Promise.all([
        this.#instance.put(NETWORK.kind, NETWORK.key, network),
        ...this.#keepLeavers(before, network),
        ...this.#holdWrites(before, network),
      ]);
      return network;
    });
    this.#last = change.catch(() => null);
    return change;
  }

  *#keepLeavers(before: Network, network: Network): Iterable<Promise<void>> {
    if (!before.sharding) return;
    const urls = new Set(Object.values(network.remotes).map(({ url }) => url));
    const known = { ...leaversOf(this.#instance), ...before.remotes };
    // One that is known by another name now has not left.
    const leavers = Object.entries(known).filter(
      ([name, { url }]) => name !== before.self && !Object.hasOwn(network.remotes, name) && !urls.has(url),
    );
    yield putLeavers(this.#instance, Object.fromEntries(leavers));
  }

  /** Documents have to move: the writes of servers that know it wait until they have. */
  *#holdWrites(before: Network, network: Network): Iterable<Promise<void>> {
    const [former, sharers] = [before, network].map((each) => sharersIn(this.#instance, each));
    if (former === null || sharers === null || !areSameMembers(former, sharers))
      yield this.#instance.hold(sharers);
  }
}

/** Absent fields stay, null resets, a remote that is null is removed. */
export function patchedNetwork(network: Network, patch: NetworkPatch): Network {
  const { self = network.self, sharding = network.sharding } = patch;
  const remotes = patchedRemotes(network, patch);
  const next: Network = { self, sharding: sharding ?? false, remotes };
  if (hasLeft(network, patch, next)) next.hasLeft = true;
  if (next.sharding && next.self === null) {
    throw new TarsierError("invalid_network_sharding", {
      place: "Field `.sharding`",
      expected: "`self` to name this instance first",
      found: "`self` is null",
    });
  }
  return next;
}

/**
 * Whether this server has removed its own name from the remotes: it then gives its documents to the others.
 */
function hasLeft(
  before: Network,
  { self: renamed, remotes }: NetworkPatch,
  { self, ...next }: Network,
): boolean {
  if (self === null || renamed !== undefined || Object.hasOwn(next.remotes, self)) return false;
  if (Object.keys(next.remotes).length === 0) return false;
  return before.hasLeft === true || remotes?.[self] === null;
}

function patchedRemotes({ remotes }: Network, patch: NetworkPatch): Record<string, Remote> {
  if (patch.remotes === null) return {};
  const next = new Map(Object.entries(remotes));
  for (const [name, change] of Object.entries(patch.remotes ?? {})) {
    if (change === null) next.delete(name);
    else next.set(name, patchedRemote(name, next.get(name), change));
  }
  const sorted = [...next].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted);
}

function patchedRemote(name: string, known: Remote | undefined, change: RemotePatch): Remote {
  const url = change.url === undefined ? known?.url : change.url;
  if (url === undefined || (url === null && !known)) {
    throw new TarsierError("missing_network_url", { place: `Field \`.remotes.${name}\``, field: "url" });
  }
  if (url === null || !isHttpUrl(url)) {
    const place = `Field \`.remotes.${name}.url\``;
    const found = foundIn(url);
    throw new TarsierError("invalid_network_url", { place, expected: "an http or https URL", found });
  }
  if (hasCredentials(url)) {
    const place = `Field \`.remotes.${name}.url\``;
    const expected = "a URL without user and password (keys go into `searchApiKey` and `writeApiKey`)";
    throw new TarsierError("invalid_network_url", { place, expected, found: "one with them" });
  }
  const { searchApiKey = known?.searchApiKey ?? null, writeApiKey = known?.writeApiKey ?? null } = change;
  return { url, searchApiKey, writeApiKey };
}

// The network that this instance belongs to, kept in the journal. The routes of /network show it; federated
// searches and shared writes look remotes up.
import type { Network } from "../schemas/network.ts";
import type { InstanceInterface } from "../tasks/instanceinterface.ts";
import type { RemoteTarget } from "./remotecall.ts";

/** Where the journal keeps the network. */
export const NETWORK = { kind: "network", key: "topology" } as const;

const ALONE: Network = { self: null, sharding: false, remotes: {} };

export function networkOf(instance: Pick<InstanceInterface, "value">): Network {
  return (instance.value(NETWORK.kind, NETWORK.key) as Network | undefined) ?? ALONE;
}

/** The network as clients see it. */
export function shownNetwork({ self, sharding, remotes }: Network): Network {
  return { self, sharding, remotes };
}

/** All servers that share the documents, sorted; none if this one has no name. */
export function membersOf({ self, remotes, hasLeft }: Network): string[] {
  if (self === null) return [];
  return [...new Set([...(hasLeft ? [] : [self]), ...Object.keys(remotes)])].sort();
}

/** Names of the other servers. */
export function othersOf({ self, remotes }: Network): string[] {
  return Object.keys(remotes).filter((name) => name !== self);
}

export function targetsOf(network: Network): RemoteTarget[] {
  return othersOf(network).map((name) => ({ name, remote: network.remotes[name] }));
}

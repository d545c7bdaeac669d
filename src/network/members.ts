// The servers that share documents, and those that are about to leave or have left and still give documents
// away. Used by whatever sends, takes or moves documents.
import type { Shard } from "../engine/shard.ts";
import { FEATURE_KIND } from "../schemas/features.ts";
import type { Network, Remote } from "../schemas/network.ts";
import type { InstanceInterface } from "../tasks/instanceinterface.ts";
import { membersOf, networkOf } from "./topology.ts";

type Reading = Pick<InstanceInterface, "value">;
type Writing = Pick<InstanceInterface, "value" | "put">;

const KIND = "network";
const GIVERS_KEY = "givers";
const LEAVERS_KEY = "leavers";

/** The servers that keep documents, sorted: members that leave are no owners any more. */
export function presentMembers(instance: Reading): string[] {
  return withoutGivers(instance, membersOf(networkOf(instance)));
}

/** The same where the documents are shared; null: this server shares them with no other. */
export function sharersOf(instance: Reading): string[] | null {
  return sharersIn(instance, networkOf(instance));
}

/** The same for a network that this one was or will be. */
export function sharersIn(instance: Reading, network: Network): string[] | null {
  const isShared = network.sharding && network.self !== null;
  return isShared ? withoutGivers(instance, membersOf(network)) : null;
}

/** Which documents this server keeps when a client asks it; null: all, for it shares them with no other. */
export function presentShard(instance: Reading): Shard | null {
  const members = instance.value(FEATURE_KIND, "network") === true ? sharersOf(instance) : null;
  return members && { self: networkOf(instance).self!, members };
}

export function withoutGivers(instance: Reading, members: readonly string[]): string[] {
  const givers = giversOf(instance);
  return members.filter((name) => !givers.includes(name));
}

/** Members that give their documents away because they leave, though the network still names them. */
export function giversOf(instance: Reading): readonly string[] {
  return (instance.value(KIND, GIVERS_KEY) as string[] | null | undefined) ?? [];
}

export async function putGivers(instance: Writing, names: readonly string[]): Promise<void> {
  if (names.length !== giversOf(instance).length) await instance.put(KIND, GIVERS_KEY, names);
}

/** Servers that were taken out of the network while they shared documents: they may still have some. */
export function leaversOf(instance: Reading): Record<string, Remote> {
  return (instance.value(KIND, LEAVERS_KEY) as Record<string, Remote> | undefined) ?? {};
}

export async function putLeavers(instance: Writing, leavers: Record<string, Remote>): Promise<void> {
  const count = Object.keys(leavers).length;
  if (count > 0 || Object.keys(leaversOf(instance)).length > 0)
    await instance.put(KIND, LEAVERS_KEY, count > 0 ? leavers : null);
}

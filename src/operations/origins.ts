// Requests of other servers of the network: what they say of themselves, and which of them are heard. Used by
// sharing.ts (repeated writes) and movers.ts (servers that move documents).
import * as Type from "typebox";
import { areSameMembers } from "../engine/shard.ts";
import { TarsierError } from "../errors.ts";
import { presentMembers } from "../network/members.ts";
import { NEEDS, ORIGIN_HEADER, type WriteOrigin } from "../network/sharedwrites.ts";
import { membersOf, networkOf } from "../network/topology.ts";
import { nameList } from "../schemas/phrases.ts";
import { checker } from "../schemas/validator.ts";
import type { Instance } from "../tasks/instance.ts";
import { needFeature } from "./features.ts";
import type { Requester } from "./services.ts";

export const ORIGIN_PLACE = `Header \`${ORIGIN_HEADER}\``;

const OriginSchema = Type.Object({
  remoteName: Type.String(),
  taskUid: Type.Integer({ minimum: 0 }),
  writeId: Type.Optional(Type.String({ maxLength: 64 })),
  shard: Type.Object({ self: Type.String(), members: Type.Array(Type.String()) }),
  isPresent: Type.Optional(Type.Boolean()),
  isHeld: Type.Optional(Type.Boolean()),
  needs: Type.Optional(Type.Union(NEEDS.map((need) => Type.Literal(need)))),
});

const checkOrigin = checker(OriginSchema);

/** Null: a client asks. */
export function originOf({ writeOrigin }: Requester): WriteOrigin | null {
  if (writeOrigin === null) return null;
  try {
    return checkOrigin(JSON.parse(decodeURIComponent(writeOrigin)));
  } catch {
    const message = `The header \`${ORIGIN_HEADER}\` cannot be read: it is for other servers of the network`;
    throw new TarsierError("bad_request", { message });
  }
}

/**
 * @throws TarsierError unless this server is meant, by another member of its network or by one that has left
 * it: its documents, and its last writes, are nowhere else
 */
export function checkParties(instance: Instance, { access }: Requester, origin: WriteOrigin): void {
  needFeature(instance, "network", "A request for another server");
  if (!access.mayRepeat) {
    const detail = ": a request for another server of the network needs the action `documents.*`";
    throw new TarsierError("invalid_api_key", { place: "", detail });
  }
  const { self } = networkOf(instance);
  if (self === null || origin.shard.self !== self) {
    const expected = "the name of this server as its receiver";
    const found = `\`${origin.shard.self}\``;
    throw new TarsierError("invalid_network_self", { place: ORIGIN_PLACE, expected, found });
  }
  const isFromBefore = origin.isPresent === false;
  if (!isLeaving(origin) && !isFromBefore) checkSender(instance, origin);
}

/** @throws TarsierError */
export function checkSender(instance: Instance, { remoteName }: WriteOrigin): void {
  const { self, remotes } = networkOf(instance);
  if (remoteName !== self && Object.hasOwn(remotes, remoteName)) return;
  const expected = "another server of this server's network as its sender";
  const found = `\`${remoteName}\``;
  throw new TarsierError("invalid_network_remotes", { place: ORIGIN_PLACE, expected, found });
}

/**
 * Documents are moved between servers that see the same members, or from one that leaves: the others may
 * still count it among them, or have taken it out. This one must not be leaving: it would send them back, or
 * keep them for good.
 * @throws TarsierError `invalid_network_remotes`
 */
export function checkMove(instance: Instance, origin: WriteOrigin): void {
  const { self } = networkOf(instance);
  const members = membersOf(networkOf(instance));
  const { shard } = origin;
  const isKnown = shard.members.every((name) => members.includes(name));
  const isAgreed = isLeaving(origin) ? isKnown : seesMembers(instance, shard.members);
  if (isAgreed && self !== null && members.includes(self)) return;
  refuseMembers(members, shard.members);
}

/** @throws TarsierError `invalid_network_remotes` */
export function checkMembers(instance: Instance, { shard }: WriteOrigin): void {
  if (!seesMembers(instance, shard.members)) refuseMembers(membersOf(networkOf(instance)), shard.members);
}

/** Whether these servers share the documents, with or without those that leave. */
function seesMembers(instance: Instance, names: readonly string[]): boolean {
  const members = membersOf(networkOf(instance));
  return areSameMembers(members, names) || areSameMembers(presentMembers(instance), names);
}

function refuseMembers(members: readonly string[], found: readonly string[]): never {
  const expected = `the members ${nameList(members)}, among which documents are moved here`;
  throw new TarsierError("invalid_network_remotes", {
    place: ORIGIN_PLACE,
    expected,
    found: nameList(found),
  });
}

export const isLeaving = ({ remoteName, shard }: WriteOrigin): boolean => !shard.members.includes(remoteName);

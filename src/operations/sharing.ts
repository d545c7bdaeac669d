// Writes on a server that shares documents with others: what a task is registered with, for a write of this
// server and for one that another server repeats here. Used by every operation that writes documents,
// settings or indexes.
import { setTimeout as wait } from "node:timers/promises";
import * as Type from "typebox";
import type { Shard } from "../engine/shard.ts";
import { TarsierError } from "../errors.ts";
import {
  NOT_SENT,
  ORIGIN_HEADER,
  outgoingDraft,
  ownShard,
  type SharedWrite,
  type WriteOrigin,
} from "../network/sharedwrites.ts";
import { giversOf, isSame, noteGiver, noteReturn, noteSpread, spreadDocuments } from "../network/spread.ts";
import { membersOf, networkOf } from "../network/topology.ts";
import { nameList } from "../schemas/phrases.ts";
import { checker } from "../schemas/validator.ts";
import type { Instance } from "../tasks/instance.ts";
import type { Registration } from "../tasks/registration.ts";
import type { SummarizedTask } from "../tasks/views.ts";
import { isFeatureOn, needFeature } from "./features.ts";
import type { OperationServices, Requester } from "./services.ts";

interface Sharing {
  /** For additions: which documents this server keeps. */
  readonly shard: Shard | null;
  /** The documents are moved here: what this server has of them by now is newer. */
  readonly isMove: boolean;
  /** Registers the write, with a copy for other servers if it is shared. */
  register(registration: Registration, write: SharedWrite): Promise<SummarizedTask>;
}

/** A write that another server sent is not sent on, so that none goes round in circles. */
export function sharingOf({ instance, outbox }: OperationServices, requester: Requester): Sharing {
  const origin = originOf(requester);
  if (origin !== null) return repeated(instance, requester, origin);
  const shard = presentShard(instance);
  return {
    shard: shard && withoutGivers(instance, shard),
    isMove: false,
    async register(registration, write) {
      const outgoing = shard && outgoingDraft(shard, write);
      const waiting = outgoing?.waiting.map((name) => [name, { error: NOT_SENT }]);
      const network = waiting && { remotes: Object.fromEntries(waiting) };
      const task = await instance.register({ ...registration, ...(outgoing && { network, outgoing }) });
      // The network has changed since the first bytes of the documents came.
      if (!isSame(shard?.members ?? [], presentShard(instance)?.members ?? [])) {
        await noteSpread(instance, shard?.members ?? []);
        await spreadDocuments(instance);
      }
      if (outgoing) await outbox?.send(task.taskUid);
      return task;
    },
  };
}

/**
 * A member that leaves may have given documents here already: they are not given up for a write by a server
 * that has not been told of it and still takes that member for their owner.
 */
function withoutGivers(instance: Instance, shard: Shard): Shard {
  const givers = giversOf(instance);
  return { ...shard, members: shard.members.filter((name) => !givers.includes(name)) };
}

function presentShard(instance: Instance): Shard | null {
  return isFeatureOn(instance, "network") ? ownShard(instance) : null;
}

/**
 * A write repeated for another server, which tells this one which documents to keep.
 * @throws TarsierError unless it comes from a member of the network as known here, and is meant for this
 * server
 */
function repeated(instance: Instance, requester: Requester, origin: WriteOrigin): Sharing {
  const { remoteName, taskUid, writeId, shard } = origin;
  checkParties(instance, requester, origin);
  const network = { origin: { remoteName, taskUid } };
  const once = writeId === undefined ? {} : { origin: { remoteName, writeId } };
  return {
    shard: withoutGivers(instance, shard),
    isMove: writeId === undefined,
    async register(registration) {
      const isAddition = registration.type === "documentAdditionOrUpdate";
      if (!isAddition) checkSender(instance, origin);
      // A server that sees another network may make this one keep documents that belong elsewhere, so they
      // are checked again. Those that are moved here are refused then, or two such servers would send them to
      // and fro; the network may have changed since their first byte came.
      const isMove = isAddition && writeId === undefined;
      if (isMove) checkMove(instance, origin);
      const isLeaving = !shard.members.includes(remoteName);
      const isKnown = membersOf(networkOf(instance)).includes(remoteName);
      if (isMove && isLeaving && isKnown) await noteGiver(instance, remoteName);
      // One that has been taken out here may not know who has joined.
      const mayStray = isAddition && (!isMove || (isLeaving && !isKnown));
      if (mayStray) await noteSpread(instance, shard.members);
      const task = await instance.register({ ...registration, network, ...once });
      if (mayStray) await spreadDocuments(instance);
      if (isAddition && !isLeaving) await noteReturn(instance, remoteName);
      return task;
    },
  };
}

const PLACE = `Header \`${ORIGIN_HEADER}\``;

/**
 * @throws TarsierError unless this server is meant, by another member of its network or by one that was
 * taken out of it and gives its documents away
 */
function checkParties(instance: Instance, { access }: Requester, origin: WriteOrigin): void {
  needFeature(instance, "network", "A request for another server");
  if (!access.mayRepeat) {
    const detail = ": a request for another server of the network needs the action `documents.*`";
    throw new TarsierError("invalid_api_key", { place: "", detail });
  }
  const { self } = networkOf(instance);
  if (self === null || origin.shard.self !== self) {
    const expected = "the name of this server as its receiver";
    throw new TarsierError("invalid_network_self", {
      place: PLACE,
      expected,
      found: `\`${origin.shard.self}\``,
    });
  }
  const isMove = origin.writeId === undefined && !origin.shard.members.includes(origin.remoteName);
  if (!isMove) checkSender(instance, origin);
}

/** @throws TarsierError */
function checkSender(instance: Instance, { remoteName }: WriteOrigin): void {
  const { self, remotes } = networkOf(instance);
  if (remoteName !== self && Object.hasOwn(remotes, remoteName)) return;
  const expected = "another server of this server's network as its sender";
  throw new TarsierError("invalid_network_remotes", { place: PLACE, expected, found: `\`${remoteName}\`` });
}

/**
 * Documents are moved between servers that see the same members, or from one that leaves: the others may
 * still count it among them, or have taken it out. This one must not be leaving: it would send them back, or
 * keep them for good.
 * @throws TarsierError `invalid_network_remotes`
 */
function checkMove(instance: Instance, { remoteName, shard }: WriteOrigin): void {
  const network = networkOf(instance);
  const members = membersOf(network);
  const isLeaving = !shard.members.includes(remoteName);
  const isAgreed =
    shard.members.every((name) => members.includes(name)) &&
    (isLeaving || members.every((name) => shard.members.includes(name)));
  if (isAgreed && network.self !== null && members.includes(network.self)) return;
  const expected = `the members ${nameList(members)}, among which documents are moved here`;
  throw new TarsierError("invalid_network_remotes", {
    place: PLACE,
    expected,
    found: nameList(shard.members),
  });
}

/** For how long a server that asks before it moves documents waits for the writes on their way to it. */
const DELIVERY_MS_MAX = 1_000;
const DELIVERY_POLL_MS = 10;

/**
 * Call it before documents are read for another server that moves documents. Before each piece of them, which
 * it asks without ids, it must have all writes: older documents would undo those that are known elsewhere.
 * @throws TarsierError `invalid_network_remotes`
 */
export async function checkMover(
  { instance, outbox }: OperationServices,
  requester: Requester,
  hasIds: boolean,
): Promise<void> {
  const origin = originOf(requester);
  if (origin === null) return;
  checkParties(instance, requester, origin);
  checkMove(instance, origin);
  const { remoteName } = origin;
  if (origin.shard.members.includes(remoteName)) await noteReturn(instance, remoteName);
  if (hasIds) return;
  const outgoing = instance.outgoing();
  const newest = [...outgoing].at(-1)?.taskUid ?? -1;
  const isBehind = () => (outgoing.nextFor(remoteName)?.taskUid ?? newest + 1) <= newest;
  if (!isBehind()) return;
  // The other server is up, though it may have been away until now.
  outbox?.wake();
  for (const end = performance.now() + DELIVERY_MS_MAX; isBehind(); await wait(DELIVERY_POLL_MS)) {
    if (performance.now() < end) continue;
    const expected = "a server that has all writes from here";
    const found = `\`${remoteName}\`, for which writes wait`;
    throw new TarsierError("invalid_network_remotes", { place: PLACE, expected, found });
  }
}

const OriginSchema = Type.Object({
  remoteName: Type.String(),
  taskUid: Type.Integer({ minimum: 0 }),
  writeId: Type.Optional(Type.String({ maxLength: 64 })),
  shard: Type.Object({ self: Type.String(), members: Type.Array(Type.String()) }),
});

const checkOrigin = checker(OriginSchema);

function originOf({ writeOrigin }: Requester): WriteOrigin | null {
  if (writeOrigin === null) return null;
  try {
    return checkOrigin(JSON.parse(decodeURIComponent(writeOrigin)));
  } catch {
    const message = `The header \`${ORIGIN_HEADER}\` cannot be read: it is for other servers of the network`;
    throw new TarsierError("bad_request", { message });
  }
}

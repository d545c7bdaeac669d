// Writes on a server that shares documents with others: what a task is registered with, for a write of this
// server and for one that another server repeats here. Used by every operation that writes documents,
// settings or indexes.
import { areSameMembers } from "../engine/shard.ts";
import { presentShard, withoutGivers } from "../network/members.ts";
import { NOT_SENT, outgoingDraft, type SharedWrite, type WriteOrigin } from "../network/sharedwrites.ts";
import { noteReturn, noteSpread, spreadDocuments } from "../network/spread.ts";
import { membersOf, networkOf, othersOf } from "../network/topology.ts";
import type { Instance } from "../tasks/instance.ts";
import type { Registration } from "../tasks/registration.ts";
import type { SummarizedTask } from "../tasks/views.ts";
import { checkMembers, checkMove, checkParties, checkSender, isLeaving, originOf } from "./origins.ts";
import type { OperationServices, Requester } from "./services.ts";

interface Sharing {
  /** The documents are moved here: what this server has of them by now is newer. */
  readonly isMove: boolean;
  /** Registers the write, with a copy for other servers if it is shared. */
  register(registration: Registration, write: SharedWrite): Promise<SummarizedTask>;
}

/** A write that another server sent is not sent on, so that none goes round in circles. */
export function sharingOf({ instance, outbox }: OperationServices, requester: Requester): Sharing {
  const origin = originOf(requester);
  if (origin !== null) return repeated(instance, requester, origin);
  return {
    isMove: false,
    async register(registration, write) {
      const shard = presentShard(instance);
      const outgoing = shard && outgoingDraft(shard, othersOf(networkOf(instance)), write);
      const waiting = outgoing?.waiting.map((name) => [name, { error: NOT_SENT }]);
      const network = waiting && { remotes: Object.fromEntries(waiting) };
      // Of additions, each server keeps its own.
      const isSharded = shard && registration.type === "documentAdditionOrUpdate";
      const own = isSharded ? { ...registration, shard } : registration;
      const sharers = shard && { sharers: shard.members };
      const kept = { ...own, ...sharers, place: requester.place };
      const task = await instance.register({ ...kept, ...(outgoing && { network, outgoing }) });
      // The network has changed while the task was made durable.
      if (!areSameMembers(shard?.members ?? [], presentShard(instance)?.members ?? [])) {
        await noteSpread(instance, shard?.members ?? []);
        await spreadDocuments(instance);
      }
      if (outgoing) await outbox?.send(task.taskUid);
      return task;
    },
  };
}

/**
 * A write repeated for another server, which tells this one which documents to keep.
 * @throws TarsierError unless it comes from a member of the network as known here, and is meant for this
 * server
 */
function repeated(instance: Instance, requester: Requester, origin: WriteOrigin): Sharing {
  const { remoteName, taskUid, writeId, shard } = origin;
  checkParties(instance, requester, origin);
  checkPresence(instance, origin);
  const network = { origin: { remoteName, taskUid } };
  const isMove = writeId === undefined;
  return {
    isMove,
    async register(registration) {
      checkPresence(instance, origin);
      const isAddition = registration.type === "documentAdditionOrUpdate";
      if (!isAddition && isMove) checkSender(instance, origin);
      // A server that sees another network may make this one keep documents that belong elsewhere, so they
      // are checked again. Those that are moved here are refused then, or two such servers would send them to
      // and fro; the network may have changed since their first byte came.
      if (isAddition && isMove) checkMove(instance, origin);
      const isKnown = membersOf(networkOf(instance)).includes(remoteName);
      // One that has been taken out here may not know who has joined. A task that is about to move documents
      // waits for the others.
      const mayStray = isAddition && (isMove ? isLeaving(origin) && !isKnown : !awaitsWrites(instance));
      if (mayStray) await noteSpread(instance, shard.members);
      if (origin.isPresent && !isLeaving(origin)) await noteReturn(instance, remoteName);
      // A member that leaves may have given documents here already: they are not given up for a write by a
      // server that has not been told of it and still takes that member for their owner.
      const present = { ...shard, members: withoutGivers(instance, shard.members) };
      const kept = isAddition ? { ...registration, shard: present } : registration;
      const order = isMove ? { isMove } : origin.isHeld ? { sharers: present.members } : {};
      const once = isMove ? {} : { origin: { remoteName, writeId } };
      const task = await instance.register({ ...kept, network, ...order, ...once });
      if (mayStray) await spreadDocuments(instance);
      return task;
    },
  };
}

/** Whether documents are to move when all writes from before the change of the network have come. */
function awaitsWrites(instance: Instance): boolean {
  const held = instance.held();
  return held.members !== null && held.areMovesWaiting();
}

/**
 * A write for other members than this server sees waits there until both see the same: here it could run
 * before the documents that it is about have come.
 * @throws TarsierError `invalid_network_remotes`
 */
function checkPresence(instance: Instance, origin: WriteOrigin): void {
  if (origin.isPresent) checkMembers(instance, origin);
}

// Writes on a server that shares documents with others: what a task is registered with, for a write of this
// server and for one that another server repeats here. Used by every operation that writes documents,
// settings or indexes.
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
import { noteSpread, spreadDocuments } from "../network/spread.ts";
import { networkOf } from "../network/topology.ts";
import { checker } from "../schemas/validator.ts";
import type { Instance } from "../tasks/instance.ts";
import type { Registration } from "../tasks/registration.ts";
import type { SummarizedTask } from "../tasks/views.ts";
import { isFeatureOn, needFeature } from "./features.ts";
import type { OperationServices, Requester } from "./services.ts";

interface Sharing {
  /** For additions: which documents this server keeps. */
  readonly shard: Shard | null;
  /** Registers the write, with a copy for other servers if it is shared. */
  register(registration: Registration, write: SharedWrite): Promise<SummarizedTask>;
}

/** A write that another server sent is not sent on, so that none goes round in circles. */
export function sharingOf({ instance, outbox }: OperationServices, requester: Requester): Sharing {
  const origin = originOf(requester);
  if (origin !== null) return repeated(instance, requester, origin);
  const shard = isFeatureOn(instance, "network") ? ownShard(instance) : null;
  return {
    shard,
    async register(registration, write) {
      const outgoing = shard && outgoingDraft(shard, write);
      if (outgoing === null) return instance.register(registration);
      const remotes = Object.fromEntries(outgoing.waiting.map((name) => [name, { error: NOT_SENT }]));
      const task = await instance.register({ ...registration, network: { remotes }, outgoing });
      await outbox?.send(task.taskUid);
      return task;
    },
  };
}

/**
 * A write repeated for another server, which tells this one which documents to keep.
 * @throws TarsierError unless it comes from a member of the network as known here, and is meant for this
 * server
 */
function repeated(instance: Instance, { access }: Requester, origin: WriteOrigin): Sharing {
  needFeature(instance, "network", "A write for another server");
  if (!access.mayRepeat) {
    const detail = ": a write for another server of the network needs the action `documents.*`";
    throw new TarsierError("invalid_api_key", { place: "", detail });
  }
  const { remoteName, taskUid, writeId, shard } = origin;
  const { self, remotes } = networkOf(instance);
  const place = `Header \`${ORIGIN_HEADER}\``;
  if (self === null || shard.self !== self) {
    const expected = "the name of this server as its receiver";
    throw new TarsierError("invalid_network_self", { place, expected, found: `\`${shard.self}\`` });
  }
  if (remoteName === self || !Object.hasOwn(remotes, remoteName)) {
    const expected = "another server of this server's network as its sender";
    throw new TarsierError("invalid_network_remotes", { place, expected, found: `\`${remoteName}\`` });
  }
  const network = { origin: { remoteName, taskUid } };
  const once = writeId === undefined ? {} : { origin: { remoteName, writeId } };
  return {
    shard,
    async register(registration) {
      // A server that sees another network may make this one keep documents that belong elsewhere, so they
      // are checked again. Not those that are moved here, or two such servers would send them to and fro.
      const mayStray = registration.type === "documentAdditionOrUpdate" && writeId !== undefined;
      if (mayStray) await noteSpread(instance, shard.members);
      const task = await instance.register({ ...registration, network, ...once });
      if (mayStray) await spreadDocuments(instance);
      return task;
    },
  };
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

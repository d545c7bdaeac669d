// Writes of documents on a server that shares them with others: what a task is registered with, and the way
// to the other servers once it is. Called by every operation that writes documents.
import { Type } from "typebox";
import type { Shard } from "../engine/ingest/shard.ts";
import { TarsierError } from "../errors.ts";
import {
  ORIGIN_HEADER,
  ownShard,
  type SharedWrite,
  shareWrite,
  type WriteOrigin,
} from "../network/sharedwrites.ts";
import { checker } from "../schemas/validator.ts";
import type { TaskNetwork } from "../tasks/task.ts";
import type { SummarizedTask } from "../tasks/views.ts";
import { isFeatureOn, needFeature } from "./features.ts";
import type { OperationServices, Requester } from "./services.ts";

export interface Sharing {
  /** Of an addition: which documents this server keeps. */
  readonly shard?: Shard;
  /** Of any task: where it comes from. */
  readonly network?: TaskNetwork;
  /** The write goes to other servers, too. */
  readonly isShared: boolean;
  /** Repeats the write on other servers, if it is shared; the task notes what became of it. */
  finish(task: SummarizedTask, write: SharedWrite): Promise<SummarizedTask>;
}

/** A write that another server sent is not sent on: it goes round no circle. */
export function sharingOf({ instance, outbound }: OperationServices, requester: Requester): Sharing {
  const origin = originOf(requester);
  if (origin !== null) {
    needFeature(instance, "network", "A write for another server");
    const { remoteName, taskUid, shard } = origin;
    return { shard, network: { origin: { remoteName, taskUid } }, isShared: false, finish: asIs };
  }
  const shard = isFeatureOn(instance, "network") ? ownShard(instance) : null;
  if (shard === null) return { isShared: false, finish: asIs };
  const finish: Sharing["finish"] = async (task, write) => {
    const { taskUid } = task;
    const network = await shareWrite(instance, outbound, shard, { taskUid, write });
    await instance.setNetwork(taskUid, network);
    return task;
  };
  return { shard, isShared: true, finish };
}

const asIs = async (task: SummarizedTask): Promise<SummarizedTask> => task;

const OriginSchema = Type.Object({
  remoteName: Type.String(),
  taskUid: Type.Integer({ minimum: 0 }),
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

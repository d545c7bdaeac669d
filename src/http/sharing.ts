// Writes of documents on a server that shares them with others: what a task is registered with, and the way
// to the other servers once it is. Called by every route that writes documents.
import type { FastifyRequest } from "fastify";
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
import type { Services } from "./app.ts";
import { isFeatureOn, needFeature } from "./features.ts";

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
export function sharingOf({ instance, outbound }: Services, request: FastifyRequest): Sharing {
  const origin = originOf(request);
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

function originOf({ headers }: FastifyRequest): WriteOrigin | null {
  const header = headers[ORIGIN_HEADER];
  if (typeof header !== "string") return null;
  try {
    return checkOrigin(JSON.parse(decodeURIComponent(header)));
  } catch {
    const message = `The header \`${ORIGIN_HEADER}\` cannot be read: it is for other servers of the network`;
    throw new TarsierError("bad_request", { message });
  }
}

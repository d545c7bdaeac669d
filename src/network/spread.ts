// Remembers over which set of servers the documents here were last spread, and registers the task that
// spreads them again when the set has changed, or when the last such task did not succeed. Called when the
// network changes, when a write comes with another set, and at each start.
import { areSameMembers } from "../engine/shard.ts";
import { TarsierError } from "../errors.ts";
import type { InstanceInterface } from "../tasks/instanceinterface.ts";
import { giversOf, presentMembers, presentShard, putGivers, sharersOf } from "./members.ts";
import { standstillOf } from "./standstill.ts";
import { membersOf, networkOf } from "./topology.ts";

type Values = Pick<
  InstanceInterface,
  "value" | "put" | "held" | "hold" | "register" | "allStats" | "queueFigures" | "task"
>;

const KIND = "network";
const KEY = "spread";
/** Uid of the task that spreads them, until it is known to have succeeded. */
const TASK_KEY = "spreadTask";

/** Registers a task if documents may lie where they do not belong. */
export async function spreadDocuments(instance: Values): Promise<void> {
  const members = presentShard(instance)?.members ?? null;
  const known = (instance.value(KIND, KEY) as string[] | undefined) ?? null;
  if (members === null) {
    await instance.hold(null);
    if (known !== null) await instance.put(KIND, KEY, null);
    return;
  }
  if (known !== null && areSameMembers(known, members) && !(await hasFailed(instance))) return;
  const isAlone = members.length === 1 && members[0] === networkOf(instance).self;
  // Waiting writes, which know the former set, may make the first index.
  const hasDocuments = instance.allStats().indexes.size > 0 || instance.queueFigures().oldestWaiting !== null;
  const isNeeded = !isAlone && hasDocuments;
  await instance.hold(members);
  const named = membersOf(networkOf(instance));
  await putGivers(
    instance,
    giversOf(instance).filter((name) => named.includes(name)),
  );
  const kind = { type: "networkTopologyChange" as const, members: [...members] };
  const task = isNeeded ? await instance.register(kind) : null;
  await instance.put(KIND, TASK_KEY, task?.taskUid ?? null);
  await instance.put(KIND, KEY, members);
  // A change of the network in the meantime may have checked before this was noted.
  if (!isCurrent(instance, members)) await spreadDocuments(instance);
}

/** Whether this server has no documents to move, or cannot move them. */
export function hasGiven(instance: Pick<Values, "value" | "held">): boolean {
  const held = instance.held();
  const standstill = standstillOf(instance);
  if (held.members === null || standstill.isStuck) return true;
  const known = instance.value(KIND, KEY) as string[] | undefined;
  const named = membersOf(networkOf(instance));
  const isSpread = [sharersOf(instance), named].some((each) => known && each && areSameMembers(known, each));
  if (!held.areMovesWaiting()) return isSpread;
  return standstill.hasStopped();
}

/** A task that no longer exists counts as not succeeded. */
async function hasFailed(instance: Pick<Values, "value" | "put" | "task">): Promise<boolean> {
  const uid = instance.value(KIND, TASK_KEY) as number | null | undefined;
  if (uid === null || uid === undefined) return false;
  const status = statusOf(instance, uid);
  if (status === "succeeded") await instance.put(KIND, TASK_KEY, null);
  return status === null || status === "failed" || status === "canceled";
}

function statusOf(instance: Pick<Values, "task">, uid: number): string | null {
  try {
    return instance.task(uid, null).status;
  } catch (error) {
    if (error instanceof TarsierError && error.code === "task_not_found") return null;
    throw error;
  }
}

/** Call it before a write whose sender spreads documents over these servers. */
export async function noteSpread(instance: Values, members: readonly string[]): Promise<void> {
  const known = instance.value(KIND, KEY) as string[] | undefined;
  const isUsual = [known, presentMembers(instance)].some((each) => each && areSameMembers(each, members));
  if (known && !isUsual) await instance.put(KIND, KEY, null);
}

/**
 * Call it before documents are taken from a member that leaves. It may stay after all: `noteReturn` has them
 * given back then. Returns whether it was not noted before.
 */
export async function noteGiver(instance: Values, name: string): Promise<boolean> {
  const givers = giversOf(instance);
  if (givers.includes(name)) return false;
  await putGivers(instance, [...givers, name]);
  return true;
}

/** Call it when a member counts itself among the servers that share documents. */
export async function noteReturn(instance: Values, name: string): Promise<void> {
  const givers = giversOf(instance);
  if (!givers.includes(name)) return;
  await putGivers(
    instance,
    givers.filter((each) => each !== name),
  );
  await instance.put(KIND, KEY, null);
  await spreadDocuments(instance);
}

/** Whether the network still shares documents among the servers that a task was registered for. */
export function isCurrent(instance: Pick<Values, "value">, members: readonly string[]): boolean {
  const now = sharersOf(instance);
  return now !== null && areSameMembers(now, members);
}

// Servers that move documents here ask first, again and again: whether this one sees the same members, has
// sent and done all that comes before the move, and, at the end, has moved its own. Called by
// documentreads.ts, as they ask by a listing.
import { setTimeout as wait } from "node:timers/promises";
import { TarsierError } from "../errors.ts";
import { hasFormerFor, type WriteOrigin } from "../network/sharedwrites.ts";
import { hasGiven, noteGiver, noteReturn, spreadDocuments } from "../network/spread.ts";
import { membersOf, networkOf } from "../network/topology.ts";
import type { Instance } from "../tasks/instance.ts";
import { checkMembers, checkMove, checkParties, isLeaving, ORIGIN_PLACE, originOf } from "./origins.ts";
import type { OperationServices, Requester } from "./services.ts";

/** For how long the answer waits for what the other server needs. */
const WAIT_MS_MAX = 1_000;
const POLL_MS = 10;

/**
 * Call it before documents are read. From the first question on, writes are held here until the documents
 * have moved.
 * @throws TarsierError `invalid_network_remotes`; `network_documents_moving`: not yet
 */
export async function checkMover(services: OperationServices, requester: Requester): Promise<void> {
  const origin = originOf(requester);
  if (origin === null) return;
  const { instance, outbox, holdRelease } = services;
  checkParties(instance, requester, origin);
  if (origin.needs === "given") {
    checkMembers(instance, origin);
    outbox?.wake();
    holdRelease?.wake();
    return waitFor(() => hasGiven(instance), "documents move from here");
  }
  checkMove(instance, origin);
  await prepare(instance, origin);
  if (origin.needs === "delivery") {
    // The other server is up, though it may have been away until now.
    if (!hasDelivered(instance, origin)) outbox?.wake();
    await waitFor(() => hasDelivered(instance, origin), "writes wait to be sent from here");
  }
  if (origin.needs === "ready") await waitFor(() => !instance.held().hasFormer(), "writes wait here");
}

async function prepare(instance: Instance, origin: WriteOrigin): Promise<void> {
  const { remoteName, shard, needs } = origin;
  if (!isLeaving(origin)) await noteReturn(instance, remoteName);
  if (needs === undefined) return;
  const isKnown = membersOf(networkOf(instance)).includes(remoteName);
  // In one go, so that no write sees only one of them.
  const [isNew] = await Promise.all([
    isLeaving(origin) && isKnown && noteGiver(instance, remoteName),
    instance.hold(shard.members),
  ]);
  // Documents that move with that member as an owner move anew.
  if (isNew && instance.held().areMovesWaiting()) await spreadDocuments(instance);
}

/** Whether no member waits for a write that has run here, or is to run before documents move. */
function hasDelivered(instance: Instance, { remoteName, shard }: WriteOrigin): boolean {
  return !hasFormerFor(instance, [...shard.members, remoteName]);
}

/** @throws TarsierError `network_documents_moving` */
async function waitFor(isMet: () => boolean, reason: string): Promise<void> {
  for (const end = performance.now() + WAIT_MS_MAX; !isMet(); await wait(POLL_MS))
    if (performance.now() >= end)
      throw new TarsierError("network_documents_moving", { place: ORIGIN_PLACE, reason });
}

// Whether an interrupted import can continue: not if the server may have lost what was sent before. Called by
// `tarsier import` before it sends anything.
import type { ImportState } from "./import-state.ts";
import type { AcceptedTask, ServerClient } from "./server-client.ts";

/** Tasks that may take documents from an index, or the index from its name. */
const TYPES_OF_LOSS = "indexDeletion,indexUpdate,documentDeletion,documentEdition";
/** Tasks of no single index: swaps, and deletions that may have removed any of the other tasks. */
const GLOBAL_TYPES_OF_LOSS = "indexSwap,taskDeletion";

/** Makes the state start over if necessary. Returns what to report about it. */
export async function resume(state: ImportState, client: ServerClient, index: string): Promise<string> {
  const sent = `${state.documents} documents that were sent before`;
  const loss = await lossSince(state.span!, client, index);
  if (loss === null) return `Going on behind ${sent}`;
  state.beginAnew();
  return `Beginning anew, not behind ${sent}: ${loss}`;
}

/** How the server may have lost documents; null if it still has all of them, or their tasks. */
async function lossSince(
  { first, last }: { first: AcceptedTask; last: AcceptedTask },
  client: ServerClient,
  index: string,
): Promise<string | null> {
  const known = await client.task(last.uid);
  if (known?.enqueuedAt !== last.enqueuedAt)
    return "the server does not know their last task; it is another server, or its tasks were deleted";
  const afterEnqueuedAt = first.enqueuedAt;
  if (await client.hasTask({ indexUids: index, types: TYPES_OF_LOSS, afterEnqueuedAt }))
    return "the index, or some of its documents, may have been deleted or renamed since";
  if (await client.hasTask({ types: GLOBAL_TYPES_OF_LOSS, afterEnqueuedAt }))
    return "indexes were swapped, or tasks deleted, since";
  return null;
}

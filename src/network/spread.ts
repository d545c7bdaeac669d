// Which set of servers the documents here were last spread over, and the task that spreads them again when
// it is another one now. Called when the network changes, when a write comes with another set, and at each
// start.
import { FEATURE_KIND } from "../schemas/features.ts";
import type { InstanceInterface } from "../tasks/instance.ts";
import { membersOf, networkOf } from "./topology.ts";

type Values = Pick<InstanceInterface, "value" | "put" | "register" | "allStats">;

const KIND = "network";
const KEY = "spread";

/** Registers a task when documents may lie where they do not belong. */
export async function spreadDocuments(instance: Values): Promise<void> {
  const members = sharingMembers(instance);
  const known = (instance.value(KIND, KEY) as string[] | undefined) ?? null;
  if (members === null) {
    if (known !== null) await instance.put(KIND, KEY, null);
    return;
  }
  if (known !== null && isSame(known, members)) return;
  const isAlone = members.length === 1 && members[0] === networkOf(instance).self;
  if (!isAlone && instance.allStats().indexes.size > 0)
    await instance.register({ type: "networkTopologyChange", members });
  await instance.put(KIND, KEY, members);
}

/** A write is about to come whose sender spreads documents over these servers. */
export async function noteSpread(instance: Values, members: readonly string[]): Promise<void> {
  const known = instance.value(KIND, KEY) as string[] | undefined;
  if (known && !isSame(known, members)) await instance.put(KIND, KEY, null);
}

/** Does the network still share documents in the way that a task was registered for? */
export function isCurrent(instance: Pick<Values, "value">, members: readonly string[]): boolean {
  const now = sharingMembers(instance);
  return now !== null && isSame(now, members);
}

/** Null: this server shares documents with nobody. */
function sharingMembers(instance: Pick<Values, "value">): string[] | null {
  const network = networkOf(instance);
  const isOn = network.sharding && network.self !== null && instance.value(FEATURE_KIND, "network") === true;
  return isOn ? membersOf(network) : null;
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((name, i) => name === right[i]);
}

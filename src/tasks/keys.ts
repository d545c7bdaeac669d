// API keys as the journal keeps them (Instance.put, by uid), for the routes and for dumps. The value of a key
// is never stored: it is derived from the uid and the master key.
import type { ActionName } from "../schemas/actions.ts";
import type { InstanceInterface } from "./instanceinterface.ts";
import { Clock, type Moment } from "./time.ts";

/** Kind under which the instance keeps keys. */
export const KEY_KIND = "apiKey";

export interface StoredKey {
  /** Lower case, with hyphens; also the name of the record. */
  uid: string;
  name: string | null;
  description: string | null;
  actions: ActionName[];
  /** Patterns: an index uid, a beginning of one followed by `*`, or `*`. */
  indexes: string[];
  /** RFC 3339, with the offset it was given in; null: never. */
  expiresAt: string | null;
  createdAt: Moment;
  updatedAt: Moment;
}

/** Oldest first. */
export function storedKeys(instance: Pick<InstanceInterface, "values" | "put">): StoredKey[] {
  const keys = instance.values(KEY_KIND).map(([, key]) => key as StoredKey);
  return keys.sort((a, b) => a.createdAt - b.createdAt);
}

/** Durable when fulfilled. */
export function putKey(instance: Pick<InstanceInterface, "values" | "put">, key: StoredKey): Promise<void> {
  return instance.put(KEY_KIND, key.uid, key);
}

/** Gives an instance that has no key the ones that most clients need. */
export async function putDefaultKeys(instance: Pick<InstanceInterface, "values" | "put">): Promise<void> {
  if (instance.values(KEY_KIND).length > 0) return;
  const now = new Clock().now();
  const puts = DEFAULT_KEYS.map((key, at) => {
    const fixed = { uid: globalThis.crypto.randomUUID(), indexes: ["*"], expiresAt: null };
    return putKey(instance, { ...key, ...fixed, createdAt: now + at, updatedAt: now + at });
  });
  await Promise.all(puts);
}

/** Oldest first, so that the one for searches is listed first. */
const DEFAULT_KEYS: Pick<StoredKey, "name" | "description" | "actions">[] = [
  {
    name: "Default Read-Only Admin API Key",
    description: "Reads everything but the keys. It shows all that is stored: keep it out of public pages",
    actions: ["*.get", "keys.get"],
  },
  {
    name: "Default Admin API Key",
    description: "Does everything but manage keys. Whoever has it can delete all data: keep it secret",
    actions: ["*"],
  },
  {
    name: "Default Search API Key",
    description: "Searches every index, for use in public pages",
    actions: ["search"],
  },
];

// API keys as the lines of a dump (keys.jsonl): fields in snake_case, without values, which are derived from
// uid and master key. Actions have their first names: the peer refuses dumps with names that it does not
// know. Called by parts.ts, and by the instance, which notes the keys when a dump is requested.
import { ACTION_NAMES, type ActionName, firstSpelling } from "../../schemas/actions.ts";
import { uuidOf } from "../../schemas/keys.ts";
import { KEY_KIND, type StoredKey } from "../keys.ts";
import { momentText, parseMoment } from "../time.ts";
import { objectOf, type Put } from "./put.ts";

export function keyLine(key: StoredKey): Record<string, unknown> {
  const { uid, name, description, actions, indexes, expiresAt, createdAt, updatedAt } = key;
  const spelled = actions.map(firstSpelling);
  return {
    ...(description !== null && { description }),
    ...(name !== null && { name }),
    uid,
    actions: spelled,
    indexes,
    // As they were given, for our own imports: the peer ignores unknown fields.
    ...(spelled.some((action, at) => action !== actions[at]) && { given_actions: actions }),
    expires_at: expiresAt,
    created_at: momentText(createdAt),
    updated_at: momentText(updatedAt),
  };
}

/** Unknown actions are left out. @throws TypeError when the value is not a key */
export function readKeyLine(value: unknown): Put {
  const { uid, name, description, indexes, expires_at, created_at, updated_at, ...rest } = objectOf(value);
  const actions = rest.given_actions ?? rest.actions;
  const createdAt = typeof created_at === "string" ? parseMoment(created_at) : null;
  const updatedAt = typeof updated_at === "string" ? parseMoment(updated_at) : null;
  const keyUid = typeof uid === "string" ? uuidOf(uid) : null;
  if (keyUid === null) throw new TypeError(`no uid: ${JSON.stringify(uid)}`);
  if (typeof expires_at !== "string" && expires_at !== undefined && expires_at !== null)
    throw new TypeError(`the key \`${keyUid}\` expires at ${JSON.stringify(expires_at)}, which is no date`);
  if (createdAt === null || !Array.isArray(actions) || !Array.isArray(indexes)) {
    throw new TypeError(`the key \`${keyUid}\` lacks its date, its actions or its indexes`);
  }
  const key: StoredKey = {
    uid: keyUid,
    name: typeof name === "string" ? name : null,
    description: typeof description === "string" ? description : null,
    actions: actions.filter((action): action is ActionName => ACTION_NAMES.includes(action)),
    indexes: indexes.map(String),
    expiresAt: expires_at ?? null,
    createdAt,
    updatedAt: updatedAt ?? createdAt,
  };
  return [KEY_KIND, key.uid, key];
}

// What a key can allow: the names of the actions, what the names with a star stand for, and which of them go
// with keys that are limited to some indexes. Routes name what they need in `config.action`.

/** Every name that a key may hold, in the order in which messages list them. */
export const ACTION_NAMES = [
  "*",
  "search",
  ...["documents.*", "documents.add", "documents.get", "documents.delete"],
  ...["indexes.*", "indexes.create", "indexes.get", "indexes.update", "indexes.delete", "indexes.swap"],
  ...["tasks.*", "tasks.cancel", "tasks.delete", "tasks.get"],
  ...["settings.*", "settings.get", "settings.update"],
  ...["stats.*", "stats.get", "metrics.*", "metrics.get"],
  ...["dumps.*", "dumps.create", "snapshots.*", "snapshots.create"],
  "version",
  ...["keys.create", "keys.get", "keys.update", "keys.delete"],
  ...["experimental.get", "experimental.update"],
  "export",
  ...["network.get", "network.update"],
  ...["chatCompletions", "chats.*", "chats.get", "chats.delete"],
  ...["chatsSettings.*", "chatsSettings.get", "chatsSettings.update"],
  "*.get",
  ...["webhooks.get", "webhooks.update", "webhooks.delete", "webhooks.create", "webhooks.*"],
  ...["indexes.compact", "fields.post", "tasks.compact"],
  ...["dynamicSearchRules.get", "dynamicSearchRules.create", "dynamicSearchRules.update"],
  ...["dynamicSearchRules.delete", "dynamicSearchRules.*"],
  ...["index.create", "task.cancel", "task.delete"],
] as const;
export type ActionName = (typeof ACTION_NAMES)[number];

/** What a route needs. Editing documents needs all that can be done to them. */
export type Action = Exclude<ActionName, `${string}*` | "*.get" | keyof typeof SPELLINGS> | "documents.*";

/** Second names: those of the specification, and what they mean. */
const SPELLINGS = {
  "index.create": "indexes.create",
  "task.cancel": "tasks.cancel",
  "task.delete": "tasks.delete",
} as const;

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

/** The name itself, or the one of the same meaning that other servers know as well. */
export function firstSpelling(name: ActionName): ActionName {
  return name in SPELLINGS ? SPELLINGS[name as keyof typeof SPELLINGS] : name;
}

/** All that the names of a key allow. A name with a star stands for itself, too. */
export function expandActions(names: readonly ActionName[]): ReadonlySet<ActionName> {
  const allowed = new Set<ActionName>();
  for (const name of names) {
    allowed.add(firstSpelling(name));
    for (const member of membersOf(name)) allowed.add(member);
  }
  return allowed;
}

/** Whether keys that are limited to some indexes may not hold the action: it concerns the whole server. */
export function isGlobal(name: ActionName): boolean {
  const [family, verb] = firstSpelling(name).split(".");
  return GLOBAL_FAMILIES.includes(family) || (family === "tasks" && verb === "compact");
}

/** Whether a limited key may use the action on routes that name no index: they show only what it may see. */
export function isLimitable(action: Action): boolean {
  return LIMITABLE.has(action);
}

/** Only the master key opens these. */
export function isForMaster(action: Action): boolean {
  return action.startsWith("keys.");
}

/** Tenant tokens are made for these only. */
export function isForTenants(action: Action): boolean {
  return action === "search" || action === "chatCompletions";
}

const GLOBAL_FAMILIES = [
  ...["metrics", "dumps", "snapshots", "version", "keys", "experimental", "export", "network"],
  ...["chats", "chatsSettings", "webhooks", "dynamicSearchRules"],
];

const LIMITABLE: ReadonlySet<ActionName> = new Set<ActionName>([
  ...(["search", "documents.get", "settings.get", "stats.get", "chatCompletions"] as const),
  ...(["indexes.create", "indexes.get", "indexes.swap"] as const),
  ...(["tasks.get", "tasks.cancel", "tasks.delete"] as const),
]);

/** What `*.get` allows although its name ends otherwise, and what it does not although it does. */
const READS = ["search", "export", "version", "fields.post"];
const SECRET_READS = ["keys.get"];

function membersOf(name: ActionName): readonly ActionName[] {
  if (name === "*") return ACTION_NAMES;
  if (name === "*.get") return ACTION_NAMES.filter(isRead);
  if (!name.endsWith(".*")) return [];
  return ACTION_NAMES.filter((member) => member.startsWith(name.slice(0, -1)));
}

function isRead(name: ActionName): boolean {
  return READS.includes(name) || (name.endsWith(".get") && !SECRET_READS.includes(name));
}

// What a key can allow: the names of actions, what names with a star stand for, and which actions fit keys
// that are limited to some indexes. Routes name what they need in `config.action`.

/** Every name that a key may hold, in the order of messages. */
export const ACTION_NAMES = [
  "*",
  "search",
  "documents.*",
  "documents.add",
  "documents.get",
  "documents.delete",
  "indexes.*",
  "indexes.create",
  "indexes.get",
  "indexes.update",
  "indexes.delete",
  "indexes.swap",
  "tasks.*",
  "tasks.cancel",
  "tasks.delete",
  "tasks.get",
  "settings.*",
  "settings.get",
  "settings.update",
  "stats.*",
  "stats.get",
  "metrics.*",
  "metrics.get",
  "dumps.*",
  "dumps.create",
  "snapshots.*",
  "snapshots.create",
  "version",
  "keys.create",
  "keys.get",
  "keys.update",
  "keys.delete",
  "experimental.get",
  "experimental.update",
  "export",
  "network.get",
  "network.update",
  "chatCompletions",
  "chats.*",
  "chats.get",
  "chats.delete",
  "chatsSettings.*",
  "chatsSettings.get",
  "chatsSettings.update",
  "*.get",
  "webhooks.get",
  "webhooks.update",
  "webhooks.delete",
  "webhooks.create",
  "webhooks.*",
  "indexes.compact",
  "fields.post",
  "tasks.compact",
  "dynamicSearchRules.get",
  "dynamicSearchRules.create",
  "dynamicSearchRules.update",
  "dynamicSearchRules.delete",
  "dynamicSearchRules.*",
  "index.create",
  "task.cancel",
  "task.delete",
] as const;
export type ActionName = (typeof ACTION_NAMES)[number];

/** What a route needs. Editing documents needs every action on them. */
export type Action = Exclude<ActionName, `${string}*` | "*.get" | keyof typeof SPELLINGS> | "documents.*";

/** Second names, from the specification -> what they mean. */
const SPELLINGS = {
  "index.create": "indexes.create",
  "task.cancel": "tasks.cancel",
  "task.delete": "tasks.delete",
} as const;

/** The name, or if it is a second one the name that other servers know, too. */
export function firstSpelling(name: ActionName): ActionName {
  return name in SPELLINGS ? SPELLINGS[name as keyof typeof SPELLINGS] : name;
}

/** Everything that the names of a key allow. A name with a star includes itself. */
export function expandActions(names: readonly ActionName[]): ReadonlySet<ActionName> {
  const allowed = new Set<ActionName>();
  for (const name of names) {
    allowed.add(firstSpelling(name));
    for (const member of membersOf(name)) allowed.add(member);
  }
  return allowed;
}

/** Whether the action concerns the whole server, so that limited keys may not hold it. */
export function isGlobal(name: ActionName): boolean {
  const [family, verb] = firstSpelling(name).split(".");
  return GLOBAL_FAMILIES.includes(family) || (family === "tasks" && verb === "compact");
}

/** Whether a limited key may use the action on routes that name no index: these show only what it may see. */
export function isLimitable(action: Action): boolean {
  return LIMITABLE.has(action);
}

/** Actions that need the master key. */
export function isForMaster(action: Action): boolean {
  return action.startsWith("keys.");
}

/** The only actions of tenant tokens. */
export function isForTenants(action: Action): boolean {
  return action === "search" || action === "chatCompletions";
}

const GLOBAL_FAMILIES = [
  "metrics",
  "dumps",
  "snapshots",
  "version",
  "keys",
  "experimental",
  "export",
  "network",
  "chats",
  "chatsSettings",
  "webhooks",
  "dynamicSearchRules",
];

const LIMITABLE: ReadonlySet<ActionName> = new Set<ActionName>([
  ...(["search", "documents.get", "settings.get", "stats.get", "chatCompletions"] as const),
  ...(["indexes.create", "indexes.get", "indexes.swap"] as const),
  ...(["tasks.get", "tasks.cancel", "tasks.delete"] as const),
]);

/** What `*.get` allows despite its name, and what it does not allow despite its name. */
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

// Writes docs/options.md from the tables in src/options.ts and src/schemas/features.ts.
//   npm run build && node tools/optiondocs.mjs
// With `--print` it only prints the page, as the test does that keeps it up to date.
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { variableOf } from "../build/src/cli/environment.js";
import { callOf, defaultOf } from "../build/src/cli/help.js";
import { kebabCase } from "../build/src/kebabcase.js";
import { optionGroups, refusedOptions } from "../build/src/options.js";
import { FEATURE_NAMES } from "../build/src/schemas/features.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const isPrinted = process.argv.includes("--print");

const REFUSED = "A server does not start with them, wherever they are given.";
/** The group of options that have no help. */
const NO_EFFECT = "Accepted, without effect";
const NOT_HERE = "no effect: what it turns on is not here";

const SWITCHES = {
  metrics: "`GET /metrics`",
  logsRoute: "`POST` and `DELETE /logs/stream`, `POST /logs/stderr`",
  editDocumentsByFunction: "`POST /indexes/{indexUid}/documents/edit`",
  containsFilter: "the operator `CONTAINS` in filters",
  dynamicSearchRules: NOT_HERE,
  network: "`/network`, searches of other servers, and documents that are spread over servers",
  getTaskDocumentsRoute:
    "`GET /tasks/{taskUid}/documents`: the documents that a task brought, while it waits or runs",
  taskQueueCompactionRoute: "`POST /tasks/compact`: gives back the room of tasks that were deleted",
  compositeEmbedders: "embedders of the source `composite`",
  chatCompletions: "the setting `chat`, which is stored and has no effect",
  multimodal:
    "`indexingFragments` and `searchFragments` of embedders, `media` in searches, the filter on `_vectors`",
  foreignKeys: "the setting `foreignKeys`, which is stored and has no effect",
  disableDocumentsFetchQueue: "no effect: reads of documents never wait in a queue",
  legacySearch: "no effect: there is one search only",
  renderRoute: NOT_HERE,
};

const HEAD = `# Options and switches

How options are given, and which matter most: [operations](operations.md#options). In a config
file the name is that of the option with \`_\` for \`-\`, as in \`db_path\`. In place of \`TARSIER_\` the
environment may say \`MEILI_\`.

An option without a value in its row is a flag: \`true\` or \`false\` in the environment and in files. It is
off by default.
`;

const SWITCH_HEAD = `## Switches

\`PATCH /experimental-features\` turns them on and off while the server runs, and they are kept. Without its
switch, what a row names is refused with \`feature_not_enabled\`.

| switch | what it turns on |
|---|---|`;

const TAIL =
  "This page is made from `src/options.ts` and `src/schemas/features.ts` by `npm run docs:options`.\n";

const groups = Object.entries(optionGroups).filter(([title]) => title !== NO_EFFECT);
const ignored = flagsOf(Object.keys(optionGroups[NO_EFFECT]));
const page = [
  HEAD,
  ...groups.map(([title, table]) => `## ${title}\n\n${optionsOf(table)}\n`),
  `## Without effect\n\nOptions of Meilisearch that change nothing here: ${ignored}.\n`,
  `## Refused\n\nOptions of Meilisearch for what is not here. ${REFUSED}\n\n${refusals()}\n`,
  `${SWITCH_HEAD}\n${FEATURE_NAMES.map(switchRow).join("\n")}\n`,
  TAIL,
].join("\n");
if (isPrinted) process.stdout.write(page);
else {
  writeFileSync(join(root, "docs", "options.md"), page);
  process.stdout.write("docs/options.md is written\n");
}

function optionsOf(table) {
  const rows = Object.entries(table).map(([name, row]) => {
    const cells = [code(callOf(name, row)), code(variableOf(name)), shownDefault(row), meaningOf(row)];
    return `| ${cells.join(" | ")} |`;
  });
  return ["| option | in the environment | default | meaning |", "|---|---|---|---|", ...rows].join("\n");
}

function code(text) {
  return `\`${text.replaceAll("|", "\\|")}\``;
}

function shownDefault(row) {
  if (row.fallbackRule !== null) return row.fallbackRule;
  const value = defaultOf(row);
  return value === "" ? "" : code(value);
}

function meaningOf({ help, allowed, placeholder, aliases, launchOnly }) {
  const notes = [
    ...(placeholder === "LIST" || /or (?:0|unlimited)$/.test(allowed) ? [allowed] : []),
    ...aliases.map((alias) => `also \`--${alias}\``),
    ...(launchOnly ? ["not in config files"] : []),
  ];
  return [help, ...notes].join("; ").replaceAll("|", "\\|");
}

function flagsOf(names) {
  return names.map((name) => `\`--${kebabCase(name)}\``).join(", ");
}

function refusals() {
  const reasons = [...new Set(Object.values(refusedOptions))];
  const sentences = reasons.map((reason) => {
    const names = Object.keys(refusedOptions).filter((name) => refusedOptions[name] === reason);
    return `${reason[0].toUpperCase()}${reason.slice(1)}. ${flagsOf(names)}.`;
  });
  return sentences.join("\n\n");
}

function switchRow(name) {
  const meaning = SWITCHES[name];
  if (meaning === undefined) throw new Error(`the switch ${name} has no meaning in tools/optiondocs.mjs`);
  return `| \`${name}\` | ${meaning} |`;
}

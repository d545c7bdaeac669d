// The small parts of an instance that are one file of a dump each: one row per file, for dump.ts to write and
// import.ts to read. Indexes, tasks and batches are not among them.
import { FEATURE_KIND, FEATURE_NAMES, shownSwitch } from "../../schemas/features.ts";
import { uuidOf } from "../../schemas/keys.ts";
import type { DumpCreation } from "../kinds.ts";
import { RESERVED_UUID, type StoredWebhook, WEBHOOK_KIND } from "../webhooks.ts";
import { readKeyLine } from "./keylines.ts";
import { objectOf, type Put } from "./put.ts";

interface DumpPart {
  file: string;
  /** Name of the step in the progress of the batch. */
  step: string;
  /** Text of the file; null: the dump has no such file. `values`: those of a kind, by key. */
  write(values: (kind: string) => ReadonlyMap<string, unknown>, task: DumpCreation): string | null;
  /** Throws if the text is not valid for such a file. */
  read(text: string): Put[];
}

export const DUMP_PARTS: readonly DumpPart[] = [
  {
    file: "keys.jsonl",
    step: "dump the api keys",
    // The keys of the moment when the dump was requested.
    write: (_values, { keys }) => keys.map((key) => `${JSON.stringify(key)}\n`).join(""),
    read: (text) => {
      const lines = text.split("\n").filter((line) => line.trim() !== "");
      return lines.map((line) => readKeyLine(JSON.parse(line)));
    },
  },
  {
    file: "experimental-features.json",
    step: "dump the experimental features",
    write: (values) => {
      const switches = FEATURE_NAMES.map((name) => [name, shownSwitch(name, values(FEATURE_KIND).get(name))]);
      return JSON.stringify(Object.fromEntries(switches));
    },
    read: (text) => {
      const switches = objectOf(JSON.parse(text));
      const set = FEATURE_NAMES.filter((name) => typeof switches[name] === "boolean");
      const changed = set.filter((name) => switches[name] !== shownSwitch(name, undefined));
      return changed.map((name) => [FEATURE_KIND, name, switches[name]]);
    },
  },
  {
    file: "network.json",
    step: "dump the network",
    write: (values) => {
      const network = values(NETWORK_KIND).get(NETWORK_KEY) ?? { self: null, sharding: false, remotes: {} };
      return JSON.stringify(network);
    },
    // The new instance is not part of the network until it is told its name.
    read: (text) => {
      const remotes = Object.entries(objectOf(objectOf(JSON.parse(text)).remotes ?? {}));
      if (remotes.length === 0) return [];
      const read = Object.fromEntries(remotes.map(([name, remote]) => [name, readRemote(remote)]));
      return [[NETWORK_KIND, NETWORK_KEY, { self: null, sharding: false, remotes: read }]];
    },
  },
  {
    file: "webhooks.json",
    step: "dump the webhooks",
    write: (values) => JSON.stringify({ webhooks: Object.fromEntries(values(WEBHOOK_KIND)) }),
    read: (text) => {
      const webhooks = Object.entries(objectOf(objectOf(JSON.parse(text)).webhooks));
      // The reserved webhook is left out: it comes from the command line, and nobody could change it.
      const kept = webhooks.filter(([uuid]) => uuid !== RESERVED_UUID);
      return kept.map(([uuid, webhook]) => [WEBHOOK_KIND, webhookUid(uuid), readWebhook(webhook)]);
    },
  },
];

/** The same names as in src/network/topology.ts. */
const NETWORK_KIND = "network";
const NETWORK_KEY = "topology";

function readRemote(value: unknown): Record<string, string | null> {
  const { url, searchApiKey, writeApiKey } = objectOf(value);
  if (typeof url !== "string") throw new TypeError(`a remote without a URL: ${JSON.stringify(url)}`);
  const textOrNull = (key: unknown) => (typeof key === "string" ? key : null);
  return { url, searchApiKey: textOrNull(searchApiKey), writeApiKey: textOrNull(writeApiKey) };
}

/** Under a uuid in another form, no route would find it. */
function webhookUid(text: string): string {
  const uuid = uuidOf(text);
  if (uuid === null) throw new TypeError(`no uuid of a webhook: ${JSON.stringify(text)}`);
  return uuid;
}

function readWebhook(value: unknown): StoredWebhook {
  const { url, headers = {} } = objectOf(value);
  if (typeof url !== "string") throw new TypeError(`a webhook without a URL: ${JSON.stringify(url)}`);
  const named = Object.entries(objectOf(headers)).map(([name, text]) => [name, String(text)]);
  return { url, headers: Object.fromEntries(named) };
}

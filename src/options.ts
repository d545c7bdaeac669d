// What the server can be told at launch: one table with the kind, default and help of every option, and the
// type derived from it. src/cli fills it from the command line, the environment and a config file;
// src/node.ts and the routes read the resulting Options. The option `dbPath` is `--db-path` on the command
// line, `TARSIER_DB_PATH` (or `MEILI_DB_PATH`) in the environment and `db_path` in a config file.
import { availableParallelism, totalmem } from "node:os";
import {
  address,
  choice,
  choices,
  count,
  flag,
  networks,
  type OptionRow,
  optional,
  optionalFile,
  orUnlimited,
  orZero,
  size,
  text,
} from "./option-rows.ts";
import { formatSize } from "./sizes.ts";

export type OptionName = keyof typeof optionTable;
export type Options = { -readonly [Name in OptionName]: ValueOf<(typeof optionTable)[Name]> };
type ValueOf<Row> = Row extends OptionRow<infer Value> ? Value : never;

/** More threads gain little and each costs memory; who wants more can say so. */
const SEARCH_THREADS_DEFAULT_MAX = 8;
const SEARCH_THREADS_MAX = 256;
const INDEXING_THREADS_MAX = 256;
const INDEXING_MEMORY_DEFAULT_BYTES_MAX = 2 ** 30;
/** The peer has 4. With as many as fit into the rings of the search threads, these are woken less often. */
const SEARCHES_PER_CORE_DEFAULT = 8;
const SEARCH_MEMORY_DEFAULT_BYTES_MAX = 2 ** 30;
const PAYLOAD_DEFAULT_BYTES = 100_000_000;
const SNAPSHOT_DEFAULT_SECONDS = 86_400;
const REMOTE_SEARCH_DEFAULT_SECONDS = 25;
const COUNT_MAX = 2 ** 31 - 1;
/** Timers take a delay of at most 31 bits of milliseconds. */
const SECONDS_MAX = 2_000_000;

const server = {
  dbPath: text("./data.tarsier", "FOLDER", "Folder of the database"),
  httpAddr: address("localhost:7700", "Address to listen on"),
  masterKey: optional("KEY", "Key that protects the API; at least 16 bytes in production"),
  env: choice(["development", "production"], "development", "Production demands a master key"),
  logLevel: choice(["off", "error", "warn", "info", "debug", "trace"], "info", "How much is logged"),
  experimentalLogsMode: choice(["human", "json"], "human", "Form of the log lines"),
  configFilePath: optional(
    "FILE",
    "Options in TOML or JSON, keys in snake_case (./config.toml when it exists)",
    {
      launchOnly: true,
    },
  ),
  taskWebhookUrl: optional("URL", "Called with the tasks of each finished batch"),
  taskWebhookAuthorizationHeader: optional("TEXT", "Authorization header of these calls"),
  analyticsUrl: optional("URL", "Receiver of usage events; without it none are collected"),
  noAnalytics: flag("Send no usage events even when a receiver is named"),
  upgradeDb: flag("Upgrade the database of an older version in place", {
    aliases: ["experimental-dumpless-upgrade"],
  }),
};

const resources = {
  threads: count(
    0,
    SEARCH_THREADS_MAX,
    searchThreads,
    "Threads that answer searches; 0: everything in one thread",
    { fallbackRule: `one for each core, at most ${SEARCH_THREADS_DEFAULT_MAX}` },
  ),
  maxIndexingThreads: orUnlimited(
    count(
      1,
      INDEXING_THREADS_MAX,
      availableParallelism,
      "Threads that build an index: its graphs over vectors, the blocks of its documents",
      { fallbackRule: "one for each core" },
    ),
  ),
  maxIndexingMemory: size(indexingMemory, "Memory that building an index may take", {
    fallbackRule: `two thirds of the memory, at most ${formatSize(INDEXING_MEMORY_DEFAULT_BYTES_MAX)}`,
  }),
  maxSearchMemory: size(searchMemory, "Memory for the parts of indexes that are kept at hand", {
    fallbackRule: `a quarter of the memory, at most ${formatSize(SEARCH_MEMORY_DEFAULT_BYTES_MAX)}`,
  }),
  httpPayloadSizeLimit: size(() => PAYLOAD_DEFAULT_BYTES, "Largest body of a request, decompressed"),
  durability: choice(["fsync", "os"], "fsync", "os: the system decides when bytes reach the disk"),
  maxNumberOfBatchedTasks: count(0, COUNT_MAX, () => null, "Most tasks in one batch; 0: none is processed", {
    aliases: ["experimental-max-number-of-batched-tasks"],
  }),
  limitBatchedTasksTotalSize: orZero(
    size(() => null, "Most payload bytes in one batch; its first task is always taken", {
      aliases: ["experimental-limit-batched-tasks-total-size"],
    }),
  ),
  experimentalSearchQueueSize: count(
    0,
    COUNT_MAX,
    () => 1000,
    "Searches that may wait; more are refused with 503",
  ),
  experimentalDropSearchAfter: count(
    1,
    COUNT_MAX,
    () => 60,
    "Seconds after which a waiting search is refused",
  ),
  experimentalNbSearchesPerCore: count(
    1,
    COUNT_MAX,
    () => SEARCHES_PER_CORE_DEFAULT,
    "Searches at work at once, per core",
  ),
  experimentalRemoteSearchTimeoutSeconds: count(
    1,
    SECONDS_MAX,
    () => REMOTE_SEARCH_DEFAULT_SECONDS,
    "Seconds that the remotes of a federated search have for their answers",
  ),
};

const embedders = {
  openaiApiKey: optional(
    "KEY",
    "Key for openAi embedders that have none; without it, the variable OPENAI_API_KEY",
  ),
  ollamaUrl: optional("URL", "Address of ollama embedders without one"),
  experimentalEmbeddingCacheEntries: count(0, COUNT_MAX, () => 0, "Embeddings of queries kept, per embedder"),
  experimentalRestEmbedderTimeoutSeconds: count(
    1,
    SECONDS_MAX,
    () => 30,
    "Longest wait for an embedding while documents are indexed",
  ),
  experimentalRestEmbedderMaxRetryDurationSeconds: count(
    1,
    SECONDS_MAX,
    () => 60,
    "Longest wait before a failed embedding is asked for again",
  ),
  experimentalConfigEmbedderFailureModes: choices(
    ["ignore_document_template_failures", "ignore_embedder_failures"],
    "Failures that leave documents without vectors instead of failing their task",
  ),
};

const copies = {
  dumpDir: text("dumps/", "FOLDER", "Where dumps are written"),
  importDump: optional("FILE", "Start with the content of a dump", { launchOnly: true }),
  ignoreMissingDump: flag("Start empty when that dump is missing", { launchOnly: true }),
  ignoreDumpIfDbExists: flag("Leave that dump alone when there is a database", { launchOnly: true }),
  snapshotDir: text("snapshots/", "FOLDER", "Where snapshots are written"),
  scheduleSnapshot: count(
    1,
    COUNT_MAX,
    () => null,
    "Seconds between snapshots; a day when no number follows",
    {
      bare: String(SNAPSHOT_DEFAULT_SECONDS),
    },
  ),
  importSnapshot: optional("FILE", "Start with the content of a snapshot", { launchOnly: true }),
  ignoreMissingSnapshot: flag("Start empty when that snapshot is missing", { launchOnly: true }),
  ignoreSnapshotIfDbExists: flag("Leave that snapshot alone when there is a database", { launchOnly: true }),
};

const security = {
  experimentalAllowedIpNetworks: networks("Private networks that webhooks, embedders and remotes may call"),
};

const tls = {
  sslCertPath: optionalFile("Certificate of the server and those above it, in PEM: it speaks HTTPS then"),
  sslKeyPath: optionalFile("Key of this certificate, in PEM"),
  sslAuthPath: optionalFile("Authorities that clients may have certificates of, in PEM"),
  sslRequireAuth: flag("Refuse clients without such a certificate"),
  sslOcspPath: optionalFile("OCSP answer about the certificate, in DER, which clients get with it"),
  sslResumption: flag("Let clients that come back go on with their sessions, which they keep as tickets"),
  sslTickets: flag("The same"),
};

const features = {
  experimentalEnableMetrics: flag("Turn on GET /metrics"),
  experimentalEnableLogsRoute: flag("Turn on the /logs routes"),
  experimentalContainsFilter: flag("Turn on the filter operator CONTAINS"),
};

/** Options of the peer that have no effect here: accepted so that existing command lines go on working. */
const accepted = {
  experimentalReduceIndexingMemoryUsage: flag(""),
  experimentalNoEdition2024ForSettings: flag(""),
  experimentalLegacySearchDefault: flag("", { aliases: ["experimental-legacy-search"] }),
  experimentalPersonalizationApiKey: optional("KEY", ""),
};

/** In the order of --help. */
export const optionGroups = {
  Server: server,
  Resources: resources,
  Embedders: embedders,
  "Dumps and snapshots": copies,
  Security: security,
  HTTPS: tls,
  Features: features,
  "Accepted, without effect": accepted,
};

export const optionTable = {
  ...server,
  ...resources,
  ...embedders,
  ...copies,
  ...security,
  ...tls,
  ...features,
  ...accepted,
};

const S3_REFUSAL = "snapshots are written to a folder only (--snapshot-dir)";

/**
 * Options of the peer that are not built, and why. They are refused wherever they are given instead of being
 * ignored: a user who asks for copies elsewhere must not find none.
 */
export const refusedOptions: Readonly<Record<string, string>> = {
  "s3-bucket-url": S3_REFUSAL,
  "s3-bucket-region": S3_REFUSAL,
  "s3-bucket-name": S3_REFUSAL,
  "s3-snapshot-prefix": S3_REFUSAL,
  "s3-access-key": S3_REFUSAL,
  "s3-secret-key": S3_REFUSAL,
  "experimental-s3-role-arn": S3_REFUSAL,
  "experimental-s3-web-identity-token-file": S3_REFUSAL,
  "experimental-s3-max-in-flight-parts": S3_REFUSAL,
  "experimental-s3-compression-level": S3_REFUSAL,
  "experimental-s3-signature-duration-seconds": S3_REFUSAL,
  "experimental-s3-multipart-part-size": S3_REFUSAL,
};

export const optionNames = Object.keys(optionTable) as OptionName[];

/** Every option at its default: where callers that embed the server start from. */
export function defaultOptions(): Options {
  return Object.fromEntries(optionNames.map((name) => [name, optionTable[name].fallback()])) as Options;
}

function searchThreads(): number {
  return Math.min(availableParallelism(), SEARCH_THREADS_DEFAULT_MAX);
}

function indexingMemory(): number {
  return Math.min(wholeMebibytes((availableMemory() * 2) / 3), INDEXING_MEMORY_DEFAULT_BYTES_MAX);
}

function searchMemory(): number {
  return Math.min(wholeMebibytes(availableMemory() / 4), SEARCH_MEMORY_DEFAULT_BYTES_MAX);
}

/** Memory of the machine, or of the container when that is less. */
function availableMemory(): number {
  const limit = process.constrainedMemory?.() ?? 0;
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

function wholeMebibytes(bytes: number): number {
  return Math.max(1, Math.floor(bytes / 2 ** 20)) * 2 ** 20;
}

// The server, on Node, Bun and Deno (`tarsier/server`): opens a data folder with its engine and instance, and
// serves it over HTTP.
import { rmdirSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { Logger } from "pino";
import { Closers } from "./closers.ts";
import { embedderSetup } from "./embedders/embedderoptions.ts";
import { openLocalEngine, openThreadedEngine, type PoolEngine } from "./engine/pool.ts";
import { checkTogether, settleGiven } from "./givenoptions.ts";
import type { Analytics } from "./http/analytics.ts";
import { LogOutput } from "./http/logoutput.ts";
import { readTls, type Tls } from "./http/tls.ts";
import { spreadDocuments } from "./network/spread.ts";
import type { Options } from "./options.ts";
import { OutboundClient } from "./outbound/client.ts";
import { isHttpUrl } from "./outbound/urls.ts";
import { FEATURE_KIND, UNDECIDED_FEATURE } from "./schemas/features.ts";
import { FileStorage } from "./storage/file.ts";
import type { Storage } from "./storage/storage.ts";
import { takeFolder } from "./tasks/datafolder.ts";
import type { Executor } from "./tasks/execution.ts";
import type { MoreExecutors } from "./tasks/executors.ts";
import { Instance } from "./tasks/instance.ts";
import { putDefaultKeys } from "./tasks/keys.ts";
import type { ImportTools } from "./tasks/opening.ts";
import { SpaceReserve } from "./tasks/spacereserve.ts";
import { upgradeTask, watchUpgrades } from "./tasks/upgrades.ts";
import { checkVersion, writeVersion } from "./tasks/versionfile.ts";
import { WebhookDelivery } from "./tasks/webhookdelivery.ts";
import { Webhooks } from "./tasks/webhooks.ts";
import { WebhookTroubles } from "./tasks/webhooktroubles.ts";
import { UsageError } from "./usageerror.ts";
import { packageVersion } from "./version.ts";

export { defaultOptions, type Options } from "./options.ts";

/** A server that listens. */
export interface OpenServer {
  /** Where it can be reached, such as `http://localhost:7700`. */
  readonly url: string;
  /** Ends connections, leaves unfinished tasks for the next start, and closes all files. */
  close(): Promise<void>;
}

/**
 * Opens the database of the options (made when it is missing) and listens. What fails on the way leaves
 * nothing open. A config file is only read by the command line.
 * @throws TarsierError for a database that cannot be opened, Error for an option or an address that cannot be
 *   used: its message says what to change
 */
export async function openServer(given: Partial<Omit<Options, "configFilePath">>): Promise<OpenServer> {
  const options = settleGiven(given);
  checkTogether(options);
  refuseUnusable(options);
  const tls = readTls(options);
  const closers = new Closers();
  const url = await closers.openOrClose(() => open(options, tls, closers));
  return { url, close: () => closers.close() };
}

/** Opens one part after the other; `closers` gets what closes each. Returns the address. */
async function open(options: Options, tls: Tls | null, closers: Closers): Promise<string> {
  const root = resolve(options.dbPath);
  const durable = options.durability === "fsync";
  const version = packageVersion();
  const { storage, isNew, release } = await takeFolder(root, durable);
  closers.push(release);
  const openEngine = (folder: string) => openEngineAt(folder, options, durable);
  const filledFrom = await fill(root, options, { version, durable, openEngine }).catch((error) => {
    if (isNew) rmdirSync(root);
    throw error;
  });
  const upgrade = checkVersion(storage, version, options.upgradeDb);
  const engine = openEngine(root);
  closers.push(() => engine.close());
  const logs = new LogOutput(options.logLevel, options.experimentalLogsMode);
  closers.push(() => logs.flush());
  const { logger } = logs;
  engine.onMergeFailure = (folder, error) =>
    logger.warn({ part: "engine", folder, error: error.message }, "merge failed");
  engine.damage.onDamage = (folder, damage) =>
    logger.error({ part: "engine", folder, damage }, "a file is damaged: its index is only read from now on");
  const client = new OutboundClient(options.experimentalAllowedIpNetworks);
  closers.push(() => client.close());
  let moving: Executor | null = null;
  const executors: MoreExecutors = {
    ...moreExecutors(storage, client, options, version),
    networkTopologyChange: async (tasks, context) => {
      const { movingExecutor } = await import("./network/moving.ts");
      moving ??= movingExecutor({ instance, outbound: client });
      return moving(tasks, context);
    },
  };
  const instance: Instance = await Instance.open({
    storage,
    engine,
    reserve: new SpaceReserve(storage),
    executors,
    first: upgrade && upgradeTask(upgrade),
    mayHold: true,
    ...batchLimits(options),
  });
  closers.push(() => instance.close());
  if (options.threads > 0) {
    warmUp(engine, instance);
    engine.keepWriter();
  }
  instance.on("trouble", (err) => logger.error({ part: "tasks", err }, err.message));
  watchUpgrades(instance, storage);
  // The task of the upgrade is durable by now: after a crash in between, it is simply run again.
  if (upgrade) writeVersion(storage, upgrade.to);
  await spreadDocuments(instance);
  const webhooks = openWebhooks(instance, client, options, logger, closers);
  scheduleSnapshots(instance, options, logger, closers);
  // Loaded while the search thread starts.
  const { createServer } = await import("./http/server.ts");
  const { listenAt } = await import("./http/listening.ts");
  // Also without a master key: a dump can bring the keys to a server that has one. After the import of a dump
  // without keys, the default ones are added at the next start.
  if (filledFrom !== "dump") await putDefaultKeys(instance);
  await turnFeaturesOn(instance, options);
  const answer = { commitSha: "unknown", commitDate: "unknown", pkgVersion: version };
  const analytics = await openAnalytics(instance, client, options, logger, closers);
  const parts = { instance, engine, webhooks, options, tls, version: answer, logs, outbound: client };
  const app = createServer({ ...parts, ...(analytics && { analytics }) });
  closers.push(() => app.close());
  const { host, port } = addressOf(options.httpAddr);
  return await listenAt(app, host, port).catch((error: unknown) => {
    throw listeningFailure(options.httpAddr, error);
  });
}

/** Prepares the search thread, which is idle until the server listens, for the largest index. */
function warmUp(engine: PoolEngine, instance: Instance): void {
  let largest = { uid: "", documents: 0 };
  for (const { uid } of instance.indexes(0, Number.POSITIVE_INFINITY, null).results) {
    const documents = instance.stats(uid).description.numberOfDocuments;
    if (documents > largest.documents) largest = { uid, documents };
  }
  if (largest.documents > 0) engine.warmUp(instance.handle(largest.uid));
}

/** Turns on the features that the launch options name; they stay on at later starts. */
async function turnFeaturesOn(instance: Instance, options: Options): Promise<void> {
  const names = [
    ...(options.experimentalContainsFilter ? ["containsFilter"] : []),
    ...(options.experimentalEnableMetrics ? ["metrics"] : []),
    ...(options.experimentalEnableLogsRoute ? ["logsRoute"] : []),
  ].filter((name) => instance.value(FEATURE_KIND, name) !== true);
  const isUndecided = instance.value(FEATURE_KIND, UNDECIDED_FEATURE) === undefined;
  if (options.experimentalLegacySearchDefault && isUndecided) names.push(UNDECIDED_FEATURE);
  for (const name of names) await instance.put(FEATURE_KIND, name, true);
}

function openEngineAt(root: string, options: Options, durable: boolean): PoolEngine {
  const { threads, maxIndexingThreads: indexingThreads } = options;
  const { maxIndexingMemory: indexingBytes, maxSearchMemory: searchBytes } = options;
  const embedding = embedderSetup(options, process.env);
  const sizes = { threads, indexingThreads, indexingBytes, searchBytes, durable, embedding };
  return threads > 0
    ? openThreadedEngine(root, sizes)
    : openLocalEngine(new FileStorage(root, durable), sizes);
}

/** Imports a dump or a snapshot. Most starts need none of that code, so it is loaded here. */
async function fill(root: string, options: Options, tools: ImportTools): Promise<"dump" | "snapshot" | null> {
  if (options.importDump === null && options.importSnapshot === null) return null;
  const { fillFolder } = await import("./tasks/opening.ts");
  return fillFolder(root, options, tools);
}

/** Executors for dumps, snapshots and exports: loaded when the first of their tasks runs. */
function moreExecutors(
  storage: Storage,
  client: OutboundClient,
  options: Options,
  version: string,
): MoreExecutors {
  const { dbPath, dumpDir, snapshotDir } = options;
  let exporting: Executor | null = null;
  return {
    dumpCreation: async (tasks, context) => {
      const { dumpExecutor } = await import("./tasks/dumps/dump.ts");
      return dumpExecutor({ storage, dumps: new FileStorage(dumpDir), version })(tasks, context);
    },
    snapshotCreation: async (tasks, context) => {
      const { snapshotExecutor } = await import("./tasks/snapshots.ts");
      const name = `${basename(resolve(dbPath))}.snapshot`;
      const snapshots = new FileStorage(snapshotDir);
      return snapshotExecutor({ storage, snapshots, name, version })(tasks, context);
    },
    export: async (tasks, context) => {
      const { exportExecutor } = await import("./tasks/exports.ts");
      // One for all export tasks: it remembers the progress of those that were postponed.
      exporting ??= exportExecutor(client);
      return exporting(tasks, context);
    },
  };
}

/** The first snapshot is taken after one whole interval. */
function scheduleSnapshots(
  instance: Instance,
  { scheduleSnapshot: seconds }: Options,
  logger: Logger,
  closers: Closers,
): void {
  if (seconds === null) return;
  const register = () =>
    instance
      .register({ type: "snapshotCreation" })
      .catch((err: unknown) => logger.error({ part: "tasks", err }));
  const timer = setInterval(register, Math.min(seconds * 1000, TIMER_MS_MAX));
  closers.push(() => clearInterval(timer));
}

/** Node fires timers with a longer delay at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Webhooks, and the delivery that tells them of finished tasks. */
function openWebhooks(
  instance: Instance,
  client: OutboundClient,
  options: Options,
  logger: Logger,
  closers: Closers,
): Webhooks {
  const webhooks: Webhooks = new Webhooks(instance, options, (uuid) => delivery.follow(uuid));
  const part = "webhooks";
  const troubles = new WebhookTroubles({
    failed: ({ uuid }, problem, others) =>
      logger.warn({ part, webhook: uuid, problem, others }, "finished tasks were not delivered"),
    recovered: ({ uuid }, others) =>
      logger.info({ part, webhook: uuid, others }, "finished tasks are delivered again"),
  });
  const delivery = new WebhookDelivery({
    webhooks: () => webhooks.list(),
    client,
    onLoss: (webhook, problem) => troubles.failed(webhook, problem),
    onDelivery: (webhook) => troubles.delivered(webhook),
  });
  closers.push(() => delivery.close());
  instance.on("finished", (_, tasks) => delivery.send(tasks));
  return webhooks;
}

/** Null unless the options ask for analytics. */
async function openAnalytics(
  instance: Instance,
  client: OutboundClient,
  options: Options,
  logger: Logger,
  closers: Closers,
): Promise<Analytics | null> {
  if (options.analyticsUrl === null || options.noAnalytics) return null;
  const { Analytics } = await import("./http/analytics.ts");
  const onLoss = (problem: string) => logger.debug({ part: "analytics", problem }, "a report was not sent");
  const analytics = new Analytics({ instance, client, options, version: packageVersion(), onLoss });
  closers.push(() => analytics.close());
  return analytics;
}

/** Refuses options that cannot work. */
function refuseUnusable(options: Options): void {
  if (options.configFilePath !== null)
    throw new UsageError("--config-file-path: only the command line reads a file; give its options instead");
  if (options.analyticsUrl !== null && !isHttpUrl(options.analyticsUrl))
    throw new UsageError("--analytics-url: expected an http or https URL");
}

function batchLimits(options: Options): { batchTasksMax?: number; batchPayloadBytesMax?: number } {
  return {
    ...(options.maxNumberOfBatchedTasks !== null && { batchTasksMax: options.maxNumberOfBatchedTasks }),
    // The memory kept for each document of a batch comes to about as much again.
    batchPayloadBytesMax: options.limitBatchedTasksTotalSize ?? options.maxIndexingMemory / 2,
  };
}

/** The error with its code, explained in our words when it is a common one. */
function listeningFailure(address: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const reason = code === undefined ? undefined : LISTENING_FAILURES[code];
  return reason === undefined
    ? error
    : Object.assign(new Error(`${address} (--http-addr) ${reason}`, { cause: error }), { code });
}

const LISTENING_FAILURES: Record<string, string> = {
  EADDRINUSE: "is in use: another server listens there",
  EACCES: "is not open to this user, as ports below 1024 often are not",
  EADDRNOTAVAIL: "is no address of this machine",
  ENOTFOUND: "names no machine that is known here",
};

function addressOf(text: string): { host: string; port: number } {
  const at = text.lastIndexOf(":");
  const host = text.slice(0, at).replace(/^\[|\]$/g, "");
  return { host: host || "0.0.0.0", port: Number(text.slice(at + 1)) };
}

// The door for Node, Bun and Deno: opens a data folder with its engine and instance, and serves it over HTTP.
import { resolve } from "node:path";
import type { Logger } from "pino";
import { UsageError } from "./cli/usage-error.ts";
import { openLocalEngine, openThreadedEngine } from "./engine/pool.ts";
import { LogOutput } from "./http/logoutput.ts";
import { kebabCase, type Options } from "./options.ts";
import { OutboundClient } from "./outbound/client.ts";
import { FileStorage } from "./storage/file.ts";
import { lockFolder } from "./storage/folderlock.ts";
import { Instance } from "./tasks/instance.ts";
import { putDefaultKeys } from "./tasks/keys.ts";
import { WebhookDelivery } from "./tasks/webhookdelivery.ts";
import { Webhooks } from "./tasks/webhooks.ts";
import { packageVersion } from "./version.ts";

/** A server that listens. */
export interface OpenServer {
  /** Where it can be reached, such as `http://localhost:7700`. */
  readonly url: string;
  /** Ends connections, leaves what runs for the next start, and closes all files. */
  close(): Promise<void>;
}

/**
 * Opens the database of the options (made when it is missing) and listens. What fails on the way leaves
 * nothing open.
 */
export async function openServer(options: Options): Promise<OpenServer> {
  refuseUnbuilt(options);
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    return { url: await open(options, closers), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens one part after the other; `closers` gets what closes each. Returns the address. */
async function open(options: Options, closers: (() => Promise<unknown>)[]): Promise<string> {
  const root = resolve(options.dbPath);
  const durable = options.durability === "fsync";
  const storage = new FileStorage(root, durable);
  storage.makeFolder("");
  const lock = await lockFolder(root);
  closers.push(() => lock.release());
  const { threads, maxIndexingMemory: indexingBytes, maxSearchMemory: searchBytes } = options;
  const sizes = { threads, indexingBytes, searchBytes, durable };
  const engine = threads > 0 ? openThreadedEngine(root, sizes) : openLocalEngine(storage, sizes);
  closers.push(() => engine.close());
  const logs = new LogOutput(options.logLevel, options.experimentalLogsMode);
  const { logger } = logs;
  engine.onMergeFailure = (folder, error) =>
    logger.warn({ part: "engine", folder, error: error.message }, "merge failed");
  const instance = await Instance.open({ storage, engine, ...batchLimits(options) });
  closers.push(() => instance.close());
  instance.on("trouble", (err) => logger.error({ part: "tasks", err }, err.message));
  const webhooks = openWebhooks(instance, options, logger, closers);
  // Loaded while the search thread starts.
  const { createServer } = await import("./http/server.ts");
  const { FEATURE_KIND } = await import("./http/features.ts");
  if (options.masterKey !== null) await putDefaultKeys(instance);
  for (const [feature, isOn] of Object.entries(launchFeatures(options)))
    if (isOn) await instance.put(FEATURE_KIND, feature, true);
  const version = { commitSha: "unknown", commitDate: "unknown", pkgVersion: packageVersion() };
  const app = createServer({ instance, engine, webhooks, options, version, logs });
  closers.push(() => app.close());
  const { host, port } = addressOf(options.httpAddr);
  return await app.listen({ host, port });
}

/** Features that the launch turns on; they stay on. */
function launchFeatures(options: Options): Record<string, boolean> {
  return {
    containsFilter: options.experimentalContainsFilter,
    metrics: options.experimentalEnableMetrics,
    logsRoute: options.experimentalEnableLogsRoute,
  };
}

/** Webhooks, and what tells them of finished tasks. */
function openWebhooks(
  instance: Instance,
  options: Options,
  logger: Logger,
  closers: (() => Promise<unknown>)[],
): Webhooks {
  const webhooks = new Webhooks(instance, options);
  const client = new OutboundClient(options.experimentalAllowedIpNetworks);
  const delivery = new WebhookDelivery({
    webhooks: () => webhooks.list(),
    client,
    onLoss: ({ uuid }, problem) =>
      logger.warn({ part: "webhooks", webhook: uuid, problem }, "finished tasks were not delivered"),
  });
  closers.push(() => client.close());
  closers.push(() => delivery.close());
  instance.on("finished", (tasks) => delivery.send(tasks));
  return webhooks;
}

/**
 * Options whose behaviour is not there yet are refused, not ignored: who asks for TLS must not get a plain
 * server. `--dump-dir`, `--snapshot-dir` and `--no-analytics` name places and wishes that harm nobody.
 */
function refuseUnbuilt(options: Options): void {
  const unbuilt = [
    "importDump",
    "importSnapshot",
    "scheduleSnapshot",
    "sslCertPath",
    "sslKeyPath",
    "sslAuthPath",
    "sslRequireAuth",
    "analyticsUrl",
  ] as const;
  const asked = unbuilt.find((name) => options[name] !== null && options[name] !== false);
  if (asked) throw new UsageError(`--${kebabCase(asked)} is not available in this version`);
}

function batchLimits(options: Options): { batchTasksMax?: number; batchPayloadBytesMax?: number } {
  return {
    ...(options.maxNumberOfBatchedTasks !== null && { batchTasksMax: options.maxNumberOfBatchedTasks }),
    // What is kept in memory for each document of a batch takes about as much again.
    batchPayloadBytesMax: options.limitBatchedTasksTotalSize ?? options.maxIndexingMemory / 2,
  };
}

function addressOf(text: string): { host: string; port: number } {
  const at = text.lastIndexOf(":");
  const host = text.slice(0, at).replace(/^\[|\]$/g, "");
  return { host: host || "0.0.0.0", port: Number(text.slice(at + 1)) };
}

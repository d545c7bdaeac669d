// The door for Node, Bun and Deno: opens a data folder with its engine and instance, and serves it over HTTP.
import { resolve } from "node:path";
import pino from "pino";
import { UsageError } from "./cli/usage-error.ts";
import { openLocalEngine, openThreadedEngine } from "./engine/pool.ts";
import { kebabCase, type Options } from "./options.ts";
import { FileStorage } from "./storage/file.ts";
import { lockFolder } from "./storage/folderlock.ts";
import { Instance } from "./tasks/instance.ts";
import { putDefaultKeys } from "./tasks/keys.ts";
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
  const level = options.logLevel === "off" ? "silent" : options.logLevel;
  const logger = pino({ level }, pino.destination(2));
  engine.onMergeFailure = (folder, error) => logger.warn({ folder, error: error.message }, "merge failed");
  const instance = await Instance.open({ storage, engine, ...batchLimits(options) });
  closers.push(() => instance.close());
  instance.on("trouble", (error) => logger.error(error));
  // Loaded while the search thread starts.
  const { createServer } = await import("./http/server.ts");
  const { FEATURE_KIND } = await import("./http/features.ts");
  if (options.experimentalContainsFilter) await instance.put(FEATURE_KIND, "containsFilter", true);
  if (options.masterKey !== null) await putDefaultKeys(instance);
  const version = { commitSha: "unknown", commitDate: "unknown", pkgVersion: packageVersion() };
  const app = createServer({ instance, engine, options, version, logger });
  closers.push(() => app.close());
  const { host, port } = addressOf(options.httpAddr);
  return await app.listen({ host, port });
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
    "taskWebhookUrl",
    "taskWebhookAuthorizationHeader",
    "analyticsUrl",
    "experimentalEnableMetrics",
    "experimentalEnableLogsRoute",
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

// The library's door for Node, Bun and Deno: indexes in a folder or in memory, in the caller's process,
// without HTTP. `tarsier/server` (node.ts) serves such a folder; `tarsier/browser` is the same door for
// pages.
import { resolve } from "node:path";
import { Closers } from "./closers.ts";
import { embedderSetup } from "./embedders/embedderoptions.ts";
import type { Engine } from "./engine/engine.ts";
import { openLocalEngine, openThreadedEngine } from "./engine/pool.ts";
import type { EngineOptions } from "./engine/roles.ts";
import { KEPT_TURN, type Turn } from "./engine/turn.ts";
import { TarsierError } from "./errors.ts";
import { readGiven } from "./givenoptions.ts";
import { refusal } from "./library/refusal.ts";
import type { Store } from "./library/store.ts";
import { createStore } from "./library/storefront.ts";
import { checkedOperations } from "./operations/checked.ts";
import type { OptionRow } from "./option-rows.ts";
import { defaultOptions, type Options, optionTable } from "./options.ts";
import { OutboundClient } from "./outbound/client.ts";
import { MemoryStorage } from "./storage/memory.ts";
import type { Storage } from "./storage/storage.ts";
import { takeFolder } from "./tasks/datafolder.ts";
import { Instance } from "./tasks/instance.ts";
import { SpaceReserve } from "./tasks/spacereserve.ts";
import { checkVersion } from "./tasks/versionfile.ts";
import { packageVersion } from "./version.ts";

export { type ErrorCode, type ErrorObject, type ErrorType, TarsierError } from "./errors.ts";
export type * from "./library/searches.ts";
export type * from "./library/settings.ts";
export type * from "./library/store.ts";
export type * from "./library/tasks.ts";

/** Memory is given in bytes, or as a text such as `200 MiB`. Defaults are those of the server. */
export interface OpenOptions {
  /** Where the indexes are; made if it is missing. Default: in memory, lost with the process. */
  folder?: string;
  /**
   * Threads that answer searches. More than 0 needs `folder`; they keep the process alive until `close`. 0:
   * everything runs in the caller's thread, as it always does in memory.
   */
  threads?: number;
  maxIndexingMemory?: number | string;
  maxSearchMemory?: number | string;
  /**
   * `os`: the operating system decides when bytes reach the disk; a power loss may cost the newest writes.
   */
  durability?: "fsync" | "os";
  /** Networks such as `127.0.0.0/8` that embedders may call, besides public addresses. */
  allowedIpNetworks?: readonly string[];
}

/**
 * Opens the indexes of a folder, or new ones in memory. A folder can be open only once, here or in a server.
 * @throws TarsierError folder_in_use, database_refused, bad_request
 */
export async function open(options: OpenOptions = {}): Promise<Store> {
  if (typeof options !== "object" || options === null || Symbol.iterator in options)
    throw refusal("The options", "an object", options);
  const { folder } = options;
  if (folder !== undefined && (typeof folder !== "string" || folder === ""))
    throw refusal("Option `folder`", "the path of a folder", folder);
  if (folder?.includes("\0")) throw refusal("Option `folder`", "a path without NUL", JSON.stringify(folder));
  const launch = launchOptions(options);
  if (folder === undefined && options.threads !== undefined && launch.threads > 0) throw memoryIsOneThread();
  const closers = new Closers();
  return closers.openOrClose(async () => {
    const storage = folder === undefined ? new MemoryStorage() : await openFolder(folder, launch, closers);
    const engine = openEngine(storage, folder, launch);
    closers.push(() => engine.close());
    const outbound = new OutboundClient(launch.experimentalAllowedIpNetworks);
    closers.push(() => outbound.close());
    const batchPayloadBytesMax = launch.maxIndexingMemory / 2;
    const reserve = folder === undefined ? null : new SpaceReserve(storage);
    const instance = await Instance.open({ storage, engine, reserve, batchPayloadBytesMax });
    closers.push(() => instance.close());
    const remoteTimeoutMs = launch.experimentalRemoteSearchTimeoutSeconds * 1000;
    const bounds = { remoteTimeoutMs, payloadBytesMax: Number.POSITIVE_INFINITY };
    const inTurn = <T>(search: (turn: Turn) => Promise<T>) => search(KEPT_TURN);
    return createStore(
      checkedOperations(
        { instance, engine, outbound, outbox: null, holdRelease: null, inTurn, ...bounds },
        () => closers.close(),
      ),
    );
  });
}

async function openFolder(folder: string, { durability }: Options, closers: Closers): Promise<Storage> {
  const { storage, release } = await takeFolder(resolve(folder), durability === "fsync");
  closers.push(release);
  checkVersion(storage, packageVersion(), false);
  return storage;
}

function openEngine(storage: Storage, folder: string | undefined, options: Options): Engine {
  const sizes: EngineOptions = {
    threads: options.threads,
    indexingBytes: options.maxIndexingMemory,
    searchBytes: options.maxSearchMemory,
    durable: options.durability === "fsync",
    embedding: embedderSetup(options, process.env),
  };
  if (folder === undefined || options.threads === 0) return openLocalEngine(storage, sizes);
  return openThreadedEngine(resolve(folder), sizes);
}

/** Options of the library -> the launch options that mean the same. */
const LAUNCH_NAMES = {
  threads: "threads",
  maxIndexingMemory: "maxIndexingMemory",
  maxSearchMemory: "maxSearchMemory",
  durability: "durability",
  allowedIpNetworks: "experimentalAllowedIpNetworks",
} as const;

const OPTION_NAMES = ["folder", ...Object.keys(LAUNCH_NAMES)];

function launchOptions({ folder: _, ...given }: OpenOptions): Options {
  const options = defaultOptions();
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const refuse = (allowed: string): never => {
      throw refusal(`Option \`${name}\``, allowed, value);
    };
    if (!Object.hasOwn(LAUNCH_NAMES, name)) refuse(`one of ${OPTION_NAMES.join(", ")}`);
    const launchName = LAUNCH_NAMES[name as keyof typeof LAUNCH_NAMES];
    const row: OptionRow<unknown> = optionTable[launchName];
    Object.assign(options, { [launchName]: readGiven(row, value) ?? refuse(row.allowed) });
  }
  return options;
}

function memoryIsOneThread(): TarsierError {
  const message =
    "Option `threads`: indexes in memory are searched in the caller's thread, so it can only be 0";
  return new TarsierError("bad_request", { message });
}

// Opens a store inside the worker, in order: the core, the storage that the options ask for, engine and
// instance; closes them in reverse order. Called by worker.ts.
import { Closers } from "../closers.ts";
import { coreModule } from "../core/core.ts";
import { deferred } from "../deferred.ts";
import { openLocalEngine } from "../engine/pool.ts";
import type { EngineOptions } from "../engine/roles.ts";
import { KEPT_TURN, type Turn } from "../engine/turn.ts";
import { messageOf, TarsierError } from "../errors.ts";
import { type Operations, WRITES } from "../library/operations.ts";
import { refusal } from "../library/refusal.ts";
import { closable, type Writes } from "../operations/checkedreads.ts";
import type { OperationServices } from "../operations/services.ts";
import { OutboundClient } from "../outbound/client.ts";
import { JOURNAL_NAME } from "../segment/journalfile.ts";
import { parseSize } from "../sizes.ts";
import { storageError } from "../storage/failure.ts";
import { MemoryStorage } from "../storage/memory.ts";
import { OpfsStorage } from "../storage/opfs.ts";
import { OverlayStorage } from "../storage/overlay.ts";
import type { Storage } from "../storage/storage.ts";
import { Instance } from "../tasks/instance.ts";
import { checkVersion } from "../tasks/versionfile.ts";
import { packageVersion } from "../version.ts";
import { type BundleStart, copyBundle, describeBundle, openBundle } from "./bundles.ts";
import type { WorkerOptions } from "./messages.ts";

const MEBIBYTE = 1024 * 1024;
const INDEXING_BYTES_DEFAULT = 128 * MEBIBYTE;
const SEARCH_BYTES_DEFAULT = 64 * MEBIBYTE;
/** Time limit of a search that also asks other servers. */
const REMOTE_MS_MAX = 30_000;

/** Held by all that have a folder open: nobody waits for it. */
const PAGE_LOCK = "tarsier-folder";

type OnProgress = (copiedBytes: number, totalBytes: number) => void;

/** What the page fetches while the worker starts. */
interface Fetched {
  core: Promise<WebAssembly.Module>;
  /** The first parts of a bundle that is read in place. */
  bundle: Promise<BundleStart>;
}

export async function openOperations(
  options: WorkerOptions,
  { core, bundle }: Fetched,
  onProgress: OnProgress,
): Promise<Operations> {
  const closers = new Closers();
  return closers.openOrClose(async () => {
    const sizes = sizesOf(options);
    const [module, storage] = await Promise.all([core, openStorage(options, bundle, closers, onProgress)]);
    coreModule(module);
    const engine = openLocalEngine(storage, sizes);
    closers.push(() => engine.close());
    const outbound = new OutboundClient([]);
    closers.push(() => outbound.close());
    const batchPayloadBytesMax = sizes.indexingBytes / 2;
    const instance = await Instance.open({ storage, engine, batchPayloadBytesMax });
    closers.push(() => instance.close());
    const bounds = { remoteTimeoutMs: REMOTE_MS_MAX, payloadBytesMax: Number.POSITIVE_INFINITY };
    const inTurn = <T>(search: (turn: Turn) => Promise<T>) => search(KEPT_TURN);
    const services = { instance, engine, outbound, outbox: null, holdRelease: null, inTurn, ...bounds };
    const { writes, loaded } = writesLater(services);
    const operations = closable(services, writes, () => closers.close());
    const idle = async () => {
      // Writes that wait for their code have been called, but the instance does not know of them yet.
      await loaded();
      await operations.idle();
    };
    return { ...operations, idle };
  });
}

/**
 * Loading the code for writes takes as long as that for searches, so it is loaded with the first write.
 * `loaded`: fulfilled when no write waits for it.
 */
function writesLater(services: OperationServices): { writes: Writes; loaded(): Promise<unknown> } {
  let loading: Promise<Writes> | null = null;
  const load = async () => (await import("../operations/checkedwrites.ts")).checkedWrites(services);
  const later = (name: keyof Writes) => [
    name,
    async (...given: unknown[]) => {
      loading ??= load();
      // After a failed load the next write tries again; in vain in Firefox (153), which keeps the failure.
      const writes = await loading.catch((cause: unknown) => {
        loading = null;
        const message = `The code for writes could not be loaded: ${messageOf(cause)}`;
        throw new TarsierError("io_error", { message });
      });
      const write = writes[name] as (...given: unknown[]) => Promise<unknown>;
      return write(...given);
    },
  ];
  const loaded = async () => loading?.catch(() => {});
  return { writes: Object.fromEntries(WRITES.map(later)), loaded };
}

function sizesOf({ maxIndexingMemory, maxSearchMemory }: WorkerOptions): EngineOptions {
  return {
    threads: 0,
    indexingBytes: bytesOf("maxIndexingMemory", maxIndexingMemory ?? INDEXING_BYTES_DEFAULT),
    searchBytes: bytesOf("maxSearchMemory", maxSearchMemory ?? SEARCH_BYTES_DEFAULT),
  };
}

function bytesOf(name: string, given: number | string): number {
  const bytes = parseSize(String(given));
  if (bytes) return bytes;
  throw refusal(`Option \`${name}\``, "a size such as 200 MiB", given);
}

async function openStorage(
  { folder, bundle }: WorkerOptions,
  start: Promise<BundleStart>,
  closers: Closers,
  onProgress: OnProgress,
): Promise<Storage> {
  if (folder === undefined && bundle === undefined) return new MemoryStorage();
  if (folder === undefined) return new OverlayStorage(openBundle(bundle!, await start));
  closers.push(keepFromBeingFrozen());
  const storage = await OpfsStorage.open(await makeFolder(folder));
  closers.push(() => storage.close());
  if (bundle !== undefined && !storage.exists(JOURNAL_NAME))
    await copyBundle(bundle, await describeBundle(bundle), storage, JOURNAL_NAME, onProgress);
  checkVersion(storage, packageVersion(), false);
  return storage;
}

/**
 * A page that is left may be kept as it is, for those who go back to it: in Firefox with this worker and the
 * files that it has open, so that the next page would find the folder in use. No page that holds a lock is
 * kept. Returns the function that lets the lock go.
 */
function keepFromBeingFrozen(): () => void {
  const closed = deferred<void>();
  void navigator.locks?.request(PAGE_LOCK, { mode: "shared" }, () => closed.promise).catch(() => {});
  return () => closed.resolve();
}

async function makeFolder(name: string): Promise<FileSystemDirectoryHandle> {
  // Some browsers give none to private windows, and none of them to pages that came over plain HTTP.
  const root = await navigator.storage?.getDirectory().catch((cause: Error) => noFolders(cause.message));
  if (!root) return noFolders("pages that come over HTTPS or from localhost get one");
  return root.getDirectoryHandle(name, { create: true }).catch((error: Error) => {
    if (error instanceof TypeError) throw refusal("Option `folder`", "the name of a folder", name);
    throw storageError("open", name, { code: error.name, message: error.message });
  });
}

function noFolders(reason: string): never {
  const message = `Option \`folder\`: the browser gives this page no private file system: ${reason}`;
  throw new TarsierError("bad_request", { message });
}

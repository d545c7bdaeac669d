// Opens a store inside the worker: the core, the storage that the options ask for, engine and instance, one
// after the other, and closes them in the opposite order. Called by worker.ts.
import { CORE_NAME, coreModule } from "../core/core.ts";
import type { Engine } from "../engine/engine.ts";
import { openLocalEngine } from "../engine/pool.ts";
import type { EngineOptions } from "../engine/roles.ts";
import type { Operations } from "../library/operations.ts";
import { LocalOperations } from "../operations/local.ts";
import { FULL_ACCESS, type OperationServices } from "../operations/services.ts";
import { TaskEnds } from "../operations/taskends.ts";
import { OutboundClient } from "../outbound/client.ts";
import { BundleStorage } from "../storage/bundle.ts";
import { MemoryStorage } from "../storage/memory.ts";
import { OpfsStorage } from "../storage/opfs.ts";
import { OverlayStorage } from "../storage/overlay.ts";
import type { Storage } from "../storage/storage.ts";
import { Instance } from "../tasks/instance.ts";
import { JOURNAL_NAME } from "../tasks/journal.ts";
import { checkVersion } from "../tasks/versionfile.ts";
import { packageVersion } from "../version.ts";
import { copyBundle, describeBundle, rangeReader } from "./bundles.ts";
import type { WorkerOptions } from "./messages.ts";

const MEBIBYTE = 1024 * 1024;
const INDEXING_BYTES_DEFAULT = 128 * MEBIBYTE;
const SEARCH_BYTES_DEFAULT = 64 * MEBIBYTE;
/** Of one addition. */
const PAYLOAD_BYTES_MAX = 512 * MEBIBYTE;

type OnProgress = (copiedBytes: number, totalBytes: number) => void;

export async function openOperations(options: WorkerOptions, onProgress: OnProgress): Promise<Operations> {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const [module, storage] = await Promise.all([fetchCore(), openStorage(options, closers, onProgress)]);
    coreModule(module);
    const engine = openLocalEngine(storage, engineOptions(options));
    closers.push(() => engine.close());
    const instance = await Instance.open({ storage, engine });
    closers.push(() => instance.close());
    return operationsOf(instance, engine, close);
  } catch (error) {
    await close();
    throw error;
  }
}

function engineOptions({ maxIndexingMemory, maxSearchMemory }: WorkerOptions): EngineOptions {
  return {
    threads: 0,
    indexingBytes: maxIndexingMemory ?? INDEXING_BYTES_DEFAULT,
    searchBytes: maxSearchMemory ?? SEARCH_BYTES_DEFAULT,
  };
}

function operationsOf(instance: Instance, engine: Engine, close: () => Promise<void>): Operations {
  const ends = new TaskEnds(instance);
  const services: OperationServices = {
    ...{ instance, engine, outbound: new OutboundClient([]), remoteTimeoutMs: 30_000 },
    payloadBytesMax: PAYLOAD_BYTES_MAX,
    inTurn: (search) => search(),
  };
  const local = new LocalOperations(services, {
    ...{ access: FULL_ACCESS, wantsMetadata: false, isForRemote: false, writeOrigin: null },
  });
  return Object.assign(local, {
    ended: (uid: number) => ends.of(uid),
    idle: () => instance.idle(),
    close: () => {
      ends.close();
      return close();
    },
  }) as unknown as Operations;
}

/**
 * By their address: browsers keep the compiled code of what they fetch so, and only one of the two builds is
 * needed.
 */
function fetchCore(): Promise<WebAssembly.Module> {
  const url =
    CORE_NAME === "core.wasm"
      ? new URL("./core.wasm", import.meta.url)
      : new URL("./core.single.wasm", import.meta.url);
  return WebAssembly.compileStreaming(fetch(url));
}

async function openStorage(
  { folder, bundle }: WorkerOptions,
  closers: (() => Promise<unknown>)[],
  onProgress: OnProgress,
): Promise<Storage> {
  if (folder === undefined && bundle === undefined) return new MemoryStorage();
  if (folder === undefined) {
    const { files } = await describeBundle(bundle!);
    return new OverlayStorage(new BundleStorage(files, rangeReader(bundle!)));
  }
  const root = await navigator.storage.getDirectory();
  const storage = await OpfsStorage.open(await root.getDirectoryHandle(folder, { create: true }));
  closers.push(() => storage.close());
  if (bundle !== undefined && !storage.exists(JOURNAL_NAME))
    await copyBundle(bundle, await describeBundle(bundle), storage, JOURNAL_NAME, onProgress);
  checkVersion(storage, packageVersion(), false);
  return storage;
}

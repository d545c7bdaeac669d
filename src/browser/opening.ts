// Opens a store inside the worker: the core, the storage that the options ask for, engine and instance, one
// after the other, and closes them in the opposite order. Called by worker.ts.
import { CORE_NAME, coreModule } from "../core/core.ts";
import { openLocalEngine } from "../engine/pool.ts";
import type { Operations } from "../library/operations.ts";
import { JOURNAL_NAME } from "../tasks/journal.ts";
import { BundleStorage } from "../storage/bundle.ts";
import { MemoryStorage } from "../storage/memory.ts";
import { OpfsStorage } from "../storage/opfs.ts";
import { OverlayStorage } from "../storage/overlay.ts";
import type { Storage } from "../storage/storage.ts";
import { Instance } from "../tasks/instance.ts";
import { checkVersion } from "../tasks/versionfile.ts";
import { packageVersion } from "../version.ts";
import { copyBundle, describeBundle, rangeReader } from "./bundles.ts";
import type { WorkerOptions } from "./messages.ts";

const MEBIBYTE = 1024 * 1024;
const INDEXING_BYTES_DEFAULT = 128 * MEBIBYTE;
const SEARCH_BYTES_DEFAULT = 64 * MEBIBYTE;

type OnProgress = (copiedBytes: number, totalBytes: number) => void;

export async function openOperations(options: WorkerOptions, onProgress: OnProgress): Promise<Operations> {
  const [module, { storage, close }] = await Promise.all([fetchCore(), openStorage(options, onProgress)]);
  coreModule(module);
  const { maxIndexingMemory = INDEXING_BYTES_DEFAULT, maxSearchMemory = SEARCH_BYTES_DEFAULT } = options;
  const engine = openLocalEngine(storage, {
    threads: 0,
    indexingBytes: maxIndexingMemory,
    searchBytes: maxSearchMemory,
  });
  const instance = await Instance.open({ storage, engine });
  return null as never;
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

interface OpenStorage {
  storage: Storage;
  close(): Promise<void>;
}

async function openStorage({ folder, bundle }: WorkerOptions, onProgress: OnProgress): Promise<OpenStorage> {
  if (folder !== undefined) return openFolder(folder, bundle, onProgress);
  if (bundle === undefined) return { storage: new MemoryStorage(), close: async () => {} };
  const { files } = await describeBundle(bundle);
  return { storage: new OverlayStorage(new BundleStorage(files, rangeReader(bundle))), close: async () => {} };
}

async function openFolder(
  name: string,
  bundle: string | undefined,
  onProgress: OnProgress,
): Promise<OpenStorage> {
  const root = await navigator.storage.getDirectory();
  const storage = await OpfsStorage.open(await root.getDirectoryHandle(name, { create: true }));
  try {
    if (bundle !== undefined && !storage.exists(JOURNAL_NAME))
      await copyBundle(bundle, await describeBundle(bundle), storage, JOURNAL_NAME, onProgress);
    checkVersion(storage, packageVersion(), false);
    return { storage, close: () => storage.close() };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

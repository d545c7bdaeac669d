// The library's door for browsers: the same Store as that of src/index.ts. Its engine runs in a worker, with
// or without the headers that isolate a page; the indexes are in the browser's private file system, in
// memory, or read by ranges from the static files of a bundle.
import { takeEarlyWorker } from "./browser/earlyworker.ts";
import type { OpenOptions } from "./browser/openoptions.ts";
import { openRemote } from "./browser/remoteoperations.ts";
import type { Store } from "./library/store.ts";
import { createStore } from "./library/storefront.ts";

export type { OpenOptions } from "./browser/openoptions.ts";
export { type ErrorCode, type ErrorObject, type ErrorType, TarsierError } from "./errors.ts";
export type * from "./library/searches.ts";
export type * from "./library/settings.ts";
export type * from "./library/store.ts";
export type * from "./library/tasks.ts";

/**
 * Opens the indexes of a folder or a bundle, or new ones in memory. Call it early: the worker starts at once.
 * @throws TarsierError folder_in_use, database_refused, io_error when a file cannot be fetched, bad_request
 */
export async function open(options: OpenOptions = {}): Promise<Store> {
  // Bundlers look for exactly this expression: it tells them to bundle the worker and everything it imports.
  const worker =
    takeEarlyWorker() ?? new Worker(new URL("./browser-worker.js", import.meta.url), { type: "module" });
  try {
    return createStore(await openRemote(worker, options));
  } catch (error) {
    worker.terminate();
    throw error;
  }
}

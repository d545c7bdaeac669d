// The door for browsers: a store whose engine runs in a worker, with its data in the browser's private file
// system, in memory, or read by ranges from a bundle of static files.
import { type BrowserOptions } from "./browser/messages.ts";
import { openRemote } from "./browser/remoteoperations.ts";
export type { BrowserOptions };
export const openBare = (options: BrowserOptions) =>
  openRemote(new Worker(new URL("./browser-worker.js", import.meta.url), { type: "module" }), options);

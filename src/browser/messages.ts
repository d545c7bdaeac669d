// The messages between the page and the worker of the browser door. The page sends calls
// (remoteoperations.ts); the worker answers them in any order (worker.ts). Byte buffers are transferred, not
// copied.
import type { Operations } from "../library/operations.ts";
import type { ErrorData } from "../threaddata.ts";
import type { BundleStart } from "./bundles.ts";
import type { OpenOptions } from "./openoptions.ts";

/** The options as the worker gets them. */
export type WorkerOptions = Omit<OpenOptions, "bundle" | "onProgress"> & { bundle?: string };

export type Method = keyof Operations;

export type Request =
  | { open: WorkerOptions }
  /** The compiled core for the store that is being opened. */
  | { core: WebAssembly.Module }
  /** The first parts of a bundle that is read in place. */
  | { bundle: BundleStart }
  | { call: number; method: Method; args: readonly unknown[] }
  /** The next bytes of the documents of a call; null: there are no more. Sent one at a time, on request. */
  | { piecesOf: number; piece: Uint8Array | null }
  /** The documents of a call could not be read to the end. */
  | { piecesOf: number; failure: ErrorData };

export type Reply =
  | { opened: true }
  | { opened: false; failure: ErrorData }
  | { copiedBytes: number; totalBytes: number }
  | { answer: number; value: unknown }
  | { answer: number; failure: ErrorData }
  | { wantsPieceOf: number };

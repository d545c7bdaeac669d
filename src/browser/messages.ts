// What the page and the worker of the browser door tell each other. The page sends calls
// (remoteoperations.ts), the worker answers them in any order (worker.ts); the buffers of bytes are handed
// over, not copied.
import type { Operations } from "../library/operations.ts";
import type { ErrorData } from "../threaddata.ts";
import type { BundleStart } from "./bundles.ts";
import type { OpenOptions } from "./openoptions.ts";

/** The same as the worker gets it. */
export type WorkerOptions = Omit<OpenOptions, "bundle" | "onProgress"> & { bundle?: string };

export type Method = keyof Operations;

export type Request =
  | { open: WorkerOptions }
  /** The compiled core, for the store that is being opened. */
  | { core: WebAssembly.Module }
  /** What the bundle begins with that is read where it lies. */
  | { bundle: BundleStart }
  | { call: number; method: Method; args: readonly unknown[] }
  /** The next bytes of the documents of a call; null: that was all. Asked for one by one. */
  | { piecesOf: number; piece: Uint8Array | null }
  /** The documents of a call could not be read to their end. */
  | { piecesOf: number; failure: ErrorData };

export type Reply =
  | { opened: true }
  | { opened: false; failure: ErrorData }
  | { copiedBytes: number; totalBytes: number }
  | { answer: number; value: unknown }
  | { answer: number; failure: ErrorData }
  | { wantsPieceOf: number };

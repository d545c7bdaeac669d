// What the page and the worker of the browser door tell each other. The page sends calls
// (remoteoperations.ts), the worker answers them in any order (worker.ts); the buffers of bytes are handed
// over, not copied.
import { type ErrorCode, messageOf, TarsierError } from "../errors.ts";
import type { Operations } from "../library/operations.ts";
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
  | { piecesOf: number; failure: Failure };

export type Reply =
  | { opened: true }
  | { opened: false; failure: Failure }
  | { copiedBytes: number; totalBytes: number }
  | { answer: number; value: unknown }
  | { answer: number; failure: Failure }
  | { wantsPieceOf: number };

/** An error as data. */
export interface Failure {
  code: ErrorCode | null;
  status: number;
  message: string;
}

export function failureOf(error: unknown): Failure {
  if (error instanceof TarsierError)
    return { code: error.code, status: error.status, message: error.message };
  return { code: null, status: 500, message: messageOf(error) };
}

export function errorOf({ code, status, message }: Failure): Error {
  return code === null ? new Error(message) : new TarsierError(code, { message }, status);
}

/** The buffers that a message may take with it: of byte arrays that own all of theirs. */
export function transferable(value: unknown): ArrayBuffer[] {
  if (!(value instanceof Uint8Array) || !(value.buffer instanceof ArrayBuffer)) return [];
  return value.byteLength === value.buffer.byteLength ? [value.buffer] : [];
}

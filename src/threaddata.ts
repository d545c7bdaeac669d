// Errors and byte arrays as they cross between threads: those of the engine (engine/remote.ts), and a page
// and its worker (browser/messages.ts).
import { type ErrorCode, isErrorCode, messageOf, TarsierError } from "./errors.ts";

/** An error as data. */
export interface ErrorData {
  /** Null for an error that is no refusal. */
  code: ErrorCode | null;
  status: number;
  message: string;
  /** Of an error that is no refusal: where it was thrown, for logs. */
  stack: string | null;
}

export function errorData(error: unknown): ErrorData {
  if (error instanceof TarsierError && isErrorCode(error.code))
    return { code: error.code, status: error.status, message: error.message, stack: null };
  const stack = (error instanceof Error && error.stack) || null;
  return { code: null, status: 500, message: messageOf(error), stack };
}

export function errorOf({ code, status, message, stack }: ErrorData): Error {
  if (code !== null) return new TarsierError(code, { message }, status);
  const error = new Error(message);
  if (stack !== null) error.stack = stack;
  return error;
}

/** The buffer of a byte array that owns all of it: it is moved with a message, not copied. */
export function transferable(value: unknown): ArrayBuffer[] {
  if (!(value instanceof Uint8Array) || !(value.buffer instanceof ArrayBuffer)) return [];
  return value.byteLength === value.buffer.byteLength ? [value.buffer] : [];
}

// Why a call to another server gave no answer. Made by client.ts; the caller turns it into a refusal of
// errors.ts with a fitting code (for a remote, an embedder), or logs it.

export type OutboundReason =
  /** The text is not an http or https URL. */
  | "url"
  /** The request cannot be sent: it has a header that HTTP forbids, or that callers may not set. */
  | "request"
  /** The name leads only to addresses that may not be called. */
  | "address"
  /** Not resolved, refused, reset, bad TLS, or an answer that is not HTTP. */
  | "connection"
  /** The answer is a redirect. */
  | "redirect"
  | "timeout"
  /** The answer is longer than the bound. */
  | "size"
  /** The signal of the caller fired, or the client was closed. */
  | "aborted";

export class OutboundFailure extends Error {
  readonly reason: OutboundReason;
  /** Status of an answer that began but did not arrive completely. */
  status: number | null = null;

  constructor(reason: OutboundReason, message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

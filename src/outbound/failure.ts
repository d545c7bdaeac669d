// Why a call to another server gave no answer. Made by client.ts; whoever calls turns it into a refusal of
// errors.ts with the code of the matter (a remote, an embedder), or logs it.

export type OutboundReason =
  /** The text is no http or https URL. */
  | "url"
  /** It cannot be sent: a header that HTTP does not allow, or that is not the caller's business. */
  | "request"
  /** The name leads only to addresses that may not be called. */
  | "address"
  /** Not resolved, refused, reset, bad TLS, an answer that is not HTTP. */
  | "connection"
  /** An answer that leads elsewhere. */
  | "redirect"
  | "timeout"
  /** The answer is larger than what was asked for. */
  | "size"
  /** The caller's signal, or the client was closed. */
  | "aborted";

export class OutboundFailure extends Error {
  readonly reason: OutboundReason;
  /** Of an answer that began; its body has not come whole. */
  status: number | null = null;

  constructor(reason: OutboundReason, message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

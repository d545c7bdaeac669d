// Replaces src/outbound/client.ts in browsers: calls of embedders, by fetch. There the browser itself decides
// which addresses may be called, and keeps private data from leaking.
import type { OutboundRequest } from "../../outbound/client.ts";
import type { OutboundAnswer } from "../../outbound/exchange.ts";
import { OutboundFailure } from "../../outbound/failure.ts";

const REQUEST_MS_DEFAULT = 30_000;
const ANSWER_BYTES_DEFAULT = 16 * 2 ** 20;

export class OutboundClient {
  readonly #closing = new AbortController();

  /** Rejects with an OutboundFailure when there is no answer. */
  async request(url: string | URL, request: OutboundRequest = {}): Promise<OutboundAnswer> {
    const { method = "GET", headers, body, timeoutMs = REQUEST_MS_DEFAULT, signal } = request;
    const timeout = AbortSignal.timeout(timeoutMs);
    const signals = [timeout, this.#closing.signal, ...(signal ? [signal] : [])];
    try {
      const answer = await fetch(url, {
        method,
        headers,
        redirect: "error",
        credentials: "omit",
        body: body as BodyInit | null | undefined,
        signal: AbortSignal.any(signals),
      });
      const bytes = await bodyOf(answer, request.answerBytesMax ?? ANSWER_BYTES_DEFAULT);
      return { status: answer.status, headers: Object.fromEntries(answer.headers), body: bytes };
    } catch (error) {
      if (error instanceof OutboundFailure) throw error;
      if (timeout.aborted) throw new OutboundFailure("timeout", `no answer in ${timeoutMs} ms`, error);
      if (signals.some(({ aborted }) => aborted))
        throw new OutboundFailure("aborted", "the call was stopped", error);
      throw new OutboundFailure("connection", (error as Error).message, error);
    }
  }

  /** Aborts what is under way. */
  async close(): Promise<void> {
    this.#closing.abort();
  }
}

/** Reads no more of an answer than it may have. */
async function bodyOf({ body }: Response, bytesMax: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const reader = body?.getReader();
  for (let read = await reader?.read(); read && !read.done; read = await reader!.read()) {
    length += read.value.length;
    if (length > bytesMax) {
      // What is left is not sent any more; whether that can be told to the server does not matter here.
      reader!.cancel().catch(() => {});
      throw new OutboundFailure("size", `the answer has more than ${bytesMax} bytes`);
    }
    pieces.push(read.value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

// Bounds the memory for bodies of JSON routes: each is read whole, so many large ones at once could take all
// of it. Small bodies are not counted, and a single body may be as large as the payload limit. Called by
// bodies.ts; documents are streamed and not counted.
import { Transform } from "node:stream";
import type { FastifyReply, FastifyRequest, RequestPayload } from "fastify";
import { TarsierError } from "../errors.ts";
import { formatSize } from "../sizes.ts";

/** Bodies that announce less are not counted. */
const COUNTED_BYTES_MIN = 64 * 1024;

/** Whether a body is so short that it is not counted. */
export function announcesLittle({ headers }: FastifyRequest): boolean {
  return Number(headers["content-length"] ?? Number.NaN) < COUNTED_BYTES_MIN;
}

export class BodyBudget {
  readonly #bytesMax: number;
  #taken = 0;
  /** Request whose body is counted -> the function that takes more for it. */
  readonly #counts = new WeakMap<FastifyRequest, (bytes: number) => void>();

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** The body, counted as it arrives; its bytes are given back when the request has been answered. */
  counted(request: FastifyRequest, reply: FastifyReply, payload: RequestPayload): RequestPayload {
    let own = 0;
    let isAnswered = false;
    const count = (bytes: number) => {
      // Bytes that arrive after the answer are not kept, and counting them would never be undone.
      if (isAnswered) return;
      if (this.#taken > own && this.#taken + bytes > this.#bytesMax) throw this.#refusal();
      own += bytes;
      this.#taken += bytes;
    };
    this.#counts.set(request, count);
    const counter = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        try {
          count(chunk.length);
          done(null, chunk);
        } catch (error) {
          done(error as Error);
        }
      },
    });
    reply.raw.once("close", () => {
      this.#taken -= own;
      isAnswered = true;
    });
    payload.on("error", (error) => counter.destroy(error));
    // If the body breaks after the request was refused, nobody else listens for the error.
    counter.on("error", () => {});
    return payload.pipe(counter);
  }

  /**
   * Counts memory that was taken in addition to the body. @throws TarsierError when others have taken it all
   */
  add(request: FastifyRequest, bytes: number): void {
    this.#counts.get(request)?.(bytes);
  }

  #refusal(): TarsierError {
    const limit = formatSize(this.#bytesMax);
    const message = `Too many large bodies come at once: all of them together may have ${limit}`;
    return new TarsierError("too_many_search_requests", { message });
  }
}

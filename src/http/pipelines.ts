// Requests that come over one connection without waiting for answers: some are answered at a time, the others
// wait. Their answers are sent in order, so each would be kept for as long as the one before it is not read.
// Long answers have to be read in time, and in less of it while those of all connections take much memory.
// Called by connections.ts.
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

export interface PipelineLimits {
  /** Requests of one connection. */
  underWayMax: number;
  /** How long a long answer may wait for its client to read some of it. */
  unreadMsMax: number;
  /** Of the long answers of all connections together; while they have more, each may wait `hurriedMsMax`. */
  unreadBytesMax: number;
  hurriedMsMax: number;
}

interface Pipeline {
  readonly socket: Socket;
  underWay: number;
  readonly waiting: (() => void)[];
  /** Long answers that were given, and are not sent. */
  unread: number;
}

export class Pipelines {
  readonly #limits: PipelineLimits;
  /** Sockets of requests that are injected never close. */
  readonly #pipelines = new WeakMap<Socket, Pipeline>();
  /** Those with unread answers. */
  readonly #unread = new Set<Pipeline>();
  #unreadBytes = 0;
  #underWay = 0;

  constructor(limits: PipelineLimits) {
    this.#limits = limits;
  }

  /** Requests that were begun and have not ended, of all connections. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Begins a request when it is its turn: never, once its connection is closed. It ends with `end`. */
  enter(socket: Socket, begin: () => void): void {
    const pipeline = this.#pipelines.get(socket) ?? this.#open(socket);
    if (pipeline.underWay >= this.#limits.underWayMax) pipeline.waiting.push(begin);
    else this.#begin(pipeline, begin);
  }

  end(socket: Socket): void {
    const pipeline = this.#pipelines.get(socket);
    // Its connection has ended, and all requests with it.
    if (pipeline === undefined) return;
    pipeline.underWay--;
    this.#underWay--;
    // The last answers end before their connection does.
    const next = socket.destroyed ? undefined : pipeline.waiting.shift();
    if (next !== undefined) this.#begin(pipeline, next);
  }

  /** Ends the connection when nothing is read of an answer of so many bytes, or of one before it, in time. */
  watch(socket: Socket, response: ServerResponse, bytes: number): void {
    const pipeline = this.#pipelines.get(socket);
    // Requests that are injected have no connection.
    if (pipeline === undefined || !("setTimeout" in socket)) return;
    pipeline.unread++;
    this.#unread.add(pipeline);
    this.#count(bytes);
    // Node takes whatever is sent as a sign of life.
    socket.setTimeout(this.#unreadMs);
    response.once("close", () => {
      if (--pipeline.unread === 0) {
        this.#unread.delete(pipeline);
        // Node waits for the next request when there is none under way; one that is may take its time.
        if (pipeline.underWay > 0) socket.setTimeout(0);
      }
      this.#count(-bytes);
    });
  }

  get #unreadMs(): number {
    const { unreadBytesMax, unreadMsMax, hurriedMsMax } = this.#limits;
    return this.#unreadBytes > unreadBytesMax ? hurriedMsMax : unreadMsMax;
  }

  #count(bytes: number): void {
    const before = this.#unreadMs;
    this.#unreadBytes += bytes;
    const now = this.#unreadMs;
    if (now !== before) for (const { socket } of this.#unread) socket.setTimeout(now);
  }

  #open(socket: Socket): Pipeline {
    const pipeline: Pipeline = { socket, underWay: 0, waiting: [], unread: 0 };
    this.#pipelines.set(socket, pipeline);
    socket.once("close", () => {
      this.#pipelines.delete(socket);
      this.#underWay -= pipeline.underWay;
    });
    return pipeline;
  }

  #begin(pipeline: Pipeline, begin: () => void): void {
    pipeline.underWay++;
    this.#underWay++;
    begin();
  }
}

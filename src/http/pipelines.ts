// Requests that come over one connection without waiting for answers: a few are handled at a time, the others
// wait. Answers are sent in order, so each stays in memory until the client has read the one before. Called
// by connections.ts.
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

interface Pipeline {
  underWay: number;
  readonly waiting: (() => void)[];
  /** Long answers that were given but not sent yet. */
  unread: number;
}

export class Pipelines {
  readonly #underWayMax: number;
  /** Sockets of injected requests never close, hence a WeakMap. */
  readonly #pipelines = new WeakMap<Socket, Pipeline>();
  #underWay = 0;

  /** `underWayMax`: per connection. */
  constructor(underWayMax: number) {
    this.#underWayMax = underWayMax;
  }

  /** Requests that have begun and not ended, of all connections. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Whether an open connection has one request under way, and none waits. */
  hasOne(socket: Socket): boolean {
    const pipeline = this.#pipelines.get(socket);
    return pipeline?.underWay === 1 && pipeline.waiting.length === 0;
  }

  /** Begins a request when its turn comes (never, once its connection is closed); `end` must follow it. */
  enter(socket: Socket, begin: () => void): void {
    const pipeline = this.#pipelines.get(socket) ?? this.#open(socket);
    if (pipeline.underWay >= this.#underWayMax) pipeline.waiting.push(begin);
    else this.#begin(pipeline, begin);
  }

  end(socket: Socket): void {
    const pipeline = this.#pipelines.get(socket);
    // Its connection, and all requests with it, have ended before.
    if (pipeline === undefined) return;
    pipeline.underWay--;
    this.#underWay--;
    // The last answers end before their connection does.
    const next = socket.destroyed ? undefined : pipeline.waiting.shift();
    if (next !== undefined) this.#begin(pipeline, next);
  }

  /** Ends an open connection when, for this time, nothing was read of a long answer or of one before it. */
  watch(socket: Socket, response: ServerResponse, milliseconds: number): void {
    const pipeline = this.#pipelines.get(socket)!;
    pipeline.unread++;
    // Node restarts this timer whenever anything is sent.
    socket.setTimeout(milliseconds);
    response.once("close", () => {
      // Without requests under way, Node sets the timer for the next one; those under way may take their
      // time.
      if (--pipeline.unread === 0 && pipeline.underWay > 0) socket.setTimeout(0);
    });
  }

  #open(socket: Socket): Pipeline {
    const pipeline: Pipeline = { underWay: 0, waiting: [], unread: 0 };
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

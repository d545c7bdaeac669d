// Requests that come over one connection without waiting for answers: some are answered at a time, the others
// wait. Their answers are sent in order, so each would be kept for as long as the one before it is not read.
// Called by connections.ts.
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

interface Pipeline {
  underWay: number;
  readonly waiting: (() => void)[];
  /** Long answers that were given, and are not sent. */
  unread: number;
}

export class Pipelines {
  readonly #underWayMax: number;
  /** Sockets of requests that are injected never close. */
  readonly #pipelines = new WeakMap<Socket, Pipeline>();
  #underWay = 0;

  /** `underWayMax`: of one connection. */
  constructor(underWayMax: number) {
    this.#underWayMax = underWayMax;
  }

  /** Requests that were begun and have not ended, of all connections. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Begins a request when it is its turn: never, once its connection is closed. It ends with `end`. */
  enter(socket: Socket, begin: () => void): void {
    const pipeline = this.#pipelines.get(socket) ?? this.#open(socket);
    if (pipeline.underWay >= this.#underWayMax) pipeline.waiting.push(begin);
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

  /** Ends an open connection when nothing is read of a long answer, or of one before it, for so long. */
  watch(socket: Socket, response: ServerResponse, milliseconds: number): void {
    const pipeline = this.#pipelines.get(socket)!;
    pipeline.unread++;
    // Node takes whatever is sent as a sign of life.
    socket.setTimeout(milliseconds);
    response.once("close", () => {
      // Node waits for the next request when there is none under way; one that is may take its time.
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

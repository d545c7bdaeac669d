// How long clients may take, how many connections they may hold, and how connections end when the server
// closes. Set up by server.ts.
//
//   head of a request   HEAD_MS_MAX in all
//   body                as long as it comes: each period must bring some bytes, so a long upload goes on and
//                       a body that drips does not
//   answer              as long as it is read: each minute must take some of a long one. When too much is
//                       unread, the answers that hold most of it for longest are ended
//   between requests    KEEP_ALIVE_TIMEOUT_MS
//
// When the server closes, requests that are being answered may end, for a while; then everything is cut.
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply } from "fastify";
import { TarsierError } from "../errors.ts";
import type { App } from "./app.ts";
import { Pipelines } from "./pipelines.ts";
import { UnreadAnswers } from "./unreadanswers.ts";

export interface ConnectionLimits {
  connectionsMax: number;
  /** A body must bring `bodyBytesMin` in each period, unless the server itself is behind. */
  bodyPeriodMs: number;
  bodyBytesMin: number;
  /** Of all bodies of JSON routes together; one alone may have the size of the payload limit. */
  bodiesBytesMax: number;
  /** How long a long answer may wait for its client to read some of it. */
  unreadMsMax: number;
  /** Of all long answers together that were given and not yet read. */
  unreadBytesMax: number;
  /** How long requests that are being answered may go on when the server closes. */
  closingMsMax: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  connectionsMax: 10_000,
  bodyPeriodMs: 20_000,
  bodyBytesMin: 1024,
  bodiesBytesMax: 128 * 2 ** 20,
  unreadMsMax: 60_000,
  unreadBytesMax: 256 * 2 ** 20,
  closingMsMax: 5_000,
};

/** For the head of a request, from its first byte on; looked at in intervals. */
const HEAD_MS_MAX = 20_000;
const HEAD_BYTES_MAX = 64 * 1024;
const HEAD_CHECK_MS = 5_000;
/** Of one connection. */
const UNDER_WAY_MAX = 8;
/** Shorter answers are soon in the hands of the system. */
const WATCHED_LEN_MIN = 64 * 1024;
/** Between two looks at what still runs when the server closes. */
const CLOSING_CHECK_MS = 10;

/** Options of the HTTP server of Node. It would answer a request without host by an empty body. */
export const HTTP_OPTIONS = {
  headersTimeout: HEAD_MS_MAX,
  connectionsCheckingInterval: HEAD_CHECK_MS,
  requireHostHeader: false,
  // Filters and lists of uids make long URLs.
  maxHeaderSize: HEAD_BYTES_MAX,
};

export function guardConnections(app: App, limits: ConnectionLimits): void {
  app.server.maxConnections = limits.connectionsMax;
  // HEAD_BYTES_MAX bounds them. Of more than Node's own bound, it would obey some and not show them.
  app.server.maxHeadersCount = 0;
  app.server.on("checkExpectation", refuseExpectation);
  const bodies = new BodyWatch(limits);
  const timer = setInterval(() => bodies.look(), limits.bodyPeriodMs).unref();
  const pipelines = new Pipelines(UNDER_WAY_MAX);
  const unread = new UnreadAnswers(limits.unreadBytesMax);
  let isClosing = false;
  app.addHook("onRequest", (request, reply, done) => {
    const { socket } = request.raw;
    pipelines.enter(socket, () => {
      reply.raw.once("close", () => {
        pipelines.end(socket);
        bodies.forget(request.raw);
      });
      if (isClosing) return refuseClosing(reply, done);
      if (hasBody(request.raw)) bodies.add(request.raw);
      done(lacksHost(request.raw) ? unreadable("it has no header `Host`") : undefined);
    });
  });
  app.addHook("onSend", (request, reply, payload, done) => {
    const isWhole = payload instanceof Uint8Array || typeof payload === "string";
    const { socket } = request.raw;
    // Requests that are injected have no connection.
    const isOpen = "setTimeout" in socket && !socket.destroyed;
    if (isWhole && payload.length >= WATCHED_LEN_MIN && isOpen) {
      pipelines.watch(socket, reply.raw, limits.unreadMsMax);
      unread.add(socket, reply.raw, Buffer.byteLength(payload));
    }
    done(null, payload);
  });
  app.addHook("preClose", async () => {
    isClosing = true;
    clearInterval(timer);
    // Requests that are injected have no connection that could be cut.
    if (!app.server.listening) return;
    const end = performance.now() + limits.closingMsMax;
    while (pipelines.underWay > 0 && performance.now() < end) await pause(CLOSING_CHECK_MS);
  });
}

/** The connection is not used again. */
function refuseClosing(reply: FastifyReply, done: (error: Error) => void): void {
  reply.header("connection", "close");
  done(new TarsierError("server_closing"));
}

/** Bodies that have not come whole. */
class BodyWatch {
  readonly #limits: ConnectionLimits;
  /** Bytes of the connection at the last look; null: begun since. */
  readonly #bodies = new Map<IncomingMessage, number | null>();
  /** Requests that have their answer: nobody reads what still comes. */
  readonly #answered = new WeakSet<IncomingMessage>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  add(request: IncomingMessage): void {
    this.#bodies.set(request, null);
  }

  /** When the request was answered. A body that still comes after a refusal is watched until it ends. */
  forget(request: IncomingMessage): void {
    this.#answered.add(request);
    if (request.complete || request.destroyed) this.#bodies.delete(request);
    else request.once("close", () => this.#bodies.delete(request));
  }

  look(): void {
    for (const [request, before] of this.#bodies) {
      const { socket } = request;
      if (request.complete || socket.destroyed) {
        this.#bodies.delete(request);
        continue;
      }
      const { bytesRead } = socket;
      this.#bodies.set(request, bytesRead);
      // What came and is not yet read: it is the server that is slow.
      if (before === null || (request.readableLength > 0 && !this.#answered.has(request))) continue;
      if (bytesRead - before < this.#limits.bodyBytesMin)
        refuseSocket(socket, 408, "its body comes too slowly");
    }
  }
}

/** Answers what is no request of HTTP, or did not come in time, and ends the connection. */
export function handleClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") refuseSocket(socket, 408, "its head comes too slowly");
  else if (error.code === "HPE_HEADER_OVERFLOW") refuseSocket(socket, 431, "its head is too long");
  else refuseSocket(socket, 400, "it is no HTTP");
}

function refuseSocket(socket: Socket, status: number, reason: string): void {
  if (socket.writable) {
    const body = JSON.stringify(unreadable(reason).toObject());
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close`;
    socket.write(
      `${head}\r\nContent-Length: ${body.length}\r\nContent-Type: application/json\r\n\r\n${body}`,
    );
  }
  socket.destroySoon();
}

/** `Expect` with anything but `100-continue`, which Node answers itself. */
function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
  const message = `Nothing can be expected but \`100-continue\`, and not \`${request.headers.expect}\``;
  const error = new TarsierError("bad_request", { message }, 417);
  const body = JSON.stringify(error.toObject());
  const length = Buffer.byteLength(body);
  const headers = { "content-type": "application/json", "content-length": length, connection: "close" };
  response.writeHead(error.status, headers).end(body);
}

/** What HTTP/1.1 demands; requests of HTTP/1.0 need not say it. */
function lacksHost({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion === "1.1" && headers.host === undefined;
}

function unreadable(reason: string): TarsierError {
  return new TarsierError("bad_request", { message: `The request cannot be read: ${reason}` });
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers["content-length"];
  return headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

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
// When the server closes, requests under way may end for a while; then everything is cut.
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply } from "fastify";
import { TarsierError } from "../errors.ts";
import type { App } from "./app.ts";
import { dropRest, endNow, keepForBody } from "./lastanswers.ts";
import { Pipelines } from "./pipelines.ts";
import { UnreadAnswers } from "./unreadanswers.ts";

export interface ConnectionLimits {
  connectionsMax: number;
  /** A body must bring `bodyBytesMin` in each period, unless the server itself is behind. */
  bodyPeriodMs: number;
  bodyBytesMin: number;
  /** Bound for all bodies of JSON routes together; a single one may be as large as the payload limit. */
  bodiesBytesMax: number;
  /** How long a long answer waits for its client to read some of it. */
  unreadMsMax: number;
  /** Bound for all long answers together that were given but not read yet. */
  unreadBytesMax: number;
  /** How long requests under way may go on when the server closes. */
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

/** Time for the head of a request, from its first byte; checked at intervals. */
const HEAD_MS_MAX = 20_000;
const HEAD_BYTES_MAX = 64 * 1024;
const HEAD_CHECK_MS = 5_000;
/** Bound for the requests of one connection that are answered at the same time. */
const UNDER_WAY_MAX = 8;
/** Shorter answers soon fit into the buffers of the system. */
const WATCHED_LEN_MIN = 64 * 1024;
/** Interval at which a closing server checks what still runs. */
const CLOSING_CHECK_MS = 10;

/**
 * Options of the HTTP server of Node. By itself it would answer a request without `Host` with an empty body,
 * so we check that header.
 */
export const HTTP_OPTIONS = {
  headersTimeout: HEAD_MS_MAX,
  connectionsCheckingInterval: HEAD_CHECK_MS,
  requireHostHeader: false,
  // Filters and lists of uids make URLs long.
  maxHeaderSize: HEAD_BYTES_MAX,
};

export function guardConnections(app: App, limits: ConnectionLimits): void {
  app.server.maxConnections = limits.connectionsMax;
  // No bound on the number of headers, as HEAD_BYTES_MAX bounds their size. Past Node's own bound it would
  // obey some headers without showing them to us.
  app.server.maxHeadersCount = 0;
  app.server.on("checkExpectation", refuseExpectation);
  const bodies = new BodyWatch(limits);
  const timer = setInterval(() => bodies.look(), limits.bodyPeriodMs).unref();
  const pipelines = new Pipelines(UNDER_WAY_MAX);
  const unread = new UnreadAnswers(limits.unreadBytesMax);
  let isClosing = false;
  app.addHook("onRequest", (request, reply, done) => {
    const { socket } = request.raw;
    // Behind the body of a request whose answer was the last: nobody could learn what came of it.
    if (socket.writableEnded) return;
    pipelines.enter(socket, () => {
      reply.raw.once("close", () => {
        pipelines.end(socket);
        bodies.forget(request.raw);
        dropRest(request.raw);
      });
      const bringsBody = hasBody(request.raw);
      if (bringsBody) keepForBody(request.raw);
      if (isClosing) return refuseClosing(reply, done);
      if (bringsBody) bodies.add(request.raw);
      done(lacksHost(request.raw) ? unreadable("it has no header `Host`") : undefined);
    });
  });
  app.addHook("onSend", (request, reply, payload, done) => {
    const isWhole = payload instanceof Uint8Array || typeof payload === "string";
    const { socket } = request.raw;
    // Injected requests have no connection.
    const isOpen = "setTimeout" in socket && !socket.destroyed;
    if (isWhole && payload.length >= WATCHED_LEN_MIN && isOpen) {
      pipelines.watch(socket, reply.raw, limits.unreadMsMax);
      unread.add(socket, reply.raw, Buffer.byteLength(payload));
    }
    // A client that is not told sends the next request into a connection that is about to be cut.
    if (isClosing && pipelines.hasOne(socket)) reply.header("connection", "close");
    done(null, payload);
  });
  app.addHook("preClose", async () => {
    isClosing = true;
    clearInterval(timer);
    // Injected requests have no connection that could be cut.
    if (!app.server.listening) return;
    const end = performance.now() + limits.closingMsMax;
    while (pipelines.underWay > 0 && performance.now() < end) await pause(CLOSING_CHECK_MS);
  });
}

/** Makes the client close the connection instead of using it again. */
function refuseClosing(reply: FastifyReply, done: (error: Error) => void): void {
  reply.header("connection", "close");
  done(new TarsierError("server_closing"));
}

/** Watches bodies that have not arrived completely. */
class BodyWatch {
  readonly #limits: ConnectionLimits;
  /** Bytes that the connection had received at the last check; null: the body began after it. */
  readonly #bodies = new Map<IncomingMessage, number | null>();
  /** Requests that are answered: what still arrives of their bodies is not read. */
  readonly #answered = new WeakSet<IncomingMessage>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  add(request: IncomingMessage): void {
    this.#bodies.set(request, null);
  }

  /**
   * Called when the request is answered. After a refusal, a body that still arrives is watched until its end.
   */
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
      // Data has arrived and is not read yet, so the server is slow, not the client.
      if (before === null || (request.readableLength > 0 && !this.#answered.has(request))) continue;
      if (bytesRead - before < this.#limits.bodyBytesMin)
        refuseSocket(socket, 408, "its body comes too slowly");
    }
  }
}

const INVALID_URL = "its URL has a character that must be percent-encoded";

/** Answers data that is not an HTTP request, or a request that came too slowly, and ends the connection. */
export function handleClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") refuseSocket(socket, 408, "its head comes too slowly");
  else if (error.code === "HPE_HEADER_OVERFLOW") refuseSocket(socket, 431, "its head is too long");
  // Such as the letters of a query that curl was given as they are: it encodes nothing.
  else if (error.code === "HPE_INVALID_URL") refuseSocket(socket, 400, INVALID_URL);
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
  endNow(socket);
}

/** For `Expect` with anything but `100-continue`, which Node answers itself. */
function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
  const message = `Nothing can be expected but \`100-continue\`, and not \`${request.headers.expect}\``;
  const error = new TarsierError("bad_request", { message }, 417);
  const body = JSON.stringify(error.toObject());
  const length = Buffer.byteLength(body);
  const headers = { "content-type": "application/json", "content-length": length, connection: "close" };
  response.writeHead(error.status, headers).end(body);
}

/** HTTP/1.1 demands the header; requests of HTTP/1.0 need not have it. */
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

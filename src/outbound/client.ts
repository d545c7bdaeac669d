// Calls to other servers (webhooks, embedders, remotes, exports), with what keeps them from doing harm:
// addresses are checked when they are connected to, so no answer of a name server can come in between;
// redirects are refused; time and size of an answer are bounded. Connections are kept and used again. Works
// in any thread; the HTTP library is loaded by the first call.
import { type LookupAddress, lookup } from "node:dns";
import { setMaxListeners } from "node:events";
import { isIP, type LookupFunction, type Socket } from "node:net";
import type { Readable } from "node:stream";
import type { Agent, buildConnector, Dispatcher } from "undici";
import { type AddressCheck, addressCheck } from "./addresses.ts";
import { OutboundFailure } from "./failure.ts";
import { isHttpUrl, withoutSecrets } from "./urls.ts";

export interface OutboundRequest {
  /** Default: GET. */
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  /** Text and bytes are sent with their length, a stream in chunks. */
  readonly body?: string | Uint8Array | Readable | null;
  /** From the call to the end of the answer. Default: 30 seconds. */
  readonly timeoutMs?: number;
  /** Default: 16 MiB. */
  readonly answerBytesMax?: number;
  readonly signal?: AbortSignal;
}

/** Any answer but a redirect, whatever its status. */
export interface OutboundAnswer {
  readonly status: number;
  /** Names in lower case; what was sent several times is joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const REQUEST_MS_DEFAULT = 30_000;
const CONNECT_MS_MAX = 10_000;
const IDLE_MS_MAX = 4_000;
const ANSWER_BYTES_DEFAULT = 16 * 2 ** 20;
const HEADER_BYTES_MAX = 64 * 2 ** 10;
const CONNECTIONS_PER_ORIGIN_MAX = 32;

export class OutboundClient {
  readonly #check: AddressCheck;
  #agent: Agent | Promise<Agent> | null = null;
  /** Of the calls under way: aborted with the reason of the failure. */
  readonly #running = new Set<AbortController>();
  #isClosed = false;

  /** `allowedNetworks`: the option `experimentalAllowedIpNetworks`. */
  constructor(allowedNetworks: readonly string[]) {
    this.#check = addressCheck(allowedNetworks);
  }

  /** Rejects with an OutboundFailure when there is no answer. */
  async request(url: string | URL, request: OutboundRequest = {}): Promise<OutboundAnswer> {
    const target = targetOf(url);
    const { timeoutMs = REQUEST_MS_DEFAULT, signal } = request;
    if (this.#isClosed || signal?.aborted) throw stopped("aborted", timeoutMs);
    // One controller for each call: signals that live long would remember every call that listened to them.
    const stop = new AbortController();
    const abort = () => stop.abort("aborted");
    // Many calls may share one: that is no leak, of which Node would warn.
    if (signal) setMaxListeners(0, signal);
    const timer = setTimeout(() => stop.abort("timeout"), timeoutMs);
    signal?.addEventListener("abort", abort);
    this.#running.add(stop);
    try {
      return await this.#answer(target, request, stop.signal);
    } catch (error) {
      throw stop.signal.aborted ? stopped(stop.signal.reason, timeoutMs, error) : failureOf(error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      this.#running.delete(stop);
    }
  }

  /** Ends what is under way, and all connections. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const stop of this.#running) stop.abort("aborted");
    await (await this.#agent)?.destroy();
  }

  async #answer(target: URL, request: OutboundRequest, signal: AbortSignal): Promise<OutboundAnswer> {
    this.#agent ??= this.#open();
    // Where there is one already the request leaves in this turn, before what the caller does next.
    const agent = this.#agent instanceof Promise ? await this.#agent : this.#agent;
    const answer = await agent.request({
      ...{ origin: target.origin, path: target.pathname + target.search },
      method: request.method ?? "GET",
      headers: { ...credentialsOf(target), ...request.headers },
      body: request.body ?? null,
      signal,
    });
    refuseRedirect(answer);
    return {
      status: answer.statusCode,
      headers: joinedHeaders(answer.headers),
      body: await readAll(answer.body, request.answerBytesMax ?? ANSWER_BYTES_DEFAULT),
    };
  }

  async #open(): Promise<Agent> {
    const agent = await openAgent(this.#check);
    this.#agent = agent;
    return agent;
  }
}

function targetOf(url: string | URL): URL {
  if (isHttpUrl(url)) return new URL(url);
  throw new OutboundFailure("url", `\`${withoutSecrets(url)}\` is no http or https URL`);
}

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === "" && password === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}

async function openAgent(check: AddressCheck): Promise<Agent> {
  // By its default export: a bundle knows no other names of a CommonJS package.
  const { Agent, buildConnector } = (await import("undici")).default;
  return new Agent({
    connect: guarded(buildConnector({ timeout: CONNECT_MS_MAX, lookup: guardedLookup(check) }), check),
    connections: CONNECTIONS_PER_ORIGIN_MAX,
    keepAliveTimeout: IDLE_MS_MAX,
    maxHeaderSize: HEADER_BYTES_MAX,
    // The signal of each request bounds all of it.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

/** Addresses in URLs are not looked up: they are checked here. The socket tells what it is connected to. */
function guarded(connect: buildConnector.connector, check: AddressCheck): buildConnector.connector {
  return (options, callback) => {
    const literal = options.hostname.replace(/^\[|\]$/g, "");
    const problem = isIP(literal) === 0 ? null : check(literal);
    if (problem !== null) return queueMicrotask(() => callback(refusal(literal, problem), null));
    connect(options, (...result) => {
      const [error, socket] = result;
      const found = error === null ? checkSocket(socket as Socket, check) : null;
      if (found === null) return callback(...result);
      callback(found, null);
    });
  };
}

function checkSocket(socket: Socket, check: AddressCheck): OutboundFailure | null {
  const problem = check(socket.remoteAddress ?? "");
  if (problem === null) return null;
  socket.destroy();
  return refusal(socket.remoteAddress ?? "a closed connection", problem);
}

/** Resolves a name to those of its addresses that may be called. */
function guardedLookup(check: AddressCheck): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, "");
      const open = addresses.filter(({ address }) => check(address) === null);
      if (open.length === 0) return callback(allRefused(hostname, addresses, check), "");
      if (options.all) callback(null, open);
      else callback(null, open[0].address, open[0].family);
    });
  };
}

function allRefused(hostname: string, addresses: LookupAddress[], check: AddressCheck): OutboundFailure {
  if (addresses.length === 0) return new OutboundFailure("connection", `\`${hostname}\` has no address`);
  const [{ address }] = addresses;
  return refusal(`${address} (\`${hostname}\`)`, check(address) ?? "");
}

function refusal(address: string, problem: string): OutboundFailure {
  const advice = "the option --experimental-allowed-ip-networks can allow it";
  return new OutboundFailure("address", `the address ${address} ${problem}: ${advice}`);
}

function refuseRedirect({ statusCode, headers, body }: Dispatcher.ResponseData): void {
  if (statusCode < 300 || statusCode > 399 || statusCode === 304) return;
  body.on("error", () => {}).destroy();
  const { location } = headers;
  const target = location === undefined ? "elsewhere" : `to \`${withoutSecrets(String(location))}\``;
  throw new OutboundFailure("redirect", `the answer ${statusCode} leads ${target}`);
}

/** By events: an iterator would wait for each piece by a promise. */
function readAll(body: Readable, bytesMax: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const pieces: Uint8Array[] = [];
    let length = 0;
    body.on("data", (piece: Uint8Array) => {
      length += piece.length;
      if (length <= bytesMax) pieces.push(piece);
      else body.destroy(new OutboundFailure("size", `the answer has more than ${bytesMax} bytes`));
    });
    body.on("end", () => resolve(Buffer.concat(pieces, length)));
    body.on("error", reject);
  });
}

function joinedHeaders(headers: Dispatcher.ResponseData["headers"]): Record<string, string> {
  const joined = Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(", ")]);
  return Object.fromEntries(joined);
}

function stopped(reason: "timeout" | "aborted", timeoutMs: number, cause?: unknown): OutboundFailure {
  const message = reason === "timeout" ? `no answer in ${timeoutMs} ms` : "the call was stopped";
  return new OutboundFailure(reason, message, cause);
}

function failureOf(error: unknown): OutboundFailure {
  if (error instanceof OutboundFailure) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "UND_ERR_CONNECT_TIMEOUT")
    return new OutboundFailure("timeout", `no connection in ${CONNECT_MS_MAX} ms`, error);
  // Node gives a text of its own to one address that refuses, and none to several.
  return new OutboundFailure("connection", message || code || String(error), error);
}

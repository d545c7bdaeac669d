// Calls to other servers (webhooks, embedders, remotes, exports), made so that they can do no harm: addresses
// are checked at the moment of connecting, so that no second answer of a name server can come in between;
// redirects are refused; time and size of answers are bounded. Connections are kept and reused. Works in any
// thread; the HTTP library is loaded by the first call.
import { type LookupAddress, lookup } from "node:dns";
import { setMaxListeners } from "node:events";
import { isIP, type LookupFunction, type Socket } from "node:net";
import type { Agent, buildConnector, Dispatcher } from "undici";
import { type AddressCheck, addressCheck } from "./addresses.ts";
import { Exchange, type ExchangeBody, type OutboundAnswer } from "./exchange.ts";
import { OutboundFailure } from "./failure.ts";
import { isHttpUrl, withoutSecrets } from "./urls.ts";

export interface OutboundRequest {
  /** Default: GET. */
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  /** Texts and bytes are sent with their length, a stream in chunks. */
  readonly body?: ExchangeBody;
  /** Time from the call to the end of the answer. Default: 30 seconds. */
  readonly timeoutMs?: number;
  /** Default: 16 MiB. */
  readonly answerBytesMax?: number;
  readonly signal?: AbortSignal;
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
  readonly #running = new Set<Exchange>();
  #isClosed = false;

  /** `allowedNetworks`: the option `experimentalAllowedIpNetworks`. */
  constructor(allowedNetworks: readonly string[]) {
    this.#check = addressCheck(allowedNetworks);
  }

  /** Rejects with an OutboundFailure when there is no answer. */
  async request(url: string | URL, request: OutboundRequest = {}): Promise<OutboundAnswer> {
    const target = targetOf(url);
    const { timeoutMs = REQUEST_MS_DEFAULT, body = null, signal } = request;
    if (this.#isClosed || signal?.aborted) throw aborted();
    const exchange = new Exchange(body, request.answerBytesMax ?? ANSWER_BYTES_DEFAULT);
    const abort = () => exchange.stop(aborted());
    const timer = setTimeout(() => exchange.stop(timedOut(timeoutMs)), timeoutMs);
    // Many calls may share one signal; Node would take that for a leak and warn.
    if (signal) setMaxListeners(0, signal);
    signal?.addEventListener("abort", abort);
    this.#running.add(exchange);
    try {
      this.#agent ??= this.#open();
      // No await if the agent is there: the library then has the request before the caller continues with its
      // own work.
      const agent = this.#agent instanceof Promise ? await this.#agent : this.#agent;
      dispatch(agent, target, request, exchange);
      return await exchange.answer;
    } catch (error) {
      exchange.fail(error);
      const failure = failureOf(error);
      failure.status = exchange.status;
      throw failure;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      this.#running.delete(exchange);
    }
  }

  /** Aborts what is under way, and closes all connections. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const exchange of this.#running) exchange.stop(aborted());
    await (await this.#agent)?.destroy();
  }

  async #open(): Promise<Agent> {
    try {
      const agent = await openAgent(this.#check);
      this.#agent = agent;
      return agent;
    } catch (error) {
      // The next call tries to load it again.
      this.#agent = null;
      throw error;
    }
  }
}

function dispatch(agent: Agent, target: URL, request: OutboundRequest, exchange: Exchange): void {
  const { method = "GET", body = null } = request;
  const headers = { ...credentialsOf(target), ...request.headers };
  agent.dispatch(
    { origin: target.origin, path: target.pathname + target.search, method, headers, body },
    exchange,
  );
}

function targetOf(url: string | URL): URL {
  if (isHttpUrl(url)) return url instanceof URL ? url : new URL(url);
  throw noHttpUrl(url);
}

export const noHttpUrl = (url: string | URL): OutboundFailure =>
  new OutboundFailure("url", `\`${withoutSecrets(url)}\` is no http or https URL`);

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === "" && password === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}

async function openAgent(check: AddressCheck): Promise<Agent> {
  // Through its default export: in a bundle, a CommonJS package has no named ones.
  const { Agent, Client, Pool, buildConnector } = (await import("undici")).default;
  /**
   * A pool considers a connection that refused a request busy until it signals otherwise, which an idle one
   * never does (undici 7.30): after some requests that cannot be sent, the pool would send nothing any more.
   */
  class Connection extends Client {
    override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      const isIdle = this.stats.size === 0;
      const takesMore = super.dispatch(options, handler);
      return takesMore || (isIdle && this.stats.size === 0);
    }
  }
  const openConnection = (origin: URL, options: object) => new Connection(origin, options);
  return new Agent({
    factory: (origin, options) => new Pool(origin, { ...options, factory: openConnection }),
    connect: guarded(buildConnector({ timeout: CONNECT_MS_MAX, lookup: guardedLookup(check) }), check),
    connections: CONNECTIONS_PER_ORIGIN_MAX,
    keepAliveTimeout: IDLE_MS_MAX,
    maxHeaderSize: HEADER_BYTES_MAX,
    // The timer of each request bounds all of it.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

/**
 * Addresses in URLs are not looked up, so they are checked here. The socket tells what it is connected to.
 */
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

const aborted = (): OutboundFailure => new OutboundFailure("aborted", "the call was stopped");

const timedOut = (timeoutMs: number): OutboundFailure =>
  new OutboundFailure("timeout", `no answer in ${timeoutMs} ms`);

/** Codes of the library for requests that cannot be sent, whoever the receiver is. */
const UNSENDABLE: ReadonlySet<string> = new Set([
  "UND_ERR_INVALID_ARG",
  "UND_ERR_NOT_SUPPORTED",
  "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH",
]);

function failureOf(error: unknown): OutboundFailure {
  if (error instanceof OutboundFailure) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "UND_ERR_CONNECT_TIMEOUT")
    return new OutboundFailure("timeout", `no connection in ${CONNECT_MS_MAX} ms`, error);
  if (UNSENDABLE.has(code ?? "")) return new OutboundFailure("request", message, error);
  // When one address refuses, Node gives a message; when several do, it gives none.
  return new OutboundFailure("connection", message || code || String(error), error);
}

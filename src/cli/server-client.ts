// The few calls that commands make to a running server. A server that is away or busy is asked again for a
// while; its refusals are shown in its own words.
import { type Outcome, retried } from "../outbound/retrying.ts";
import { hasCredentials, hasQuery, isHttpUrl, parsedUrl, withoutSecrets } from "../outbound/urls.ts";
import { isSlash, withoutEnd } from "../trimming.ts";
import { UsageError } from "../usageerror.ts";

const RETRY_PAUSE_MS_MIN = 200;
const RETRY_PAUSE_MS_MAX = 5000;
/** After so many a wait is no longer a moment: it is explained. */
const TOLD_TRIES = 3;
/** Answers of a server, or of a proxy in front of it, that is not ready yet. */
const BUSY = [429, 502, 503, 504];

/**
 * A write that the server accepted. Another server may have a task with the same uid, but not with the same
 * date.
 */
export interface AcceptedTask {
  uid: number;
  enqueuedAt: string;
}

interface TaskState {
  status: string;
  enqueuedAt: string;
  /** Why the task failed. */
  message: string;
}

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

/** The server could not be reached, however often it was tried. */
export class ServerAway extends UsageError {}

export class ServerClient {
  /** The address, without a slash at its end. */
  readonly base: string;
  readonly #headers: Record<string, string>;
  readonly #retryMs: number;
  readonly #tell: (remark: string) => void;

  /** `tell`: takes why a call has to wait. */
  constructor(url: string, apiKey: string | null, retrySeconds: number, tell: (remark: string) => void) {
    this.#tell = tell;
    this.base = withoutEnd(addressOf(url), isSlash);
    this.#headers = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
    this.#retryMs = retrySeconds * 1000;
  }

  /** Sends lines of documents. */
  async addDocuments(
    target: { method: "POST" | "PUT"; path: string },
    lines: Uint8Array<ArrayBuffer>,
  ): Promise<AcceptedTask> {
    const headers = { ...this.#headers, "content-type": "application/x-ndjson" };
    const answer = await this.#ask(target.path, { method: target.method, headers, body: lines });
    const { taskUid: uid, enqueuedAt } = answer.body;
    if (answer.status !== 202 || typeof uid !== "number" || typeof enqueuedAt !== "string")
      throw this.#refused(answer);
    return { uid, enqueuedAt };
  }

  /** Null if the server has no such task, or no longer: ended tasks may be deleted. */
  async task(uid: number): Promise<TaskState | null> {
    const answer = await this.#ask(`/tasks/${uid}`, { headers: this.#headers });
    const { status, enqueuedAt, error, code } = answer.body;
    if (answer.status === 404 && code === "task_not_found") return null;
    if (answer.status !== 200 || typeof status !== "string") throw this.#refused(answer);
    return { status, enqueuedAt: String(enqueuedAt), message: messageOf(error) };
  }

  /** Whether any task matches the filter, even one that the key may not see. */
  async hasTask(filter: Record<string, string>): Promise<boolean> {
    const query = new URLSearchParams({ ...filter, limit: "1" });
    const answer = await this.#ask(`/tasks?${query}`, { headers: this.#headers });
    const { total } = answer.body;
    if (answer.status !== 200 || typeof total !== "number") throw this.#refused(answer);
    return total > 0;
  }

  async #ask(path: string, request: RequestInit): Promise<Answer> {
    const deadline = performance.now() + this.#retryMs;
    const attempt = async (): Promise<Outcome<Answer, Answer | Error>> => {
      const answer = await this.#askOnce(path, request);
      const hopeless = answer instanceof Error ? hopelessness(this.base, answer) : null;
      if (hopeless !== null) throw new UsageError(hopeless, 1);
      const isReady = !(answer instanceof Error) && !BUSY.includes(answer.status);
      return isReady ? { result: answer } : { failure: answer };
    };
    const waitMs = (answer: Answer | Error, tries: number) => {
      const wait = Math.min(RETRY_PAUSE_MS_MIN * 2 ** (tries - 1), RETRY_PAUSE_MS_MAX);
      if (performance.now() + wait > deadline) return null;
      const reason = answer instanceof Error ? answer.message : `it answers ${answer.status}`;
      if (tries === TOLD_TRIES)
        this.#tell(`${this.base}: ${reason}; trying again for ${this.#retryMs / 1000} s`);
      return wait;
    };
    const outcome = await retried(attempt, waitMs);
    const answer = "result" in outcome ? outcome.result : outcome.failure;
    if (!(answer instanceof Error)) return answer;
    throw new ServerAway(`${this.base} cannot be reached: ${answer.message}`, 1);
  }

  async #askOnce(path: string, request: RequestInit): Promise<Answer | Error> {
    try {
      const response = await fetch(this.base + path, request);
      return { status: response.status, body: parseObject(await response.text()) };
    } catch (error) {
      // fetch hides the reason, such as ECONNREFUSED, in the cause.
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
      const message = cause instanceof Error ? cause.message || code : String(cause);
      return Object.assign(new Error(message), { code });
    }
  }

  #refused({ status, body }: Answer): UsageError {
    const reason = messageOf(body) || "no explanation";
    // The bound may be that of a proxy, which is often far below the server's. A document is never cut.
    const advice = status === 413 ? " (too much at once: a smaller --chunk-size may help)" : "";
    return new UsageError(`${this.base} answers ${status}: ${reason}${advice}`, 1);
  }
}

/** @throws UsageError for what `fetch` would never send anything to, however often it is tried */
function addressOf(url: string): string {
  const address = SCHEME.test(url) ? url : `http://${url}`;
  const shown = withoutSecrets(url);
  if (parsedUrl(address) === null) throw new UsageError(`--url ${shown} is no address`);
  if (!isHttpUrl(address)) throw new UsageError(`--url ${shown}: expected an http or https URL`);
  if (hasCredentials(address))
    throw new UsageError("--url takes no user or password: give a key with --api-key");
  if (hasQuery(address)) throw new UsageError(`--url ${shown}: expected no query or fragment`);
  return address;
}

/** What names a scheme; `localhost:7700` does not. */
const SCHEME = /^(?:[a-z][a-z0-9+.-]*:\/\/|https?:)/i;

/** Codes of certificates that will not be trusted in a moment either. */
const UNTRUSTED =
  /^(?:UNABLE_TO_(?:VERIFY|GET)_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|ERR_TLS_CERT_|UNKNOWN_CERTIFICATE)/;
/** What OpenSSL makes, by its version, of an answer that is not TLS. */
const NOT_TLS = /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/;
/** What `fetch` says of the ports of other protocols, to which it sends nothing. */
const BAD_PORT = "bad port";

/** Why no further try can help; null: one may. */
function hopelessness(base: string, { code, message }: NodeJS.ErrnoException): string | null {
  if (code && UNTRUSTED.test(code)) {
    const advice =
      "the variable NODE_EXTRA_CA_CERTS can name the file of an authority that is not known here";
    return `the certificate of ${base} is not trusted: ${message}; ${advice}`;
  }
  if (code && NOT_TLS.test(code)) return `${base} does not answer in TLS: its URL may begin with http://`;
  return message === BAD_PORT
    ? `${base}: nothing can be sent to this port, which is another protocol's`
    : null;
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function messageOf(value: unknown): string {
  return typeof value === "object" && value !== null && "message" in value ? String(value.message) : "";
}

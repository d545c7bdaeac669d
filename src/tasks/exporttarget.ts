// The other end of an export: an instance reached over HTTP. A request that fails for a reason that may pass
// is repeated a few times, so that a restart of the target does not end the export; after that the caller
// decides how to wait. Called by exports.ts.
import { TarsierError } from "../errors.ts";
import { noHttpUrl, type OutboundClient, type OutboundRequest } from "../outbound/client.ts";
import type { OutboundAnswer } from "../outbound/exchange.ts";
import { OutboundFailure, type OutboundReason } from "../outbound/failure.ts";
import { type Outcome, retried } from "../outbound/retrying.ts";
import { isHttpUrl } from "../outbound/urls.ts";
import { isSlash, withoutEnd } from "../trimming.ts";

const REQUEST_MS_MAX = 5_000;
const FIRST_PAUSE_MS = 500;
const PAUSE_GROWTH = 1.5;
const ANSWER_LETTERS_MAX = 300;

const PASSING_STATUSES = [408, 429, 500, 502, 503, 504];
const PASSING_REASONS: OutboundReason[] = ["connection", "timeout"];

/** The target fails in a way that may pass; `refusal` is the error of the task if it gives up. */
export class TargetAway extends Error {
  readonly refusal: TarsierError;

  constructor(refusal: TarsierError) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

export class ExportTarget {
  readonly #client: OutboundClient;
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #signal: AbortSignal;
  readonly #retryMsMax: number;

  /** `retryMsMax`: bound for all attempts of one request, including pauses. */
  constructor(
    client: OutboundClient,
    url: string,
    apiKey: string | null,
    signal: AbortSignal,
    retryMsMax: number,
  ) {
    this.#retryMsMax = retryMsMax;
    this.#client = client;
    this.#url = withoutEnd(url, isSlash);
    this.#headers = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
    this.#signal = signal;
  }

  async hasIndex(uid: string): Promise<boolean> {
    const path = `/indexes/${uid}`;
    const answer = await this.#request("GET", path, {});
    if (answer.status < 300) return true;
    if (refusalIn(answer).code === "index_not_found") return false;
    throw this.#refused("GET", path, answer);
  }

  async sendJson(method: "POST" | "PATCH", path: string, value: unknown): Promise<void> {
    const headers = { "content-type": "application/json" };
    await this.send(method, path, { body: JSON.stringify(value), headers });
  }

  /** @throws TarsierError `internal` when the target refuses it; TargetAway when it cannot be reached */
  async send(method: "POST" | "PATCH", path: string, request: OutboundRequest): Promise<void> {
    const answer = await this.#request(method, path, request);
    if (answer.status >= 300) throw this.#refused(method, path, answer);
  }

  /** Returns the answer to the last attempt. */
  async #request(
    method: "GET" | "POST" | "PATCH",
    path: string,
    request: OutboundRequest,
  ): Promise<OutboundAnswer> {
    const headers = { ...this.#headers, ...request.headers };
    const whole = { timeoutMs: REQUEST_MS_MAX, ...request, method, headers, signal: this.#signal };
    // Appending the path could make a URL out of something that is none: in `http://`, `indexes` would become
    // the host.
    if (!isHttpUrl(this.#url)) throw this.#unreached(method, path, noHttpUrl(this.#url));
    const giveUpAt = performance.now() + this.#retryMsMax;
    const attempt = async (): Promise<Outcome<OutboundAnswer, TarsierError>> => {
      this.#stopWhenAborted();
      const answer = await this.#client.request(this.#url + path, whole).catch(failureOnly);
      if (answer instanceof OutboundFailure) {
        this.#stopWhenAborted();
        const refusal = this.#unreached(method, path, answer);
        if (!PASSING_REASONS.includes(answer.reason)) throw refusal;
        return { failure: refusal };
      }
      if (PASSING_STATUSES.includes(answer.status)) return { failure: this.#refused(method, path, answer) };
      return { result: answer };
    };
    const waitMs = (_: TarsierError, tries: number) => {
      const pause = FIRST_PAUSE_MS * PAUSE_GROWTH ** (tries - 1);
      return performance.now() + pause > giveUpAt ? null : pause;
    };
    const outcome = await retried(attempt, waitMs, this.#signal);
    if ("result" in outcome) return outcome.result;
    this.#stopWhenAborted();
    throw new TargetAway(outcome.failure);
  }

  #stopWhenAborted(): void {
    if (this.#signal.aborted) throw new TarsierError("aborted");
  }

  #unreached(method: string, path: string, { message }: OutboundFailure): TarsierError {
    return new TarsierError("internal", { message: `${method} ${this.#url}${path}: ${message}` });
  }

  #refused(method: string, path: string, answer: OutboundAnswer): TarsierError {
    const { code, message } = refusalIn(answer);
    const found = `${method} ${this.#url}${path}: the target answered ${answer.status}`;
    return new TarsierError("internal", { message: `${found} ${code}: ${message}` });
  }
}

function failureOnly(error: unknown): OutboundFailure {
  if (error instanceof OutboundFailure) return error;
  throw error;
}

/** The reason that an answer gives, as far as it can be read. */
function refusalIn({ body }: OutboundAnswer): { code: string; message: string } {
  const text = Buffer.from(body).toString();
  try {
    const { code, message } = JSON.parse(text) as Record<string, unknown>;
    if (typeof code === "string") return { code, message: String(message) };
  } catch {
    // Not JSON: the text itself says more.
  }
  return { code: "without a code", message: text.slice(0, ANSWER_LETTERS_MAX) };
}

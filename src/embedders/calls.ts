// One call of a provider, with its repetitions: which answers are worth another attempt, how long to wait for
// it, and what the message says when there is none. Called by rest.ts.
import { TarsierError } from "../errors.ts";
import type { OutboundClient } from "../outbound/client.ts";
import type { OutboundAnswer } from "../outbound/exchange.ts";
import { OutboundFailure, type OutboundReason } from "../outbound/failure.ts";
import { type Outcome, retried } from "../outbound/retrying.ts";
import { withoutSecrets } from "../outbound/urls.ts";
import type { CallStatistics } from "./embedder.ts";
import { AnswerMistake } from "./extraction.ts";
import { embeddingError, type Fault } from "./faults.ts";
import type { Lane } from "./lane.ts";

export interface Call<Result> {
  embedder: string;
  client: Pick<OutboundClient, "request">;
  lane: Lane;
  url: string;
  headers: Record<string, string>;
  body: string;
  /** For one attempt. */
  timeoutMs: number;
  /** Longest pause before one repetition. */
  waitMsMax: number;
  /** When the answer becomes useless, by performance.now(). Null: never. */
  deadline: number | null;
  /** Bound of an answer. */
  answerBytesMax: number;
  /** Status -> advice that is added to its message. */
  hints: Readonly<Record<number, string>>;
  signal?: AbortSignal;
  statistics?: CallStatistics;
  /** Takes what is wanted from the JSON of an answer. Throws an AnswerMistake if it is not there. */
  read: (json: unknown) => Result;
}

/** An attempt without a result. */
interface Failure {
  status: number | null;
  fault: Fault;
  message: string;
  /** Null: another attempt would fail, too. */
  retry: "soon" | "limited" | null;
  /** The pause that the provider asks for. */
  retryAfterMs: number;
}

/** A call without a result; `answerStatus` lets the caller try something smaller. */
export class CallFailure extends TarsierError {
  readonly answerStatus: number | null;

  constructor(error: TarsierError, answerStatus: number | null) {
    super(error.code, { message: error.message });
    this.answerStatus = answerStatus;
  }
}

/** Whether the provider refuses what it was sent: less of it may pass. */
export function isRefusal(error: unknown): error is CallFailure {
  return error instanceof CallFailure && REFUSALS.includes(error.answerStatus ?? 0);
}

/** The result of `read`. Rejects with a CallFailure, or with the reason of the signal. */
export async function callProvider<Result>(call: Call<Result>): Promise<Result> {
  const { signal } = call;
  let attempts = 0;
  let told: Failure | null = null;
  signal?.throwIfAborted();
  const attempt = async (): Promise<Outcome<Result, Failure>> => {
    // The pause has ended late.
    if (told !== null && isLate(call)) return { failure: told };
    attempts++;
    return attemptOnce(call);
  };
  const waitMs = (failure: Failure) => {
    // A failure because time is up says less than one before it.
    if (told === null || !isLate(call)) told = failure;
    if (failure.retry === null || attempts > RETRIES_MAX || isLate(call)) return null;
    return waitBefore(failure, attempts - 1, { waitMsMax: call.waitMsMax, leftMs: leftMs(call) });
  };
  const outcome = await retried(attempt, waitMs, signal);
  if ("result" in outcome) return outcome.result;
  signal?.throwIfAborted();
  const { fault, message, status } = told ?? outcome.failure;
  const after = attempts === 1 ? "" : ` (after ${attempts} attempts)`;
  throw new CallFailure(embeddingError(call.embedder, fault, message + after), status);
}

/**
 * Longer each time, with a random part so that calls do not fall into step, and within the time left. Not
 * shorter than the provider asks for, unless there is no time for that: an attempt may still pass, while
 * giving up cannot.
 */
export function waitBefore(
  { retry, retryAfterMs }: Pick<Failure, "retry" | "retryAfterMs">,
  attempt: number,
  { waitMsMax, leftMs }: { waitMsMax: number; leftMs: number },
): number {
  const growing = 10 ** attempt + (retry === "limited" ? LIMITED_WAIT_MS : 0);
  const jittered = Math.min(growing, waitMsMax, leftMs) * (1 - Math.random() / 2);
  const asked = Math.min(retryAfterMs, waitMsMax);
  return asked < leftMs ? Math.max(jittered, asked) : jittered;
}

const RETRIES_MAX = 10;
/** Bad request, too large, unprocessable. */
const REFUSALS = [400, 413, 422];
const QUOTED_CHARS_MAX = 500;
const LIMITED_WAIT_MS = 100;
/** Timers have no finer unit, and may fire early by less than this. */
const TIMER_MS = 1;

/** Failures that another attempt would only repeat. */
const LASTING: readonly OutboundReason[] = ["url", "request", "address", "size"];
const TRANSIENT = { fault: "runtime", retry: "soon" } as const;
/** The fault of the provider, or of something in front of it for a while. */
const UNCLEAR = { fault: "unknown", retry: "soon" } as const;
const FINAL = { fault: "runtime", retry: null } as const;
const FINAL_OF_USER = { fault: "user", retry: null } as const;

/** Infinity without a deadline. */
const leftMs = ({ deadline }: Call<unknown>): number =>
  deadline === null ? Number.POSITIVE_INFINITY : deadline - performance.now();

const isLate = (call: Call<unknown>): boolean => leftMs(call) < TIMER_MS;

async function attemptOnce<Result>(call: Call<Result>): Promise<Outcome<Result, Failure>> {
  const { statistics } = call;
  const release = await call.lane.enter(call.deadline !== null, call.signal);
  if (statistics) statistics.total++;
  try {
    const outcome = outcomeOf(call, await send(call));
    const failure = "failure" in outcome ? outcome.failure : null;
    if (failure?.retry === "limited") call.lane.narrow(Math.min(failure.retryAfterMs, call.waitMsMax));
    else call.lane.widen();
    if (statistics && failure) recordFailure(statistics, failure.message);
    return outcome;
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error;
    // A call that was stopped because another one failed says nothing about the provider.
    if (statistics && error.reason !== "aborted") recordFailure(statistics, error.message);
    return { failure: failureOf(call, error) };
  } finally {
    release();
  }
}

function failureOf({ url }: Call<unknown>, error: OutboundFailure): Failure {
  const server = `\`${withoutSecrets(url)}\``;
  const rest = { status: null, retryAfterMs: 0 };
  if (error.reason === "redirect")
    return { ...rest, ...UNCLEAR, message: `${server} gave no answer of its own: ${error.message}` };
  const message = `could not reach the embedding server at ${server}: ${error.message}`;
  return { ...rest, ...(LASTING.includes(error.reason) ? FINAL_OF_USER : TRANSIENT), message };
}

function send(call: Call<unknown>): Promise<OutboundAnswer> {
  return call.client.request(call.url, {
    method: "POST",
    headers: call.headers,
    body: call.body,
    timeoutMs: Math.max(1, Math.ceil(Math.min(call.timeoutMs, leftMs(call)))),
    answerBytesMax: call.answerBytesMax,
    signal: call.signal,
  });
}

function outcomeOf<Result>(
  call: Call<Result>,
  { status, headers, body }: OutboundAnswer,
): Outcome<Result, Failure> {
  const text = new TextDecoder().decode(body);
  if (status >= 200 && status < 300) return outcomeOfGood(call, status, text);
  const hint = call.hints[status] === undefined ? "" : `. ${call.hints[status]}`;
  const said = quoted(withoutHeaders(text, call.headers));
  const message = `\`${withoutSecrets(call.url)}\` answered with status ${status}: ${said}${hint}`;
  const retryAfterMs = retryAfter(headers["retry-after"]);
  return { failure: { status, message, ...classOf(status), retryAfterMs } };
}

function outcomeOfGood<Result>(call: Call<Result>, status: number, text: string): Outcome<Result, Failure> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // Our own message: that of the parser would quote a part of the text without masking secrets.
    const message = `the answer is no JSON: ${quoted(withoutHeaders(text, call.headers))}`;
    return { failure: { status, message, ...TRANSIENT, retryAfterMs: 0 } };
  }
  try {
    return { result: call.read(json) };
  } catch (error) {
    if (!(error instanceof AnswerMistake)) throw error;
    return { failure: { status, message: error.message, ...FINAL, retryAfterMs: 0 } };
  }
}

/** Masks the headers in an answer: some servers repeat what they were sent, and headers hold keys. */
export function withoutHeaders(text: string, headers: Call<unknown>["headers"]): string {
  const secrets = Object.values(headers).map((value) => value.replace(/^(bearer|basic|token) +/i, ""));
  const long = secrets.filter((secret) => secret.length >= SECRET_CHARS_MIN && !OPEN_VALUES.has(secret));
  return long.reduce((left, secret) => left.replaceAll(secret, "..."), text);
}

/** Shorter values may be ordinary words of the answer. */
const SECRET_CHARS_MIN = 8;
const OPEN_VALUES = new Set(["application/json"]);

function classOf(status: number): Pick<Failure, "fault" | "retry"> {
  if (status === 400 || status === 401) return FINAL_OF_USER;
  if (status === 429) return { fault: "runtime", retry: "limited" };
  if (status >= 400 && status < 500) return { fault: "unknown", retry: null };
  return status >= 500 ? TRANSIENT : UNCLEAR;
}

/** The header has seconds, or a date. */
function retryAfter(value: string | undefined): number {
  if (value === undefined) return 0;
  const seconds = Number(value);
  const waitMs = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - Date.now();
  return waitMs > 0 ? waitMs : 0;
}

function recordFailure(statistics: CallStatistics, message: string): void {
  statistics.failed++;
  statistics.lastError = message;
}

function quoted(text: string): string {
  const cut = text.length > QUOTED_CHARS_MAX ? `${text.slice(0, QUOTED_CHARS_MAX)}...` : text;
  return cut.trim() === "" ? "an empty body" : `\`${cut}\``;
}

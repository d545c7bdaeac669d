// A call to another server of the network whose answer becomes part of this one's: repeated where that may
// help, until the deadline. A failure is an outcome, too: the parts of the other servers are shown all the
// same. Called by remotepart.ts, remotelist.ts and facetsearch.ts, among others.
import { type ErrorObject, TarsierError } from "../errors.ts";
import type { OutboundClient } from "../outbound/client.ts";
import type { OutboundAnswer } from "../outbound/exchange.ts";
import { OutboundFailure } from "../outbound/failure.ts";
import { type Outcome, retried } from "../outbound/retrying.ts";
import type { Remote } from "../schemas/network.ts";
import { JsonExcess } from "../schemas/slicedjson.ts";
import { quoted, remoteUrl } from "./remoterequest.ts";

const TRIES_MAX = 4;
const WAIT_MS_FIRST = 50;
const WAIT_MS_MAX = 200;
const ANSWER_BYTES_MAX = 256 * 2 ** 20;

export interface RemoteTarget {
  name: string;
  remote: Remote;
}

export interface RemoteCall {
  outbound: OutboundClient;
  /** For all attempts together. */
  timeoutMs: number;
  signal: AbortSignal;
}

interface RemotePost {
  path: string;
  body: unknown;
  /** Used instead of the key for searches. */
  apiKey?: string | null;
  headers?: Record<string, string>;
}

/** Outcome of a call. */
export interface Asked<T> {
  name: string;
  answer: T | null;
  error: ErrorObject | null;
}

/** `read`: makes the result from the answer, or throws. Throws a TarsierError of a `proxy_*` code. */
export async function callRemote<T>(
  { name, remote }: RemoteTarget,
  post: RemotePost,
  read: (answer: Buffer) => Promise<T>,
  { outbound, timeoutMs, signal }: RemoteCall,
): Promise<T> {
  const url = remoteUrl(remote, post.path);
  const { apiKey = remote.searchApiKey } = post;
  const headers = {
    "content-type": "application/json",
    ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
    ...post.headers,
  };
  const body = JSON.stringify(post.body);
  const end = performance.now() + timeoutMs;
  const attempt = async (): Promise<Outcome<T, Failure>> => {
    try {
      const leftMs = Math.max(1, Math.ceil(end - performance.now()));
      const options = { timeoutMs: leftMs, answerBytesMax: ANSWER_BYTES_MAX, signal };
      const answer = await outbound.request(url, { method: "POST", headers, body, ...options });
      return { result: await understood(name, read, bodyOfAnswer(name, apiKey, answer)) };
    } catch (error) {
      return { failure: { refusal: refusalOf(name, error), error } };
    }
  };
  const waitMs = ({ refusal, error }: Failure, tries: number) => {
    const wait = Math.min(WAIT_MS_MAX, WAIT_MS_FIRST * tries);
    const isLate = performance.now() + wait >= end;
    return tries === TRIES_MAX || isLate || !isWorthATry(refusal, error) ? null : wait;
  };
  const outcome = await retried(attempt, waitMs, signal);
  if ("failure" in outcome) throw outcome.failure.refusal;
  return outcome.result;
}

interface Failure {
  refusal: TarsierError;
  /** The error that the refusal was made from. */
  error: unknown;
}

/** Awaits a call and turns its success or failure into an outcome. */
export async function asked<T>(name: string, call: Promise<T>): Promise<Asked<T>> {
  try {
    return { name, answer: await call, error: null };
  } catch (error) {
    const refusal =
      error instanceof TarsierError
        ? error
        : new TarsierError("proxy_could_not_send_request", { remote: name, reason: "error sending request" });
    return { name, answer: null, error: refusal.toObject() };
  }
}

function bodyOfAnswer(name: string, apiKey: string | null, { status, body }: OutboundAnswer): Buffer {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (status >= 200 && status < 300) return bytes;
  if (status === 401 || status === 403) throw new TarsierError("proxy_invalid_api_key", { remote: name });
  const reason = `status ${status}: ${quoted(bytes.toString(), apiKey)}`;
  throw new TarsierError(status < 500 ? "proxy_bad_request" : "proxy_remote_error", { remote: name, reason });
}

async function understood<T>(
  remote: string,
  read: (answer: Buffer) => Promise<T>,
  answer: Buffer,
): Promise<T> {
  try {
    return await read(answer);
  } catch (error) {
    const isTold = error instanceof TarsierError || error instanceof JsonExcess;
    const reason = isTold ? error.message : "this is not valid JSON";
    throw new TarsierError("proxy_bad_response", { remote, reason }, undefined, { cause: error });
  }
}

/** Shows no addresses: whoever searches need not know the network. */
function refusalOf(remote: string, error: unknown): TarsierError {
  if (error instanceof TarsierError) return error;
  if (!(error instanceof OutboundFailure)) throw error;
  if (error.reason === "timeout") return new TarsierError("proxy_timeout", { remote });
  if (error.reason === "size") {
    const reason = `it is longer than ${ANSWER_BYTES_MAX} bytes`;
    return new TarsierError("proxy_bad_response", { remote, reason });
  }
  if (error.reason === "redirect")
    return new TarsierError("proxy_bad_response", { remote, reason: "it is a redirect" });
  const reason =
    error.reason === "address"
      ? "its address is a private one, which the option --experimental-allowed-ip-networks does not allow"
      : "error sending request";
  return new TarsierError("proxy_could_not_send_request", { remote, reason });
}

const WORTH_A_TRY: ReadonlySet<string> = new Set([
  "proxy_could_not_send_request",
  "proxy_remote_error",
  "proxy_bad_response",
]);

/** A failure that will be the same in a moment is not tried again. */
function isWorthATry({ code, cause }: TarsierError, error: unknown): boolean {
  if (cause instanceof JsonExcess) return false;
  if (error instanceof OutboundFailure && error.reason !== "connection") return false;
  return WORTH_A_TRY.has(code);
}

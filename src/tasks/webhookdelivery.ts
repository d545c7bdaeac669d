// Tells the webhooks of finished tasks: one call for each webhook and batch, the tasks as NDJSON, gzipped.
// Runs beside everything else: whoever does not answer, or cannot keep up, delays only itself and is logged.
// Opened by src/node.ts.
import { setMaxListeners } from "node:events";
import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { messageOf } from "../errors.ts";
import type { OutboundClient } from "../outbound/client.ts";
import { OutboundFailure } from "../outbound/failure.ts";
import { type Outcome, retried } from "../outbound/retrying.ts";
import type { Task } from "./task.ts";
import { viewTask } from "./views.ts";
import type { Webhook } from "./webhooks.ts";

export interface DeliveryParts {
  /** The webhooks of this moment. */
  webhooks(): readonly Webhook[];
  client: Pick<OutboundClient, "request">;
  /** What was not delivered, and why. */
  onLoss(webhook: Webhook, problem: string): void;
  onDelivery?(webhook: Webhook): void;
  /** Waits between the tries of one call. Default: RETRY_MS. */
  retryMs?: readonly number[];
  /** Bytes of calls that may wait for one webhook. Default: QUEUE_BYTES_MAX. */
  queueBytesMax?: number;
}

/** One try, from the connection to the end of the answer. */
const TRY_MS_MAX = 30_000;
/** Waits after the first, the second and the third try that failed; there is no fifth. */
const RETRY_MS = [1_000, 5_000, 30_000];
/** Compressed; a webhook that is that far behind loses what comes next. */
const QUEUE_BYTES_MAX = 32 * 2 ** 20;
/** Tasks turned into text in one go, between other work. */
const SLICE_TASKS = 500;
/** The answer means nothing, but a connection is used again only when it was read to its end. */
const ANSWER_BYTES_MAX = 2 ** 20;
/** Headers that only the call itself knows. */
const OWN_HEADERS = new Set([
  ...["connection", "content-length", "expect", "host", "keep-alive"],
  ...["te", "trailer", "transfer-encoding", "upgrade"],
]);

/** Calls that wait for one webhook, in the order of their batches. */
interface Queue {
  bytes: number;
  last: Promise<void>;
}

export class WebhookDelivery {
  readonly #parts: DeliveryParts;
  readonly #queues = new Map<string, Queue>();
  readonly #closing = new AbortController();
  /** Batches become texts in their order. */
  #writing: Promise<void> = Promise.resolve();

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
    // Every webhook that is called or waited for listens; node takes more than ten for a leak, and prints it.
    setMaxListeners(0, this.#closing.signal);
  }

  /** Takes the tasks of a batch that ended; never waits, never throws. */
  send(tasks: readonly Task[]): void {
    const webhooks = this.#parts.webhooks();
    if (webhooks.length === 0 || tasks.length === 0 || this.#closing.signal.aborted) return;
    this.#writing = this.#writing.then(() => this.#write(tasks, webhooks));
  }

  /** Fulfilled when nothing waits to be sent. */
  async idle(): Promise<void> {
    await this.#writing;
    await Promise.all([...this.#queues.values()].map(({ last }) => last));
  }

  /** Gives up what waits. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.idle();
  }

  /** Never throws: the batches behind would wait for ever. */
  async #write(tasks: readonly Task[], webhooks: readonly Webhook[]): Promise<void> {
    try {
      const body = await compressedLines(tasks);
      for (const webhook of webhooks) this.#enqueue(webhook, body);
    } catch (error) {
      for (const webhook of webhooks) this.#parts.onLoss(webhook, messageOf(error));
    }
  }

  #enqueue(webhook: Webhook, body: Uint8Array): void {
    const { queueBytesMax = QUEUE_BYTES_MAX, onLoss } = this.#parts;
    const queue = this.#queues.get(webhook.uuid) ?? { bytes: 0, last: Promise.resolve() };
    if (queue.bytes > 0 && queue.bytes + body.length > queueBytesMax) {
      onLoss(webhook, `more than ${queueBytesMax} bytes wait already`);
      return;
    }
    this.#queues.set(webhook.uuid, queue);
    queue.bytes += body.length;
    queue.last = queue.last.then(async () => {
      await this.#deliver(webhook, body);
      queue.bytes -= body.length;
      if (queue.bytes === 0) this.#queues.delete(webhook.uuid);
    });
  }

  async #deliver(webhook: Webhook, body: Uint8Array): Promise<void> {
    const { retryMs = RETRY_MS, onLoss } = this.#parts;
    const { signal } = this.#closing;
    if (signal.aborted) return;
    const waitMs = ({ mayPass }: Problem, tries: number) => (mayPass ? (retryMs[tries - 1] ?? null) : null);
    const outcome = await retried(() => this.#try(webhook, body), waitMs, signal);
    if ("result" in outcome) this.#parts.onDelivery?.(webhook);
    else if (!(signal.aborted && outcome.failure.mayPass)) onLoss(webhook, outcome.failure.text);
  }

  /** The result: somebody took it. */
  async #try(webhook: Webhook, body: Uint8Array): Promise<Outcome<true, Problem>> {
    try {
      const { status } = await this.#parts.client.request(webhook.url, {
        method: "POST",
        headers: headersOf(webhook),
        // A stream is sent in chunks, as receivers of the peer know it.
        body: Readable.from([body]),
        timeoutMs: TRY_MS_MAX,
        answerBytesMax: ANSWER_BYTES_MAX,
        signal: this.#closing.signal,
      });
      if (status < 400) return { result: true };
      const mayPass = status === 429 || status >= 500;
      return { failure: { text: `the answer has the status ${status}`, mayPass } };
    } catch (error) {
      const reason = error instanceof OutboundFailure ? error.reason : null;
      // An answer too long to be read is one.
      if (reason === "size") return { result: true };
      const mayPass = reason === "connection" || reason === "timeout";
      return { failure: { text: messageOf(error), mayPass } };
    }
  }
}

interface Problem {
  text: string;
  /** Trying again may help. */
  mayPass: boolean;
}

const HEADERS = {
  "content-type": "application/x-ndjson",
  "content-encoding": "gzip",
  "accept-encoding": "gzip",
};

/** Ours, unless the webhook has its own of that name. */
function headersOf({ headers }: Webhook): Record<string, string> {
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return { ...HEADERS, ...Object.fromEntries(given.filter(([name]) => !OWN_HEADERS.has(name))) };
}

async function compressedLines(tasks: readonly Task[]): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  for await (const piece of Readable.from(linesOf(tasks)).pipe(createGzip())) pieces.push(piece);
  return Buffer.concat(pieces);
}

function* linesOf(tasks: readonly Task[]): Generator<string> {
  for (let start = 0; start < tasks.length; start += SLICE_TASKS) {
    const views = tasks.slice(start, start + SLICE_TASKS).map(viewTask);
    yield views.map((view) => `${JSON.stringify(view)}\n`).join("");
  }
}

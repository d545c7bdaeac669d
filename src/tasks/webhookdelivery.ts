// Tells the webhooks of finished tasks: one call per webhook and batch, with the tasks as gzipped NDJSON.
// Runs beside everything else: a receiver that does not answer or cannot keep up delays only itself, and is
// logged. Opened by src/node.ts.
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { messageOf } from "../errors.ts";
import type { OutboundClient } from "../outbound/client.ts";
import { OutboundFailure } from "../outbound/failure.ts";
import { type Outcome, retried } from "../outbound/retrying.ts";
import type { Task } from "./task.ts";
import { viewTask } from "./views.ts";
import type { Webhook } from "./webhooks.ts";

export interface DeliveryParts {
  /** The webhooks as they are at this moment. */
  webhooks(): readonly Webhook[];
  client: Pick<OutboundClient, "request">;
  /** Called with what was not delivered, and why. */
  onLoss(webhook: Webhook, problem: string): void;
  onDelivery?(webhook: Webhook): void;
  /** Pauses between the attempts of one call. Default: RETRY_MS. */
  retryMs?: readonly number[];
  /** Bytes of calls that may wait for one webhook. Default: QUEUE_BYTES_MAX. */
  queueBytesMax?: number;
}

/** Time for one attempt, from the connection to the end of the answer. */
const TRY_MS_MAX = 30_000;
/** Pauses after the first, second and third failed attempt; there is no fifth. */
const RETRY_MS = [1_000, 5_000, 30_000];
/** Compressed bytes. A webhook that is this far behind loses what comes next. */
const QUEUE_BYTES_MAX = 32 * 2 ** 20;
/** Text that is compressed in one go, between other work; a single task may be longer. */
const SLICE_LEN_MIN = 64 * 1024;
/** The answer is ignored, but read to its end: otherwise its connection could not be reused. */
const ANSWER_BYTES_MAX = 2 ** 20;
/** Headers that webhooks cannot set: they belong to the call itself. */
const OWN_HEADERS = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Calls that wait for one webhook, in the order of their batches. */
interface Queue {
  bytes: number;
  last: Promise<void>;
  /** Aborts the call under way, or the pause before its next attempt. */
  stop: AbortController;
}

export class WebhookDelivery {
  readonly #parts: DeliveryParts;
  readonly #queues = new Map<string, Queue>();
  #isClosing = false;
  /** Batches are turned into texts one after the other. */
  #writing: Promise<void> = Promise.resolve();

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  /** Takes the tasks of a batch that ended, at least one; never waits or throws. */
  send(tasks: Iterable<Task>): void {
    const webhooks = this.#parts.webhooks();
    if (webhooks.length === 0 || this.#isClosing) return;
    this.#writing = this.#writing.then(() => this.#write(tasks, webhooks));
  }

  /** Fulfilled when nothing waits to be sent. */
  async idle(): Promise<void> {
    await this.#writing;
    await Promise.all([...this.#queues.values()].map(({ last }) => last));
  }

  /** A webhook was changed or deleted: calls that wait for it go to its new address, or nowhere. */
  follow(uuid: string): void {
    this.#queues.get(uuid)?.stop.abort();
  }

  /** Gives up calls that wait. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const { stop } of this.#queues.values()) stop.abort();
    await this.idle();
  }

  /** Never throws, or the batches behind it would wait forever. */
  async #write(tasks: Iterable<Task>, webhooks: readonly Webhook[]): Promise<void> {
    try {
      const body = await compressedLines(tasks);
      for (const webhook of webhooks) this.#enqueue(webhook, body);
    } catch (error) {
      for (const webhook of webhooks) this.#parts.onLoss(webhook, messageOf(error));
    }
  }

  #enqueue(webhook: Webhook, body: Uint8Array): void {
    const { queueBytesMax = QUEUE_BYTES_MAX, onLoss } = this.#parts;
    const queue = this.#queues.get(webhook.uuid) ?? newQueue();
    if (queue.bytes > 0 && queue.bytes + body.length > queueBytesMax) {
      onLoss(webhook, `more than ${queueBytesMax} bytes wait already`);
      return;
    }
    this.#queues.set(webhook.uuid, queue);
    queue.bytes += body.length;
    queue.last = queue.last.then(async () => {
      while (!(await this.#deliver(webhook.uuid, body, queue)));
      queue.bytes -= body.length;
      if (queue.bytes === 0) this.#queues.delete(webhook.uuid);
    });
  }

  /**
   * Calls the webhook as it is now. False when stopped, because the webhook has changed or the server closes.
   */
  async #deliver(uuid: string, body: Uint8Array, queue: Queue): Promise<boolean> {
    const { retryMs = RETRY_MS, onLoss, webhooks } = this.#parts;
    const webhook = webhooks().find((each) => each.uuid === uuid);
    if (webhook === undefined) return true;
    if (this.#isClosing) {
      onLoss(webhook, "the server closes");
      return true;
    }
    queue.stop = new AbortController();
    const { signal } = queue.stop;
    const waitMs = ({ mayPass }: Problem, tries: number) => (mayPass ? (retryMs[tries - 1] ?? null) : null);
    const outcome = await retried(() => this.#try(webhook, body, signal), waitMs, signal);
    if ("result" in outcome) this.#parts.onDelivery?.(webhook);
    else if (signal.aborted) return false;
    else onLoss(webhook, outcome.failure.text);
    return true;
  }

  /** Result true: the receiver took it. */
  async #try(webhook: Webhook, body: Uint8Array, signal: AbortSignal): Promise<Outcome<true, Problem>> {
    try {
      const { status } = await this.#parts.client.request(webhook.url, {
        method: "POST",
        headers: headersOf(webhook),
        // A stream is sent in chunks, as receivers know it from the peer.
        body: Readable.from([body]),
        timeoutMs: TRY_MS_MAX,
        answerBytesMax: ANSWER_BYTES_MAX,
        signal,
      });
      return outcomeOf(status);
    } catch (error) {
      if (!(error instanceof OutboundFailure)) return { failure: { text: messageOf(error), mayPass: false } };
      const { reason, status, message } = error;
      // The rest of the answer is missing or too long; only its status matters.
      if (status !== null && reason !== "redirect") return outcomeOf(status);
      return { failure: { text: message, mayPass: reason === "connection" || reason === "timeout" } };
    }
  }
}

const newQueue = (): Queue => ({ bytes: 0, last: Promise.resolve(), stop: new AbortController() });

function outcomeOf(status: number): Outcome<true, Problem> {
  if (status < 400) return { result: true };
  const mayPass = status === 429 || status >= 500;
  return { failure: { text: `the answer has the status ${status}`, mayPass } };
}

interface Problem {
  text: string;
  /** Whether another attempt may help. */
  mayPass: boolean;
}

const HEADERS = {
  "content-type": "application/x-ndjson",
  "content-encoding": "gzip",
  "accept-encoding": "gzip",
};

/** Our headers, unless the webhook has its own of that name. */
function headersOf({ headers }: Webhook): Record<string, string> {
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return { ...HEADERS, ...Object.fromEntries(given.filter(([name]) => !OWN_HEADERS.has(name))) };
}

async function compressedLines(tasks: Iterable<Task>): Promise<Uint8Array> {
  return pipeline(Readable.from(linesOf(tasks)), createGzip(), async (compressed) => {
    const pieces: Buffer[] = [];
    for await (const piece of compressed) pieces.push(piece);
    return Buffer.concat(pieces);
  });
}

function* linesOf(tasks: Iterable<Task>): Generator<string> {
  let text = "";
  for (const task of tasks) {
    text += `${JSON.stringify(viewTask(task))}\n`;
    if (text.length < SLICE_LEN_MIN) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}

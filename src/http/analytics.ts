// Usage events: what this server is asked for and how it fares, sent to the receiver that the operator names
// with `--analytics-url`. Without one, nothing is counted and nothing leaves the machine. Opened by
// src/node.ts; server.ts reports the requests to it.
//
// Sent is what the program knows of itself: routes by their patterns, known field names, numbers. Never sent
// is what users write: names of indexes, queries, documents, addresses, URLs, headers, keys.
//
//   {"batch": [
//     {"type": "identify", "userId": "UUID of the instance", "timestamp": "...", "traits": {...}},
//     {"type": "track", "userId": "...", "timestamp": "...", "event": "POST /indexes/:indexUid/search",
//      "properties": {"requests": {"received": 2, "succeeded": 1}, "timeMs": {"p99": 4, "max": 3.2},
//                     "fields": {"q": 2}}}
//   ]}
import { arch, availableParallelism, platform, release, totalmem } from "node:os";
import type { FastifyReply, FastifyRequest } from "fastify";
import { messageOf } from "../errors.ts";
import { defaultOptions, type OptionName, type Options } from "../options.ts";
import type { OutboundClient } from "../outbound/client.ts";
import { FEATURE_KIND, FEATURE_NAMES } from "../schemas/features.ts";
import type { Instance } from "../tasks/instance.ts";
import type { App } from "./app.ts";

interface AnalyticsParts {
  instance: Instance;
  options: Options;
  version: string;
  client: Pick<OutboundClient, "request">;
  /** Called with what was not sent, and why: it is not tried again. */
  onLoss(problem: string): void;
  /** Time between two reports. Default: REPORT_MS. */
  intervalMs?: number;
}

const REPORT_MS = 60 * 60 * 1000;
const REPORT_BYTES_MAX = 500_000;
/** Length of `{"batch":[` and its end. */
const FRAME_BYTES = 12;
const REQUEST_MS_MAX = 30_000;
const ANSWER_BYTES_MAX = 64 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Requests of one route since the last report. */
interface Usage {
  received: number;
  succeeded: number;
  maxMs: number;
  /** Numbers of requests by duration: bucket b counts those of at most 2^(b / 2) ms. */
  times: number[];
  /** Number of requests that had a field, by its name. */
  fields: Map<string, number>;
}

export class Analytics {
  readonly #parts: AnalyticsParts;
  readonly #url: string;
  readonly #usages = new Map<string, Usage>();
  readonly #startedAt = Date.now();
  readonly #timer: NodeJS.Timeout;

  /** The options must name a receiver. */
  constructor(parts: AnalyticsParts) {
    this.#parts = parts;
    this.#url = parts.options.analyticsUrl!;
    this.#timer = setInterval(() => void this.report(), parts.intervalMs ?? REPORT_MS).unref();
  }

  /** Counts the requests of the routes registered afterwards. */
  watch(app: App): void {
    app.addHook("onResponse", (request, reply, done) => {
      this.#count(request, reply);
      done();
    });
  }

  /** Sends what was counted since the last report. Never throws: what cannot be sent is lost. */
  async report(): Promise<void> {
    try {
      await this.#report();
    } catch (error) {
      this.#parts.onLoss(messageOf(error));
    }
  }

  async #report(): Promise<void> {
    const events = [...this.#usages].map(([event, usage]) =>
      this.#event({ type: "track", event }, told(usage)),
    );
    this.#usages.clear();
    const identity = this.#event({ type: "identify" }, this.#traits());
    for (const batch of batchesOf([identity, ...events])) await this.#send(batch);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #count(request: FastifyRequest, reply: FastifyReply): void {
    const { url, schema } = request.routeOptions;
    if (url === undefined) return;
    const name = `${request.method} ${url}`;
    const usage = this.#usages.get(name) ?? {
      received: 0,
      succeeded: 0,
      maxMs: 0,
      times: [],
      fields: new Map(),
    };
    this.#usages.set(name, usage);
    usage.received++;
    if (reply.statusCode < 400) usage.succeeded++;
    usage.maxMs = Math.max(usage.maxMs, reply.elapsedTime);
    const bucket = Math.max(0, Math.ceil(2 * Math.log2(reply.elapsedTime)));
    usage.times[bucket] = (usage.times[bucket] ?? 0) + 1;
    const { properties = {} } = (schema?.body ?? {}) as { properties?: object };
    for (const field of Object.keys(properties)) {
      const value = (request.body as Record<string, unknown> | null)?.[field];
      if (value !== undefined && value !== null) usage.fields.set(field, (usage.fields.get(field) ?? 0) + 1);
    }
  }

  #event(what: object, more: object): string {
    const { instance } = this.#parts;
    const facts = { ...what, userId: instance.uid, timestamp: new Date().toISOString() };
    return JSON.stringify("event" in what ? { ...facts, properties: more } : { ...facts, traits: more });
  }

  #traits(): object {
    const { instance, options, version } = this.#parts;
    const { databaseBytes, indexes } = instance.allStats();
    const documents = [...indexes.values()].map(({ description }) => description.numberOfDocuments);
    return {
      version,
      daysSinceStart: Math.floor((Date.now() - this.#startedAt) / DAY_MS),
      system: {
        platform: platform(),
        release: release(),
        arch: arch(),
        cores: availableParallelism(),
        memoryBytes: totalmem(),
      },
      stats: { databaseBytes, indexes: indexes.size, documents },
      options: toldOptions(options),
      features: FEATURE_NAMES.filter((name) => instance.value(FEATURE_KIND, name) === true),
    };
  }

  async #send(body: string): Promise<void> {
    const { client, onLoss } = this.#parts;
    try {
      const headers = { "content-type": "application/json" };
      const limits = { timeoutMs: REQUEST_MS_MAX, answerBytesMax: ANSWER_BYTES_MAX };
      const { status } = await client.request(this.#url, { method: "POST", headers, body, ...limits });
      if (status >= 400) onLoss(`the answer has the status ${status}`);
    } catch (error) {
      onLoss(messageOf(error));
    }
  }
}

/** Numbers and switches as they are; of texts, which may be paths or secrets, only whether they were set. */
function toldOptions(options: Options): Record<string, unknown> {
  const usual = defaultOptions();
  const names = Object.keys(options) as OptionName[];
  return Object.fromEntries(
    names.map((name) => {
      const value = options[name];
      const isTold = typeof value === "number" || typeof value === "boolean" || name === "env";
      return [name, isTold ? value : JSON.stringify(value) !== JSON.stringify(usual[name])];
    }),
  );
}

function told({ received, succeeded, maxMs, times, fields }: Usage): object {
  let left = Math.floor(received / 100);
  let bucket = times.length - 1;
  for (; bucket > 0; bucket--) {
    left -= times[bucket] ?? 0;
    if (left < 0) break;
  }
  return {
    requests: { received, succeeded },
    timeMs: { p99: Math.round(2 ** (bucket / 2)), max: maxMs },
    fields: Object.fromEntries(fields),
  };
}

/** Splits the events into reports, none of them too large. */
function batchesOf(events: readonly string[]): string[] {
  const batches: string[][] = [[]];
  let bytes = 0;
  for (const event of events) {
    bytes += Buffer.byteLength(event) + 1;
    if (bytes > REPORT_BYTES_MAX - FRAME_BYTES) {
      batches.push([]);
      bytes = Buffer.byteLength(event) + 1;
    }
    batches[batches.length - 1].push(event);
  }
  return batches.map((batch) => `{"batch":[${batch.join(",")}]}`);
}

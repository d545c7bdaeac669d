// GET /metrics: figures of the instance in the format of Prometheus, under the names that dashboards know.
// The library is loaded by the first request while the feature `metrics` is on.
import type { FastifyRequest } from "fastify";
import type { Counter, Histogram, Registry } from "prom-client";
import { isFeatureOn, needFeature } from "../operations/features.ts";
import type { Instance } from "../tasks/instance.ts";
import type { App, Services } from "./app.ts";
import { addEngineGauges } from "./enginegauges.ts";
import { addGauges, METRIC_PREFIX } from "./gauges.ts";
import type { Prometheus } from "./metricsetters.ts";
import { addProcessGauges } from "./processgauges.ts";

const FEATURE = "metrics";
const CONTENT_TYPE = "text/plain; version=0.0.4";
const TIME_BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
/** For requests that match no route, whose paths would have no end. */
const NO_ROUTE = "unknown";

interface RequestMetrics {
  registry: Registry;
  requests: Counter<"method" | "path" | "status">;
  times: Histogram<"method" | "path">;
}

/** Counts and times the requests of the routes registered afterwards, while the feature is on. */
export class RequestMeter {
  readonly #instance: Instance;
  #metrics: Promise<RequestMetrics> | null = null;

  constructor(app: App, instance: Instance) {
    this.#instance = instance;
    app.addHook("onResponse", (request, reply, done) => {
      if (isFeatureOn(this.#instance, FEATURE))
        this.#note(request, reply.statusCode, reply.elapsedTime / 1000);
      done();
    });
  }

  /** The registry with everything counted so far. */
  async registry(): Promise<Registry> {
    return (await this.#open()).registry;
  }

  #open(): Promise<RequestMetrics> {
    this.#metrics ??= openMetrics();
    return this.#metrics;
  }

  #note(request: FastifyRequest, status: number, seconds: number): void {
    const { method } = request;
    const path = patternOf(request.routeOptions.url);
    this.#open().then(
      ({ requests, times }) => {
        requests.inc({ method, path, status: String(status) });
        times.observe({ method, path }, seconds);
      },
      // The failure is reported to the next request for the metrics.
      () => {},
    );
  }
}

export function addMetricsRoute(
  app: App,
  { instance, engine, searches }: Services,
  meter: RequestMeter,
): void {
  app.get("/metrics", { config: { action: "metrics.get" } }, async (_request, reply) => {
    needFeature(instance, FEATURE, "The route `/metrics`");
    const prometheus = await loadPrometheus();
    const registry = new prometheus.Registry();
    const [stats, queue] = [instance.allStats(), instance.queueFigures()];
    const uids = new Map([...stats.indexes.keys()].map((uid) => [instance.handle(uid).folder, uid]));
    const { segments, degradedSearches: degraded, ...figures } = await engine.figures([...uids.keys()]);
    addGauges(prometheus, registry, { instance, stats, queue, searches, degraded });
    addEngineGauges(prometheus, registry, {
      ...figures,
      segments: new Map([...segments].map(([folder, count]) => [uids.get(folder)!, count])),
      syncs: queue.syncs,
      outgoingWrites: instance.outgoing().size,
    });
    await addProcessGauges(prometheus, registry);
    reply.header("content-type", CONTENT_TYPE);
    return prometheus.Registry.merge([registry, await meter.registry()]).metrics();
  });
}

async function loadPrometheus(): Promise<Prometheus> {
  // Through its default export: in a bundle, a CommonJS package has no named ones.
  return (await import("prom-client")).default;
}

async function openMetrics(): Promise<RequestMetrics> {
  const { Registry, Counter, Histogram } = await loadPrometheus();
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: `${METRIC_PREFIX}http_requests_total`,
    help: "Requests",
    labelNames: ["method", "path", "status"],
    registers,
  });
  const times = new Histogram({
    name: `${METRIC_PREFIX}http_response_time_seconds`,
    help: "Time from a request to the end of its answer",
    labelNames: ["method", "path"],
    buckets: TIME_BUCKETS_SECONDS,
    registers,
  });
  return { registry, requests, times };
}

/** `/indexes/:indexUid` -> `/indexes/{index_uid}`. */
function patternOf(url: string | undefined): string {
  if (url === undefined) return NO_ROUTE;
  return url.replace(/:(\w+)/g, (_, name: string) => {
    return `{${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}}`;
  });
}

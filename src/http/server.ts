// The HTTP side: one fastify application with all routes. src/node.ts creates it and listens; tests inject
// requests.
//
//   request -> access (access.ts) -> body (bodies.ts) -> route (one file a resource) -> instance or engine
//   refusals of every stage -> failures.ts
import { availableParallelism } from "node:os";
import compress from "@fastify/compress";
import cors from "@fastify/cors";
import fastify, { type FastifyHttpOptions, type FastifyServerOptions, type RawServerDefault } from "fastify";
import type { Engine } from "../engine/engine.ts";
import { Outbox } from "../network/outbox.ts";
import { Release } from "../network/release.ts";
import type { OutboundClient } from "../outbound/client.ts";
import type { Instance } from "../tasks/instance.ts";
import type { Webhooks } from "../tasks/webhooks.ts";
import { guardRoutes } from "./access.ts";
import { logRequests, requestIdOf } from "./accesslog.ts";
import type { Analytics } from "./analytics.ts";
import type { App, ServerOptions, Services, Version } from "./app.ts";
import { checkBody, readBodies } from "./bodies.ts";
import { BodyBudget } from "./bodybudget.ts";
import {
  CONNECTION_LIMITS,
  type ConnectionLimits,
  guardConnections,
  HTTP_OPTIONS,
  handleClientError,
} from "./connections.ts";
import { addCopyRoutes } from "./copies.ts";
import { addDocumentEditRoutes } from "./documentedits.ts";
import { addDocumentReadRoutes } from "./documentreads.ts";
import { addDocumentRoutes } from "./documents.ts";
import { addExportRoute } from "./export.ts";
import { addFacetSearchRoutes } from "./facetsearch.ts";
import { handleFailures, handleLongPath } from "./failures.ts";
import { addFeatureRoutes } from "./features.ts";
import { addFrontRoute } from "./front.ts";
import { addHealthRoutes } from "./health.ts";
import { addIndexRoutes } from "./indexes.ts";
import { addKeyRoutes } from "./keys.ts";
import { KeyStore } from "./keystore.ts";
import {
  COMPRESSION_THRESHOLD_BYTES,
  CORS_AGE_SECONDS_MAX,
  KEEP_ALIVE_TIMEOUT_MS,
  PATH_SEGMENT_LEN_MAX,
} from "./limits.ts";
import type { LogOutput } from "./logoutput.ts";
import { addLogRoutes } from "./logs.ts";
import { addMcpRoute } from "./mcp.ts";
import { addMetricsRoute, RequestMeter } from "./metrics.ts";
import { addMultiSearchRoute } from "./multisearch.ts";
import { addNetworkRoutes } from "./network.ts";
import { describeRoutes } from "./openapi.ts";
import { METHODS, refuseOtherMethods } from "./othermethods.ts";
import { decodableUrl } from "./paths.ts";
import { releaseBytes } from "./release.ts";
import { addSearchRoutes } from "./search.ts";
import { SearchQueue } from "./searchqueue.ts";
import { addSettingsRoutes } from "./settings.ts";
import { addSimilarRoutes } from "./similar.ts";
import { addStatsRoutes } from "./stats.ts";
import { addTaskRoutes } from "./tasks.ts";
import { guardTls, type Tls } from "./tls.ts";
import { TlsRenewal } from "./tlsrenewal.ts";
import { addWebhookRoutes } from "./webhooks.ts";

interface ServerParts {
  instance: Instance;
  engine: Engine;
  webhooks: Webhooks;
  options: ServerOptions;
  version: Version;
  logs: LogOutput;
  /** For calls to remotes of the network; the caller that opened it closes it. */
  outbound: OutboundClient;
  /** Counts every request. */
  analytics?: Analytics;
  /** Null or absent: it speaks plain HTTP. */
  tls?: Tls | null;
  /** Default: CONNECTION_LIMITS. */
  connections?: ConnectionLimits;
}

/** The application, not yet listening. `close()` ends its connections, not the instance or the engine. */
export function createServer(parts: ServerParts): App {
  const { options, instance } = parts;
  const { logger } = parts.logs;
  const tls = parts.tls ?? null;
  const app = fastify(fastifyOptions(options, tls)) as unknown as App;
  const searches = new SearchQueue({
    runningMax: availableParallelism() * options.experimentalNbSearchesPerCore,
    waitingMax: options.experimentalSearchQueueSize,
    waitMsMax: options.experimentalDropSearchAfter * 1000,
  });
  const outbox = new Outbox({
    instance,
    outbound: parts.outbound,
    onTrouble: (err) => logger.error({ part: "network", err }, "writes for other servers are not sent"),
  });
  const holdRelease = new Release({
    instance,
    outbound: parts.outbound,
    onTrouble: (err) => logger.error({ part: "network", err }, "held writes are not released"),
  });
  // Aborts what is under way instead of waiting for it.
  app.addHook("onClose", () => Promise.all([outbox.close(), holdRelease.close()]));
  const limits = parts.connections ?? CONNECTION_LIMITS;
  guardConnections(app, limits);
  if (tls) speakTls(app, tls, logger);
  handleFailures(app, options.httpPayloadSizeLimit, logger);
  const addRefusals = refuseOtherMethods(app, PATH_OPTIONS);
  const keys = options.masterKey === null ? null : new KeyStore(parts.instance, options.masterKey);
  guardRoutes(app, keys);
  const bodies = readBodies(app, new BodyBudget(limits.bodiesBytesMax));
  logRequests(app, parts.logs);
  parts.analytics?.watch(app);
  const description = describeRoutes(app, parts.version.pkgVersion);
  const meter = new RequestMeter(app, instance);
  app.register(cors, {
    origin: "*",
    methods: METHODS,
    maxAge: CORS_AGE_SECONDS_MAX,
    strictPreflight: false,
    // Some clients accept only this status as the answer to a preflight.
    optionsSuccessStatus: 200,
  });
  app.register(compress, {
    threshold: COMPRESSION_THRESHOLD_BYTES,
    encodings: ["gzip", "br", "deflate"],
    globalDecompression: false,
  });
  app.register(async (routes) => {
    const services: Services = {
      ...parts,
      searches,
      bodies,
      keys,
      outbox,
      holdRelease,
      remoteTimeoutMs: options.experimentalRemoteSearchTimeoutSeconds * 1000,
      payloadBytesMax: options.httpPayloadSizeLimit,
      release: releaseBytes,
    };
    addRoutes(routes as App, services);
    addMetricsRoute(routes as App, services, meter);
    description.addRoute(routes as App);
  });
  app.register(async (routes) => addRefusals(routes as App));
  return app;
}

function addRoutes(app: App, services: Services): void {
  addFrontRoute(app, services);
  addHealthRoutes(app, services);
  addStatsRoutes(app, services);
  addIndexRoutes(app, services);
  addSettingsRoutes(app, services);
  addDocumentRoutes(app, services);
  addDocumentReadRoutes(app, services);
  addDocumentEditRoutes(app, services);
  addSearchRoutes(app, services);
  addSimilarRoutes(app, services);
  addFacetSearchRoutes(app, services);
  addMultiSearchRoute(app, services);
  addTaskRoutes(app, services);
  addCopyRoutes(app, services);
  addExportRoute(app, services);
  addFeatureRoutes(app, services);
  addKeyRoutes(app, services);
  addWebhookRoutes(app, services);
  addLogRoutes(app, services);
  addNetworkRoutes(app, services);
  addMcpRoute(app, services);
}

/**
 * Without it fastify loads compilers of its own, which takes longer than the rest of a start. Its types know
 * only those.
 */
const compilersFactory = {
  buildValidator: () => checkBody,
  buildSerializer: () => () => JSON.stringify,
} as unknown as NonNullable<FastifyServerOptions["schemaController"]>["compilersFactory"];

const PATH_OPTIONS = {
  ignoreTrailingSlash: true,
  ignoreDuplicateSlashes: true,
  maxParamLength: PATH_SEGMENT_LEN_MAX,
};

function speakTls(app: App, tls: Tls, logger: LogOutput["logger"]): void {
  const renewal = new TlsRenewal(tls, {
    onRenewed: () => logger.info({ part: "http" }, "the certificate has been read again"),
    onRefused: (reason) => logger.error({ part: "http", reason }, "a renewed certificate cannot be used"),
  });
  guardTls(app, () => renewal.tls);
  renewal.watch(app);
}

/** fastify's own log is off: it would make a logger for each request even when nothing is logged. */
function fastifyOptions(
  { httpPayloadSizeLimit }: ServerOptions,
  tls: Tls | null,
): FastifyHttpOptions<RawServerDefault> {
  return {
    logger: false,
    genReqId: requestIdOf,
    bodyLimit: httpPayloadSizeLimit,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    // An upload may take any time, as long as bytes keep arriving (connections.ts).
    requestTimeout: 0,
    ...(tls ? { https: { ...HTTP_OPTIONS, ...tls.options } } : { http: HTTP_OPTIONS }),
    clientErrorHandler: handleClientError,
    schemaController: { compilersFactory },
    forceCloseConnections: true,
    // connections.ts refuses them in our own words.
    return503OnClosing: false,
    rewriteUrl: ({ url }) => decodableUrl(url ?? "/"),
    frameworkErrors: handleLongPath,
    routerOptions: PATH_OPTIONS,
  };
}

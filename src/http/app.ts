// What every route file is given: the fastify application, typed by the schemas of the routes, and the
// services behind it.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyBaseLogger, FastifyInstance, FastifyTypeProvider, RawServerDefault } from "fastify";
import type { Static, TSchema } from "typebox";
import type { OperationServices } from "../operations/services.ts";
import type { Options } from "../options.ts";
import type { Action } from "../schemas/actions.ts";
import type { IdPlace } from "../schemas/exactids.ts";
import type { ParameterTable } from "../schemas/parameters.ts";
import type { Webhooks } from "../tasks/webhooks.ts";
import type { BodyJson } from "./bodyjson.ts";
import type { KeyStore } from "./keystore.ts";
import type { LogOutput } from "./logoutput.ts";
import type { SearchQueue } from "./searchqueue.ts";

/** Gives bodies the type of their schema. */
interface SchemaTypes extends FastifyTypeProvider {
  validator: this["schema"] extends TSchema ? Static<this["schema"]> : unknown;
  serializer: unknown;
}

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  SchemaTypes
>;

/** The launch options that matter to the HTTP side. */
export type ServerOptions = Pick<
  Options,
  | "env"
  | "masterKey"
  | "noAnalytics"
  | "httpPayloadSizeLimit"
  | "experimentalSearchQueueSize"
  | "experimentalNbSearchesPerCore"
  | "experimentalDropSearchAfter"
  | "experimentalRemoteSearchTimeoutSeconds"
>;

/** What GET /version answers. */
export interface Version {
  commitSha: string;
  commitDate: string;
  pkgVersion: string;
}

export interface Services extends Omit<OperationServices, "inTurn"> {
  webhooks: Webhooks;
  options: ServerOptions;
  version: Version;
  /** Takes failures, and one line per request. */
  logs: LogOutput;
  /** The queue in which searches wait for their turn. */
  searches: SearchQueue;
  /** For routes whose body may be missing; the others have a schema, and get the body as read. */
  bodies: BodyJson;
  /** Null without a master key. */
  keys: KeyStore | null;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** What a key must allow for the route; null: it is open to everybody. */
    action?: Action | null;
    /** Its query parameters, for the description of the routes. */
    parameters?: ParameterTable;
    /** Its body is a stream of documents. */
    takesDocuments?: boolean;
    /** It only refuses a method that its path does not have. */
    isRefusal?: boolean;
    /** Where its body holds ids: numbers there that JavaScript would round arrive as texts. */
    ids?: IdPlace;
    /** A body that may be missing: the route itself reads and checks it. */
    optionalBody?: TSchema;
  }
}

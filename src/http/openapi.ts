// GET /openapi.json: the routes as OpenAPI 3.1, made from what they declare: schemas of bodies, tables of
// parameters, actions that keys need, and the lines of routetexts.ts.
import type { TSchema } from "typebox";
import type { Action } from "../schemas/actions.ts";
import { ErrorAnswer } from "../schemas/answers.ts";
import { U32_MAX } from "../schemas/fields.ts";
import { INDEX_UID_PATTERN } from "../schemas/indexuid.ts";
import type { ParameterTable } from "../schemas/parameters.ts";
import type { App } from "./app.ts";
import { DOCUMENT_TYPES } from "./failures.ts";
import { type RouteText, routeTexts } from "./routetexts.ts";

interface Route {
  method: string;
  url: string;
  action: Action | null;
  parameters: ParameterTable;
  body: TSchema | null;
  isBodyOptional: boolean;
  takesDocuments: boolean;
}

type Json = Record<string, unknown>;

/** Call it before routes are registered. The description is made when somebody asks for it. */
export function describeRoutes(app: App, version: string): { addRoute(app: App): void } {
  const routes: Route[] = [];
  let made: Json | null = null;
  app.addHook("onRoute", ({ method, url, config, schema }) => {
    if (typeof method !== "string" || config?.action === undefined) return;
    if (method === "HEAD" || method === "OPTIONS") return;
    const { action, parameters = {}, takesDocuments = false, optionalBody } = config;
    const body = (schema?.body as TSchema | undefined) ?? optionalBody ?? null;
    const isBodyOptional = optionalBody !== undefined;
    routes.push({ method, url, action, parameters, body, isBodyOptional, takesDocuments });
  });
  return {
    addRoute: (inner) =>
      inner.get("/openapi.json", { config: { action: null } }, async () => {
        made ??= descriptionOf(routes, version);
        return made;
      }),
  };
}

function descriptionOf(routes: readonly Route[], version: string): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.url.replace(/:(\w+)/g, "{$1}");
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = operationOf(route);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Tarsier",
      version,
      description: "Search server: keyword, vector, hybrid and federated search over HTTP and JSON.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    paths,
    components: {
      schemas: { Error: plain(ErrorAnswer) },
      securitySchemes: {
        key: { type: "http", scheme: "bearer", description: "The master key or an API key" },
      },
    },
  };
}

function operationOf(route: Route): Json {
  const { method, url, action } = route;
  const [summary, status, answer, otherRefusal] = routeTexts[`${method} ${url}`];
  const parameters = [...pathParameters(url), ...queryParameters(route.parameters)];
  return {
    operationId: operationId(method, url),
    summary,
    ...(action !== null && {
      description: `The key needs the action \`${action}\`.`,
      security: [{ key: [] }],
    }),
    ...(parameters.length > 0 && { parameters }),
    ...bodyOf(route),
    responses: { [status]: answerOf(answer), default: refusalOf(otherRefusal) },
  };
}

const ERROR = { $ref: "#/components/schemas/Error" };

function refusalOf(other: TSchema | undefined): Json {
  const schema = other ? { anyOf: [ERROR, plain(other)] } : ERROR;
  const description = "A refusal; its code is explained at its link";
  return { description, content: { "application/json": { schema } } };
}

function answerOf(answer: RouteText[2]): Json {
  if (answer === null) return { description: "Done" };
  if (typeof answer === "string") return { description: "Done", content: { [answer]: {} } };
  return { description: "Done", content: { "application/json": { schema: plain(answer) } } };
}

function bodyOf({ body, isBodyOptional, takesDocuments }: Route): Json {
  if (takesDocuments) {
    const content = Object.fromEntries(DOCUMENT_TYPES.map((type) => [type, {}]));
    return { requestBody: { required: true, content } };
  }
  if (body === null) return {};
  const content = { "application/json": { schema: plain(body) } };
  return { requestBody: { required: !isBodyOptional, content } };
}

const NUMBER = { type: "integer", minimum: 0, maximum: U32_MAX };
const TEXT = { type: "string" };
/** Parts of paths that are not any text. */
const PATH_PARTS: Record<string, Json> = {
  indexUid: { ...TEXT, pattern: INDEX_UID_PATTERN },
  taskUid: NUMBER,
  batchUid: NUMBER,
  uuid: { ...TEXT, format: "uuid" },
};

function pathParameters(url: string): Json[] {
  return [...url.matchAll(/:(\w+)/g)].map(([, name]) => {
    return { name, in: "path", required: true, schema: PATH_PARTS[name] ?? TEXT };
  });
}

function queryParameters(table: ParameterTable): Json[] {
  return Object.entries(table).map(([name, { expected, shown = TEXT }]) => {
    // Lists are separated by commas.
    const style = shown.type === "array" && { explode: false };
    return { name, in: "query", description: `Expects ${expected}.`, ...style, schema: plain(shown) };
  });
}

/** `GET /indexes/:indexUid/search` -> `getIndexesIndexUidSearch`. */
function operationId(method: string, url: string): string {
  const parts = url.split(/[^A-Za-z]+/).filter(Boolean);
  const capital = (part: string) => part[0].toUpperCase() + part.slice(1);
  return method.toLowerCase() + (parts.length === 0 ? "Root" : parts.map(capital).join(""));
}

/** A schema without our own annotations; where a value is checked late, its `x-shown`. */
function plain(schema: object): Json {
  const shown = (name: string, value: Json | null) =>
    /^(x-|~)/.test(name) ? undefined : (value?.["x-shown"] ?? value);
  return JSON.parse(JSON.stringify(schema, shown));
}

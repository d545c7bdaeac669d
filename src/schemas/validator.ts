// Checks a JSON value against a schema and reports, in one TarsierError, where it first fails: the earliest
// fault in the order of the value itself, as a reader of the request would meet it. The code comes from the
// annotations of the schema (fields.ts). The routes use it as fastify's validator compiler, the library
// (src/operations) and src/engine for values that arrive in other ways.
import type { Static, TSchema } from "typebox";
import { Errors } from "typebox/schema";
import { Settings } from "typebox/system";
import { type ErrorCode, TarsierError } from "../errors.ts";
import { compile } from "./compiling.ts";
import { faultyPart, type Part } from "./faultypart.ts";
import type { ObjectCodes } from "./fields.ts";
import { expectedBy, foundIn, kindOf, type SchemaNode, unknownName } from "./phrases.ts";
import { isSecretName } from "./secretnames.ts";

/**
 * Faults that are listed per value; with the library's default of 8, the first one in the order of the value
 * could be missing.
 */
const FAULTS_LISTED_MAX = 500;
Settings.Set({ maxErrors: FAULTS_LISTED_MAX });

/** How places are named: `.a.b[0]` in a body, `a` for a query parameter. */
type PlaceStyle = "field" | "parameter";

/**
 * Returns the fault of a value, or null if the schema accepts it. Compiles at first use, which keeps the
 * start fast.
 */
export function validator(
  schema: TSchema,
  style: PlaceStyle = "field",
): (value: unknown) => TarsierError | null {
  let holds: ReturnType<typeof compile> | null = null;
  return (value) => {
    holds ??= compile(schema);
    if (holds(value)) return null;
    const part = faultyPart(value, holds);
    const [, found] = Errors(schema, part.value);
    const faults = found.map(({ keyword, instancePath, params }) => {
      return { keyword, path: segmentsOf(instancePath), params: params as { requiredProperties?: string[] } };
    });
    return errorOf(locate(faults, part), schema as SchemaNode, style);
  };
}

/** Narrows a value to the type of a schema, or throws its fault. */
export function checker<S extends TSchema>(
  schema: S,
  style: PlaceStyle = "field",
): (value: unknown) => Static<S> {
  const faultOf = validator(schema, style);
  return (value) => {
    const fault = faultOf(value);
    if (fault) throw fault;
    return value as Static<S>;
  };
}

interface Fault {
  keyword: string;
  path: string[];
  params: { requiredProperties?: string[] };
}

interface Located {
  kind: "unknown" | "missing" | "value";
  path: string[];
  value: unknown;
  /** The required field that is absent. */
  field: string;
}

interface Annotated extends SchemaNode, ObjectCodes {
  /** Code of the schema itself, for a root that is not a field of anything. */
  "x-code"?: ErrorCode;
}

/** Descends to the first faulty child until the fault is that of the value itself. */
function locate(faults: Fault[], { value, placeOf }: Part): Located {
  const path: string[] = [];
  for (;;) {
    const depth = path.length;
    const child = childrenOf(value).find((name) => faults.some((fault) => fault.path[depth] === name));
    if (child === undefined) break;
    faults = faults.filter((fault) => fault.path[depth] === child);
    path.push(Array.isArray(value) ? String(placeOf(path.length, Number(child))) : child);
    value = (value as Record<string, unknown>)[child];
    const isUnknown = faults.some(
      (fault) => fault.keyword === "boolean" && fault.path.length === path.length,
    );
    if (isUnknown) return { kind: "unknown", path, value, field: "" };
  }
  const field = faults.find((fault) => fault.keyword === "required")?.params.requiredProperties?.[0];
  return field === undefined
    ? { kind: "value", path, value, field: "" }
    : { kind: "missing", path, value, field };
}

function errorOf({ kind, path, value, field }: Located, root: SchemaNode, style: PlaceStyle): TarsierError {
  let node: Annotated = root;
  let code: ErrorCode = node["x-code"] ?? "bad_request";
  const known = kind === "unknown" ? path.slice(0, -1) : path;
  for (const segment of known) {
    const parent = holderOf(node, segment);
    code = ownValue(parent["x-codes"], segment) ?? code;
    node = childOf(parent, segment);
  }
  if (kind === "value") {
    const found = path.some(isSecretName) ? kindOf(value) : foundIn(value);
    const expected = expectedBy(node);
    const message = `${placeOf(path, style)}: expected ${expected}, but found ${found}`;
    return new TarsierError(
      code,
      code === "bad_request" ? { message } : { place: placeOf(path, style), expected, found },
    );
  }
  const place = placeOf(known, style);
  if (kind === "missing") {
    const holder = holderOf(node, field);
    code = ownValue(holder["x-missing"], field) ?? code;
    return new TarsierError(code, { message: `${place}: the required field \`${field}\` is missing` });
  }
  const name = path[path.length - 1];
  const holder = holderOf(node, name);
  const ownCode = ownValue(holder["x-codes"], name);
  if (ownCode !== undefined) return new TarsierError(ownCode, { place: placeOf(path, style) });
  const accepted = Object.keys(holder.properties ?? {});
  const message = unknownName(style === "field" ? "field" : "parameter", name, accepted);
  return new TarsierError(holder["x-unknown"] ?? code, {
    message: known.length ? `${place}: ${message}` : message,
  });
}

/** The branch of a union that can hold the field (or is an object at all). */
function holderOf(node: Annotated, segment: string): Annotated {
  if (!node.anyOf) return node;
  const branches = node.anyOf.map((branch) => holderOf(branch, segment));
  return (
    branches.find((branch) => hasChild(branch, segment)) ??
    branches.find((branch) => branch.properties) ??
    node
  );
}

function hasChild(node: SchemaNode, segment: string): boolean {
  return (
    node.properties?.[segment] !== undefined ||
    node.patternProperties !== undefined ||
    node.items !== undefined
  );
}

function childOf(node: SchemaNode, segment: string): Annotated {
  const [pattern] = Object.values(node.patternProperties ?? {});
  return node.properties?.[segment] ?? pattern ?? node.items ?? {};
}

function childrenOf(value: unknown): string[] {
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}

function segmentsOf(pointer: string): string[] {
  const segments = pointer.split("/").slice(1);
  return segments.map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function placeOf(path: string[], style: PlaceStyle): string {
  if (path.length === 0) return style === "field" ? "The body" : "The query";
  const text = path.map((segment) => (/^\d+$/.test(segment) ? `[${segment}]` : `.${segment}`)).join("");
  return style === "field" ? `Field \`${text}\`` : `Parameter \`${text.slice(1)}\``;
}

/** A property of the record itself, not one that every object inherits. */
function ownValue<T>(record: Partial<Record<string, T>> | undefined, name: string): T | undefined {
  return record && Object.hasOwn(record, name) ? record[name] : undefined;
}

// Query parameters: always texts, each read by a small reader for its kind, with the error code of the
// parameter. No library coerces anything. A route declares a table of its parameters and gets their values.
import type { TSchema } from "typebox";
import { DECIMAL } from "../decimals.ts";
import { type ErrorCode, TarsierError } from "../errors.ts";
import { trimmed } from "../trimming.ts";
import { boundOf, U32_MAX } from "./fields.ts";
import { expectedBy, type SchemaNode, unknownName } from "./phrases.ts";
import { validator } from "./validator.ts";

/** Items on a page of a listing, by default. */
export const PAGE_LIMIT_DEFAULT = 20;

/** Refuses the value; `position`: the faulty element of a list. */
type Refuse = (found?: string, position?: number) => never;

export interface ParameterKind<T> {
  /** What is accepted, for messages. */
  expected: string;
  /** The same as a JSON Schema, for the description of the routes; absent: a text. */
  shown?: Record<string, unknown>;
  read(raw: string, refuse: Refuse): T;
}

export interface Parameter<T> extends ParameterKind<T> {
  code: ErrorCode;
}

export type ParameterTable = Record<string, Parameter<unknown>>;

type ParameterValues<Table extends ParameterTable> = {
  [Name in keyof Table]?: Table[Name] extends Parameter<infer T> ? T : never;
};

export function parameter<T>(kind: ParameterKind<T>, code: ErrorCode): Parameter<T> {
  return { ...kind, code };
}

/**
 * The values of the parameters that were sent; if one is sent several times, the last counts, as clients
 * expect. Throws for the first that is unknown or wrong.
 */
export function readParameters<Table extends ParameterTable>(
  query: unknown,
  table: Table,
): ParameterValues<Table> {
  const values: Record<string, unknown> = {};
  for (const [name, given] of Object.entries(query as Record<string, string | string[]>)) {
    if (!Object.hasOwn(table, name)) {
      throw new TarsierError("bad_request", { message: unknownName("parameter", name, Object.keys(table)) });
    }
    const raw = typeof given === "string" ? given : given[given.length - 1];
    const { code, expected, read } = table[name];
    values[name] = read(raw, (found = raw, position) => {
      const place = `Parameter \`${name}${position === undefined ? "" : `[${position}]`}\``;
      throw new TarsierError(code, { place, expected, found: `\`${found}\`` });
    });
  }
  return values as ParameterValues<Table>;
}

/** Any text, even an empty one. */
export const text: ParameterKind<string> = { expected: "a text", read: (raw) => raw };

export const flag: ParameterKind<boolean> = {
  expected: "`true` or `false`",
  shown: { type: "boolean" },
  read: (raw, refuse) => (raw === "true" ? true : raw === "false" ? false : refuse()),
};

export const bound = integerUpTo(2n ** 64n - 1n, "an integer from 0 up");
export const u32 = integerUpTo(BigInt(U32_MAX), `an integer from 0 to ${U32_MAX}`);

export const number: ParameterKind<number> = {
  expected: "a number",
  shown: { type: "number" },
  read: (raw, refuse) => {
    const value = DECIMAL.test(raw) ? Number(raw) : Number.NaN;
    return Number.isFinite(value) ? value : refuse();
  },
};

/** The same kind, where a schema decides which values are valid. */
export function within<T>(kind: ParameterKind<T>, schema: TSchema): ParameterKind<T> {
  const faultOf = validator(schema);
  return {
    expected: expectedBy(schema as SchemaNode),
    shown: { ...schema },
    read: (raw, refuse) => {
      const value = kind.read(raw, refuse);
      return faultOf(value) ? refuse() : value;
    },
  };
}

/** Separated by commas; empty items are dropped, so an empty text is an empty list. */
export const texts: ParameterKind<string[]> = {
  expected: "texts separated by commas",
  shown: { type: "array", items: { type: "string" } },
  read: (raw) => raw.split(",").filter((item) => item !== ""),
};

/** The same, for values of a kind. */
export function listOf<T>(kind: ParameterKind<T>): ParameterKind<T[]> {
  return {
    expected: `${kind.expected}, or several separated by commas`,
    shown: { type: "array", items: kind.shown ?? { type: "string" } },
    read: (raw, refuse) => {
      const items = raw.split(",");
      return items.flatMap((item, position) =>
        item === "" ? [] : [kind.read(item, () => refuse(item, items.length > 1 ? position : undefined))],
      );
    },
  };
}

/** A filter: the JSON value if the text holds one, else the text itself as an expression. */
export const filter: ParameterKind<unknown> = {
  expected: "a filter expression",
  read: (raw, refuse) => {
    const value = jsonOr(raw);
    return value === null ? refuse() : value;
  },
};

function jsonOr(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return raw;
  }
}

const isQuote = (unit: string): boolean => unit === '"';

/** Sort criteria separated by commas; the comma inside `_geoPoint(lat,lng)` does not separate. */
export const sort: ParameterKind<string[]> = {
  expected: "criteria such as `price:asc`, separated by commas",
  shown: { type: "array", items: { type: "string" } },
  read: (raw) => splitCriteria(raw),
};

export function splitCriteria(raw: string): string[] {
  const criteria: string[] = [];
  /** The pieces of a point whose end has not come yet. */
  let open: string[] | null = null;
  for (const piece of trimmed(raw, isQuote).split(",")) {
    const part = piece.trim();
    if (open === null && part.startsWith("_geoPoint(")) open = [];
    open?.push(part);
    if (open !== null && !/\):(asc|desc)$/.test(part)) continue;
    criteria.push(open?.join(",") ?? part);
    open = null;
  }
  return open === null ? criteria : [...criteria, open.join(",")];
}

function integerUpTo(most: bigint, expected: string): ParameterKind<number> {
  return {
    expected,
    // Numbers of JSON hold no larger ones exactly.
    shown: { type: "integer", minimum: 0, ...(most <= Number.MAX_SAFE_INTEGER && { maximum: Number(most) }) },
    read: (raw, refuse) => (/^\d+$/.test(raw) && BigInt(raw) <= most ? boundOf(Number(raw)) : refuse()),
  };
}

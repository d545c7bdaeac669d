// Building blocks of the request schemas: JSON kinds that many bodies share, and annotations of our own.
// src/schemas/validator.ts reads those that carry error codes, openapi.ts the last one:
//   "x-codes"    of an object: field -> code of a bad value of that field, or of anything below it
//   "x-missing"  of an object: required field -> code when it is absent (else the code of the object itself)
//   "x-unknown"  of an object: code of a field that it does not have (else the code of the object itself)
//   "x-shown"    of a value that is looked at late: what it is to be
import type {
  Static,
  TArray,
  TNull,
  TObject,
  TOptional,
  TProperties,
  TRecord,
  TSchema,
  TString,
  TUnion,
  TUnsafe,
} from "typebox";
import * as Type from "typebox";
import type { ErrorCode } from "../errors.ts";

export interface ObjectCodes<Name extends string = string> {
  "x-codes"?: Partial<Record<Name, ErrorCode>>;
  "x-missing"?: Partial<Record<Name, ErrorCode>>;
  "x-unknown"?: ErrorCode;
  /** What is expected, for messages. */
  description?: string;
}

/** An object that refuses fields it does not name. */
export function strictObject<P extends TProperties>(
  properties: P,
  codes: ObjectCodes<Extract<keyof P, string>> = {},
): TObject<P> {
  return Type.Object(properties, { additionalProperties: false, ...codes });
}

export function nullable<S extends TSchema>(schema: S): TUnion<[S, TNull]> {
  return Type.Union([schema, Type.Null()]);
}

/** The field may be absent or null, with the same meaning. */
export function optional<S extends TSchema>(schema: S): TOptional<TUnion<[S, TNull]>> {
  return Type.Optional(nullable(schema));
}

/**
 * An object with arbitrary names. Not made by the builder of the library, which would bring along all of its
 * arithmetic of types, and whose pattern lets any value pass under a name with a line break.
 */
export function recordOf<S extends TSchema>(
  values: S,
  options: { description?: string } = {},
): TRecord<"^.*$", S> {
  const schema = { type: "object", patternProperties: { "^": values }, ...options };
  return schema as unknown as TRecord<"^.*$", S>;
}

/**
 * A value that is checked by the code that uses it, so that other faults of the request are reported first.
 * `schema`: what it should be, for the description of the routes.
 */
export function late<S extends TSchema>(schema: S): TUnsafe<Static<S>> {
  return Type.Unsafe<Static<S>>({ "x-shown": schema });
}

/** The fields of an object as a patch takes them: each may be absent (unchanged) or null (reset). */
type PatchProperties<P extends TProperties> = { [K in keyof P]: TOptional<TUnion<[P[K], TNull]>> };

export function patchOf<P extends TProperties>(
  properties: P,
  codes: ObjectCodes<Extract<keyof P, string>> = {},
): TObject<PatchProperties<P>> {
  const entries = Object.entries(properties).map(([name, schema]) => [name, optional(schema)]);
  const options = { additionalProperties: false, ...codes };
  return Type.Object(Object.fromEntries(entries), options) as unknown as TObject<PatchProperties<P>>;
}

const U8_MAX = 255;
export const U32_MAX = 0xffff_ffff;

/** Clients send the largest integer of their language for "all". */
const BOUND_MAX = 2 ** 64;

/** A bound as answers show it: larger ones mean the same, and not every client could read them. */
export const boundOf = <Absent>(value: number | Absent): number | Absent =>
  typeof value === "number" ? Math.min(value, Number.MAX_SAFE_INTEGER) : value;

/** Fields of which the named one, where it is there, is such a bound. */
export function bounded<Fields extends object>(fields: Fields, name: keyof Fields): Fields {
  return name in fields ? { ...fields, [name]: boundOf(fields[name]) } : fields;
}

/** `offset`, `limit` and the like; boundOf makes the number that all other code gets. */
export const bound = Type.Integer({ minimum: 0, maximum: BOUND_MAX });
export const positiveBound = Type.Integer({ minimum: 1, maximum: BOUND_MAX });
export const count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
export const positiveCount = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
export const smallCount = Type.Integer({ minimum: 0, maximum: U8_MAX });
export const ratio = Type.Number({ minimum: 0, maximum: 1 });
export const text = Type.String();
export const flag = Type.Boolean();
export const texts: TArray<TString> = Type.Array(text);

/** One expression, or a list joined by AND whose inner lists are joined by OR. */
export const filterKind = Type.Union([text, Type.Array(Type.Union([text, texts]))]);
/** Checked together with its syntax (engine/filter/feature.ts). */
export const filter = late(filterKind);

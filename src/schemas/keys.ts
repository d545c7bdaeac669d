// Bodies of the routes under /keys, and those texts in them that a pattern cannot check: uids and dates.
import type { Static } from "typebox";
import * as Type from "typebox";
import { ACTION_NAMES } from "./actions.ts";
import { nullable, optional, strictObject, text } from "./fields.ts";

/** A moment in the future: as text, and in milliseconds since 1970. */
interface Expiry {
  text: string;
  milliseconds: number;
}

const uid = Type.Refine(Type.String({ description: "a UUID" }), (value) => uuidOf(value) !== null);

export const INDEX_PATTERN = /^(\*|[A-Za-z0-9_-]{1,400}\*?)$/;

const indexPattern = Type.String({
  pattern: INDEX_PATTERN.source,
  description: "an index uid, the beginning of one followed by `*`, or `*`",
});

const expiresAt = Type.Refine(
  Type.String({ description: "a moment in the future such as `2099-12-31T08:00:00Z` or `2099-12-31`" }),
  (value) => (expiryOf(value)?.milliseconds ?? 0) > Date.now(),
);

const codes = {
  name: "invalid_api_key_name",
  description: "invalid_api_key_description",
  uid: "invalid_api_key_uid",
  actions: "invalid_api_key_actions",
  indexes: "invalid_api_key_indexes",
  expiresAt: "invalid_api_key_expires_at",
} as const;

export const KeyBody = strictObject(
  {
    name: optional(text),
    description: optional(text),
    uid: Type.Optional(uid),
    actions: Type.Array(Type.Enum([...ACTION_NAMES])),
    indexes: Type.Array(indexPattern),
    expiresAt: nullable(expiresAt),
  },
  {
    "x-codes": codes,
    "x-missing": {
      actions: "missing_api_key_actions",
      indexes: "missing_api_key_indexes",
      expiresAt: "missing_api_key_expires_at",
    },
  },
);
export type KeyBody = Static<typeof KeyBody>;

/** The other fields are named only to be refused with their own codes. */
export const KeyPatch = Type.Object(
  { name: optional(text), description: optional(text) },
  {
    additionalProperties: false,
    "x-codes": {
      name: codes.name,
      description: codes.description,
      uid: "immutable_api_key_uid",
      actions: "immutable_api_key_actions",
      indexes: "immutable_api_key_indexes",
      expiresAt: "immutable_api_key_expires_at",
      createdAt: "immutable_api_key_created_at",
      updatedAt: "immutable_api_key_updated_at",
    },
  },
);
export type KeyPatch = Static<typeof KeyPatch>;

const UUID = /^(?:urn:uuid:)?([\da-f]{8})(-?)([\da-f]{4})\2([\da-f]{4})\2([\da-f]{4})\2([\da-f]{12})$/i;

/** In lower case with hyphens, from any usual notation; null if it is not a UUID. */
export function uuidOf(value: string): string | null {
  const bare = /^\{.*\}$/.test(value) ? value.slice(1, -1) : value;
  const [whole, first, , ...others] = UUID.exec(bare) ?? [];
  return whole === undefined ? null : [first, ...others].join("-").toLowerCase();
}

const DATE =
  /^(\d{4}-\d\d-\d\d)(?:[T ]((?:[01]\d|2[0-3]):\d\d:\d\d)(?:(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d))?)?$/i;

/**
 * Without an offset, and then without a fraction of a second, it is UTC; without a time, midnight. Null for a
 * text that is not a date, or not one of the calendar.
 */
export function expiryOf(value: string): Expiry | null {
  const [whole, day, time = "00:00:00", fraction = "", offset = "Z"] = DATE.exec(value) ?? [];
  if (whole === undefined) return null;
  const isRealDay = new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day) ?? false;
  const zone = /^([Zz]|[+-]00:00)$/.test(offset) ? "Z" : offset;
  const seconds = Date.parse(`${day}T${time}${zone}`);
  if (!isRealDay || Number.isNaN(seconds)) return null;
  const digits = fraction.replace(/0+$/, "");
  const written = `${day}T${time}${digits === "" ? "" : `.${digits}`}${zone}`;
  return { text: written, milliseconds: seconds + Number(digits.padEnd(3, "0").slice(0, 3)) };
}

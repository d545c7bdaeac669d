// Bodies of the routes on whole indexes: creation, update, swap.
import * as Type from "typebox";
import { bound, flag, optional, strictObject, text } from "./fields.ts";
import { INDEX_UID_EXPECTED, INDEX_UID_PATTERN } from "./indexuid.ts";

export const indexUid = Type.String({ pattern: INDEX_UID_PATTERN, description: INDEX_UID_EXPECTED });

/** A page of the list of indexes; over HTTP these are query parameters. */
export const PageBody = strictObject(
  { offset: Type.Optional(bound), limit: Type.Optional(bound) },
  { "x-codes": { offset: "invalid_index_offset", limit: "invalid_index_limit" } },
);

export const IndexBody = strictObject(
  { uid: indexUid, primaryKey: optional(text) },
  {
    "x-codes": { uid: "invalid_index_uid", primaryKey: "invalid_index_primary_key" },
    "x-missing": { uid: "missing_index_uid" },
  },
);

const indexPatchFields = { uid: optional(indexUid), primaryKey: optional(text) };

/** The dates are named only to be refused with their own codes. */
export const IndexPatch = Type.Object(indexPatchFields, {
  additionalProperties: false,
  "x-codes": {
    uid: "invalid_index_uid",
    primaryKey: "invalid_index_primary_key",
    createdAt: "immutable_index_created_at",
    updatedAt: "immutable_index_updated_at",
  },
});

export const SwapBody = Type.Array(
  strictObject(
    {
      indexes: Type.Array(indexUid, { minItems: 2, maxItems: 2, description: "an array of two index uids" }),
      rename: Type.Optional(flag),
    },
    {
      "x-codes": { indexes: "invalid_swap_indexes", rename: "invalid_swap_rename" },
      "x-missing": { indexes: "missing_swap_indexes" },
    },
  ),
);

// Body of POST /export.
import type { Static } from "typebox";
import * as Type from "typebox";
import { parseSize } from "../sizes.ts";
import { count, filterKind, flag, optional, strictObject, text } from "./fields.ts";
import { INDEX_PATTERN } from "./keys.ts";

/** 0 is the least possible: one document in each request. */
const payloadSize = Type.Union(
  [count, Type.Refine(Type.String(), (value) => parseSize(value) !== undefined)],
  { description: "a number of bytes, or a size such as `50 MiB`" },
);

const index = strictObject(
  { filter: optional(filterKind), overrideSettings: Type.Optional(flag) },
  {
    "x-codes": {
      filter: "invalid_export_index_filter",
      overrideSettings: "invalid_export_index_override_settings",
    },
    "x-unknown": "bad_request",
  },
);

/** Patterns as keys have them: an index uid, a beginning of one followed by `*`, or `*`. */
const indexes = Type.Record(Type.String({ pattern: INDEX_PATTERN.source }), index, {
  additionalProperties: false,
});

export const ExportBody = strictObject(
  {
    url: Type.Optional(text),
    apiKey: optional(text),
    payloadSize: optional(payloadSize),
    indexes: optional(indexes),
  },
  {
    "x-codes": {
      url: "invalid_export_url",
      apiKey: "invalid_export_api_key",
      payloadSize: "invalid_export_payload_size",
    },
  },
);
export type ExportBody = Static<typeof ExportBody>;

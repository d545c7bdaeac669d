// Bodies of POST and PATCH /webhooks.
import * as Type from "typebox";
import { nullable, optional, recordOf, text } from "./fields.ts";

/** `uuid` and `isEditable` are named only to be refused with codes of their own. */
const codes = {
  "x-codes": {
    url: "invalid_webhook_url",
    headers: "invalid_webhook_headers",
    uuid: "immutable_webhook_uuid",
    isEditable: "immutable_webhook_is_editable",
  },
  "x-missing": { url: "invalid_webhook_url" },
} as const;

/** Name -> value; null removes a header. */
const headers = optional(recordOf(nullable(text), { description: "an object of header names and texts" }));

export const WebhookBody = Type.Object({ url: text, headers }, { additionalProperties: false, ...codes });

/** A URL that is absent stays; there is no webhook without one. */
export const WebhookPatch = Type.Object(
  { url: Type.Optional(text), headers },
  { additionalProperties: false, ...codes },
);

// Body of POST and PATCH /webhooks.
import * as Type from "typebox";
import { nullable, optional, recordOf, text } from "./fields.ts";

/** Name -> value; null means an empty value when the webhook is created, and later removes the header. */
const headers = optional(recordOf(nullable(text), { description: "an object of header names and texts" }));

/**
 * A URL that is absent or null is refused by src/tasks/webhooks.ts, after the checks that clients expect
 * first. `uuid` and `isEditable` are named only to be refused with their own codes.
 */
export const WebhookBody = Type.Object(
  { url: optional(text), headers },
  {
    additionalProperties: false,
    "x-codes": {
      url: "invalid_webhook_url",
      headers: "invalid_webhook_headers",
      uuid: "immutable_webhook_uuid",
      isEditable: "immutable_webhook_is_editable",
    },
  },
);

// The text of a document by the default template, which most embedders use: rendered directly, without the
// template engine. Called by prompts.ts, and by userprovided.ts to see whether a document has changed.
import { VECTORS_FIELD } from "../schemas/vectorsfield.ts";
import type { PromptDocument } from "./embedder.ts";
import { written } from "./written.ts";

/** Fields that are hidden from templates. */
const HIDDEN = [VECTORS_FIELD, "_geo", "_geojson"];

export function shownFields(fields: PromptDocument["fields"]): [string, unknown][] {
  return Object.entries(fields).filter(([name]) => !HIDDEN.includes(name));
}

/** What the default template produces, or at least its beginning. Throws a TemplateFailure. */
export function defaultText(
  shown: readonly [string, unknown][],
  isSearchable: PromptDocument["isSearchable"],
  bytesMax: number,
): string {
  let text = "";
  for (const [name, value] of shown) {
    if (text.length >= bytesMax) break;
    if (value !== null && isSearchable(name)) text += `${name}: ${written(value)}\n`;
  }
  return text;
}

// How templates write JSON values, and the failure when they cannot. Used by the files of templates, and by
// documenttext.ts for the default template, which is rendered without the template engine.
import { decimal } from "../core/decimal.ts";

/** A template that cannot be parsed or rendered: where, and why. */
export class TemplateFailure extends Error {}

/** The key of the digits in an object that stands for a number. */
export const DIGITS = Symbol("digits");

/** Most levels of nested values. */
export const DEPTH_MAX = 512;

export function tooDeep(): TemplateFailure {
  return new TemplateFailure(`values are nested deeper than ${DEPTH_MAX} levels`);
}

/** Null is written as nothing; the contents of lists and objects one after the other, with the keys. */
export function written(value: unknown, depth = 0): string {
  if (typeof value === "string") return value;
  if (value === null) return "";
  if (typeof value === "number") return decimal(value);
  if (typeof value !== "object") return String(value);
  const { [DIGITS]: digits } = value as { [DIGITS]?: string };
  if (digits !== undefined) return digits;
  if (depth > DEPTH_MAX) throw tooDeep();
  if (Array.isArray(value)) return value.map((item) => written(item, depth + 1)).join("");
  const entries = Object.entries(value as object);
  return entries.map(([key, inner]) => key + written(inner, depth + 1)).join("");
}

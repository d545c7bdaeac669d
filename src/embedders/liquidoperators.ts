// Operators of conditions that work differently in the template engine than in the peer, where templates come
// from. Used by liquid.ts.
import { type Context, defaultOperators, type Operators, toValue } from "liquidjs";
import { compareBytes } from "../core/bytes.ts";
import { isThere } from "./conditions.ts";
import { isObject } from "./liquidfilters.ts";
import { written } from "./written.ts";

export const LIQUID_OPERATORS: Operators = {
  ...defaultOperators,
  "<>": defaultOperators["!="],
  "<": ordered((order) => order < 0),
  "<=": ordered((order) => order <= 0),
  ">": ordered((order) => order > 0),
  ">=": ordered((order) => order >= 0),
  contains,
  not: (value: unknown, context: Context) => !isThere(value, context),
  and: (left, right, context) => isThere(left, context) && isThere(right, context),
  or: (left, right, context) => isThere(left, context) || isThere(right, context),
};

/**
 * Only values of one kind have an order: to JavaScript null and the empty text were smaller than every
 * positive number.
 */
function ordered(holds: (order: number) => boolean): Operators[string] {
  return (left: unknown, right: unknown) => {
    const [one, other] = [toValue(left) as unknown, toValue(right) as unknown];
    if (typeof one !== typeof other) return false;
    if (typeof one === "string") return holds(compareBytes(one, other as string));
    if (typeof one !== "number" && typeof one !== "boolean") return false;
    return holds(Number(one) - Number(other));
  };
}

/** Whether a list has an element, an object a key, or the text of anything else a part. */
function contains(left: unknown, right: unknown, context: Context): ReturnType<typeof containsElement> {
  const [whole, part] = [toValue(left) as unknown, toValue(right) as unknown];
  if (Array.isArray(whole)) return containsElement(whole, right, context);
  if (whole === null) return false;
  return isObject(whole) ? Object.hasOwn(whole, written(part)) : written(whole).includes(written(part));
}

const containsElement = defaultOperators.contains;

// How floats are written in answers: always with a decimal point, `1.0`, as the reference does. Clients in
// languages that distinguish floats from integers refuse a score of `1`. Used wherever scores, statistics of
// facets and vectors are written.

/** JSON of a number that is a float; null for values that JSON has no number for. */
export function floatText(value: number): string {
  const text = JSON.stringify(value);
  return Number.isInteger(value) && !text.includes("e") ? `${text}.0` : text;
}

/** JSON of a list of floats. */
export const floatsText = (values: ArrayLike<number>): string =>
  `[${Array.from(values, floatText).join(",")}]`;

/** JSON of a value in which all numbers are floats. */
export const textOfFloats = (value: unknown): string => textOf(value, NONE, true);

/** JSON of a value in which all numbers inside the members with these names are floats. */
export function textWithFloats(value: unknown, names: ReadonlySet<string>): string {
  return textOf(value, names, false);
}

const NONE: ReadonlySet<string> = new Set();

function textOf(value: unknown, names: ReadonlySet<string>, isFloat: boolean): string {
  if (typeof value === "number" && isFloat) return floatText(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map((one) => textOf(one, names, isFloat)).join(",")}]`;
  const members = Object.entries(value).flatMap(([name, one]) => {
    if (one === undefined) return [];
    return [`${JSON.stringify(name)}:${textOf(one, names, isFloat || names.has(name))}`];
  });
  return `{${members.join(",")}}`;
}

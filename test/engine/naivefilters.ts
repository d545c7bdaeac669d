// Random filters over the field `a` of plain documents, each with a function that says which it lets through.
import fc from "fast-check";
import type { GeoJson } from "../twins/shapes.ts";

export type Document = { id: number; a?: unknown; _geojson?: GeoJson | null };
export type Condition = { text: string; holds: (document: Document) => boolean };

const scalar = fc.constantFrom<unknown>(0, 1, 2, 10, -3, 1.5, "x", "X", "y é", "10", true, false, null, "");
export const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.constant({}));
const leaves = ({ a }: Document): unknown[] => (Array.isArray(a) ? a : a === undefined ? [] : [a]);
const strings = (d: Document) =>
  leaves(d).flatMap((leaf) =>
    (typeof leaf === "string" && leaf) || typeof leaf === "boolean"
      ? [String(leaf).normalize("NFKD").toLowerCase()]
      : [],
  );
const numbers = (d: Document) => leaves(d).filter((leaf) => typeof leaf === "number");

const isOneOf =
  (...texts: string[]) =>
  (text: string) =>
    texts.includes(text);
const isBetween = (d: Document, least: number, most: number, first: string, last: string): boolean =>
  numbers(d).some((n) => Number(n) >= least && Number(n) <= most) ||
  strings(d).some((s) => s >= first && s <= last);

const plainCondition: fc.Arbitrary<Condition> = fc.oneof(
  fc.constantFrom("0", "1", "10", "1.5", "x", "y É", "true", "-3").chain((v) => {
    const text = v.normalize("NFKD").toLowerCase();
    const number = Number(v);
    const compare = (symbol: string, holds: (order: number) => boolean): Condition => ({
      text: `a ${symbol} "${v}"`,
      holds: (d) =>
        numbers(d).some((n) => !Number.isNaN(number) && holds(n - number)) ||
        strings(d).some((s) => holds(Buffer.compare(Buffer.from(s), Buffer.from(text)))),
    });
    const equal = compare("=", (order) => order === 0);
    return fc.constantFrom(
      equal,
      { text: `a NOT IN ["${v}"]`, holds: (d: Document) => !equal.holds(d) },
      compare(">", (order) => order > 0),
      compare(">=", (order) => order >= 0),
      compare("<", (order) => order < 0),
      compare("<=", (order) => order <= 0),
    );
  }),
  fc.constantFrom<Condition>(
    { text: "a EXISTS", holds: ({ a }) => a !== undefined },
    { text: "a IS NULL", holds: ({ a }) => a === null },
    { text: "a IS EMPTY", holds: ({ a }) => ["[]", "{}", '""'].includes(JSON.stringify(a) ?? "") },
    { text: "a STARTS WITH y", holds: (d) => strings(d).some((s) => s.startsWith("y")) },
    { text: 'a STARTS WITH ""', holds: ({ a }) => a !== undefined },
    { text: 'a CONTAINS "R"', holds: (d) => strings(d).some((s) => s.includes("r")) },
    { text: "a 1 TO 10", holds: (d) => isBetween(d, 1, 10, "1", "10") },
    { text: "a t TO x", holds: (d) => isBetween(d, 1, 0, "t", "x") },
    {
      text: 'a IN [1, x, "Y É"]',
      holds: (d) => numbers(d).includes(1) || strings(d).some(isOneOf("x", "y e\u0301")),
    },
  ),
);
/** Filters made of these conditions and others. */
export function filterOf(...more: fc.Arbitrary<Condition>[]): fc.Arbitrary<Condition> {
  const condition = fc.oneof(plainCondition, ...more);
  return fc.letrec<{ filter: Condition }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 3 },
      condition,
      tie("filter").map((f) => ({ text: `NOT (${f.text})`, holds: (d: Document) => !f.holds(d) })),
      fc.tuple(tie("filter"), tie("filter")).map(([f, g]) => ({
        text: `(${f.text}) AND (${g.text})`,
        holds: (d: Document) => f.holds(d) && g.holds(d),
      })),
      fc.tuple(tie("filter"), tie("filter")).map(([f, g]) => ({
        text: `(${f.text}) OR (${g.text})`,
        holds: (d: Document) => f.holds(d) || g.holds(d),
      })),
    ),
  })).filter;
}

// What hits and documents can be sorted by. Read from texts by sorting.ts.
import type { Corner } from "../filter/expression.ts";

export type Direction = "asc" | "desc";

export type Criterion = { direction: Direction } & (
  | { kind: "field"; name: string }
  | { kind: "geo"; point: Corner }
);

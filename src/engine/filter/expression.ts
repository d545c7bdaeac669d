// The syntax tree of a filter, as parse.ts makes it and evaluate.ts walks it.

/** A name or value of the expression, with its place in it (UTF-16 units). */
export interface Token {
  text: string;
  /** Where its characters begin, and end, in the expression, quotes included. */
  from: number;
  to: number;
  /** The expression that it is part of. */
  source: string;
}

export type ComparisonOperator = "=" | "!=" | "<" | "<=" | ">" | ">=";
export type Corner = readonly [lat: number, lng: number];

/** A mistake that is refused when the filter is evaluated, and its place. */
export interface Fault {
  diagnosis: string;
  place: Token;
}

export type Filter =
  | { kind: "and" | "or"; parts: Filter[] }
  | { kind: "not"; part: Filter }
  | { kind: "compare"; attribute: Token; operator: ComparisonOperator; value: Token }
  | { kind: "range"; attribute: Token; low: Token; high: Token }
  | { kind: "in"; attribute: Token; values: Token[] }
  | { kind: "exists" | "null" | "empty"; attribute: Token }
  | { kind: "contains" | "starts"; attribute: Token; value: Token }
  /** `fault`: what is wrong with the degrees of the area. */
  | {
      kind: "radius";
      place: Token;
      fault: Fault | null;
      center: Corner;
      meters: number;
      resolution: number;
    }
  | { kind: "box"; place: Token; fault: Fault | null; topRight: Corner; bottomLeft: Corner }
  | { kind: "polygon"; place: Token; fault: Fault | null; corners: Corner[] }
  /** `embedder` null: any embedder; `part` null: any vector. */
  | { kind: "vectors"; place: Token; embedder: Token | null; part: VectorPart | null };

/** Which of an embedder's vectors the condition is about. */
export type VectorPart =
  | { kind: "userProvided" | "documentTemplate" | "regenerate" }
  | { kind: "fragment"; fragment: Token };

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

export type Filter =
  | { kind: "and" | "or"; parts: Filter[] }
  | { kind: "not"; part: Filter }
  | { kind: "compare"; attribute: Token; operator: ComparisonOperator; value: Token }
  | { kind: "range"; attribute: Token; low: Token; high: Token }
  | { kind: "in"; attribute: Token; values: Token[] }
  | { kind: "exists" | "null" | "empty"; attribute: Token }
  | { kind: "contains" | "starts"; attribute: Token; value: Token }
  | { kind: "radius"; place: Token; center: Corner; meters: number; resolution: number }
  | { kind: "box"; place: Token; topRight: Corner; bottomLeft: Corner }
  | { kind: "polygon"; place: Token; corners: Corner[] }
  /** `embedder` null: any embedder; `part` null: any vector. */
  | { kind: "vectors"; place: Token; embedder: Token | null; part: VectorPart | null };

/** Which of an embedder's vectors the condition is about. */
export type VectorPart =
  | { kind: "userProvided" | "documentTemplate" | "regenerate" }
  | { kind: "fragment"; fragment: Token };

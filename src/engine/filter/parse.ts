// Parses the filter of a request into its tree. The grammar:
//
//   or          and ("OR" and)*
//   and         not ("AND" not)*
//   not         "NOT" not | primary
//   primary     "(" or ")" | geo | value condition
//   condition   comparison value | value "TO" value | ["NOT"] "IN" "[" values "]" | ["NOT"] "EXISTS"
//               | "IS" ["NOT"] "NULL"
//               | "IS" ["NOT"] "EMPTY" | ["NOT"] "CONTAINS" value | ["NOT"] "STARTS WITH" value
//
// Called by the routes, which refuse an invalid filter at once, and again where filters are evaluated.
import { type ErrorCode, TarsierError } from "../../errors.ts";
import type { ComparisonOperator, Filter, Token } from "./expression.ts";
import { parseGeo } from "./geoparse.ts";
import { Lexer, type ValueCount } from "./lexer.ts";
import { parseVectors } from "./vectorparse.ts";

/** A filter as requests contain it. */
export type FilterSource = string | readonly (string | readonly string[])[];

/** Bound for the nesting of an expression: the expression counts 3, a parenthesis 4, a NOT 1. */
const DEPTH_MAX = 150;
const EXPRESSION_DEPTH = 3;
const PARENTHESIS_DEPTH = 4;
const COMPARISONS: readonly ComparisonOperator[] = ["!=", ">=", "<=", "=", ">", "<"];
const OPERATORS =
  "`=`, `!=`, `>`, `>=`, `<`, `<=`, `IN`, `NOT IN`, `TO`, `EXISTS`, `NOT EXISTS`, `IS NULL`, " +
  "`IS NOT NULL`, `IS EMPTY`, `IS NOT EMPTY`, `CONTAINS`, `NOT CONTAINS`, `STARTS WITH`, " +
  "`NOT STARTS WITH`, `_geoRadius`, `_geoBoundingBox` or `_geoPolygon`";

/**
 * The tree of a filter; null when it is empty.
 * @throws TarsierError of `code` that shows where the mistake is
 */
export function parseFilter(filter: FilterSource | null, code: ErrorCode): Filter | null {
  if (filter === null) return null;
  const count = { values: 0 };
  const parse = (source: string) => parseExpression(source, code, count);
  if (typeof filter === "string") return parse(filter);
  const parts = filter.flatMap((part) => {
    if (typeof part === "string") return parse(part) ?? [];
    const choices = part.flatMap((choice) => parse(choice) ?? []);
    return choices.length ? joined("or", choices) : [];
  });
  return parts.length ? joined("and", parts) : null;
}

/** Calls `visit` for every condition. */
export function eachCondition(filter: Filter, visit: (condition: Filter) => void): void {
  if (filter.kind === "and" || filter.kind === "or")
    for (const part of filter.parts) eachCondition(part, visit);
  else if (filter.kind === "not") eachCondition(filter.part, visit);
  else visit(filter);
}

function parseExpression(source: string, code: ErrorCode, count: ValueCount): Filter | null {
  if (source.trim() === "") return null;
  const lexer = new Lexer(source, code, count);
  const filter = new Parser(lexer).or(EXPRESSION_DEPTH);
  if (lexer.ended) return filter;
  throw lexer.error(
    `Found unexpected characters at the end of the filter: \`${lexer.rest}\`. ` +
      "You probably forgot an `OR` or an `AND` rule.",
  );
}

const joined = (kind: "and" | "or", parts: Filter[]): Filter =>
  parts.length === 1 ? parts[0] : { kind, parts };
const negatedIf = (isNegated: boolean, part: Filter): Filter => (isNegated ? { kind: "not", part } : part);

class Parser {
  readonly #lexer: Lexer;

  constructor(lexer: Lexer) {
    this.#lexer = lexer;
  }

  or(depth: number): Filter {
    const parts = [this.#and(depth)];
    while (this.#lexer.takeKeyword("OR")) parts.push(this.#and(depth));
    return joined("or", parts);
  }

  #and(depth: number): Filter {
    const parts = [this.#not(depth)];
    while (this.#lexer.takeKeyword("AND")) parts.push(this.#not(depth));
    return joined("and", parts);
  }

  #not(depth: number): Filter {
    if (depth > DEPTH_MAX)
      throw this.#lexer.error("The filter exceeded the maximum depth limit. Try rewriting it.");
    if (this.#lexer.takeKeyword("NOT")) return { kind: "not", part: this.#not(depth + 1) };
    return this.#primary(depth);
  }

  #primary(depth: number): Filter {
    const lexer = this.#lexer;
    lexer.skipSpace();
    const from = lexer.at;
    if (lexer.takeSymbol("(")) {
      const inner = this.or(depth + PARENTHESIS_DEPTH);
      if (!lexer.takeSymbol(")")) throw lexer.error("Expression is missing the closing delimiter `)`.", from);
      return inner;
    }
    if (lexer.ended)
      throw lexer.error(`Was expecting an operation ${OPERATORS} but instead got nothing.`, from);
    const geo = parseGeo(lexer);
    if (geo) return geo;
    const word = lexer.peekWord();
    if (word === "_foreign" && lexer.source[lexer.at + word.length] === "(")
      throw lexer.error("Filters on `_foreign` are not available in this version.", from);
    const vectors = parseVectors(lexer);
    if (vectors) return vectors;
    return this.#condition(lexer.value(), from);
  }

  #condition(attribute: Token, from: number): Filter {
    const lexer = this.#lexer;
    for (const operator of COMPARISONS) {
      if (lexer.takeSymbol(operator)) return { kind: "compare", attribute, operator, value: lexer.value() };
    }
    if (lexer.takeKeyword("IS")) {
      const isNegated = lexer.takeKeyword("NOT");
      if (lexer.takeKeyword("NULL")) return negatedIf(isNegated, { kind: "null", attribute });
      if (lexer.takeKeyword("EMPTY")) return negatedIf(isNegated, { kind: "empty", attribute });
      throw this.#noOperator(from);
    }
    const isNegated = lexer.takeKeyword("NOT");
    if (lexer.takeKeyword("EXISTS")) return negatedIf(isNegated, { kind: "exists", attribute });
    if (lexer.takeKeyword("IN")) return negatedIf(isNegated, { kind: "in", attribute, values: this.#list() });
    if (lexer.takeKeyword("CONTAINS")) {
      return negatedIf(isNegated, { kind: "contains", attribute, value: lexer.value() });
    }
    if (lexer.takeKeyword("STARTS WITH")) {
      return negatedIf(isNegated, { kind: "starts", attribute, value: lexer.value() });
    }
    if (isNegated || !/^[\p{Alphabetic}\p{N}_.'"-]/u.test(lexer.rest)) throw this.#noOperator(from);
    return this.#range(attribute, from);
  }

  #range(attribute: Token, from: number): Filter {
    const lexer = this.#lexer;
    const before = lexer.at;
    let low: Token;
    try {
      low = lexer.value();
    } catch (error) {
      if (error instanceof TarsierError && !/^['"]/.test(lexer.source.slice(before)))
        throw this.#noOperator(from);
      throw error;
    }
    if (!lexer.takeKeyword("TO") || !/^\s/.test(lexer.rest)) throw this.#noOperator(from);
    return { kind: "range", attribute, low, high: lexer.value() };
  }

  #list(): Token[] {
    const lexer = this.#lexer;
    const from = lexer.at;
    if (!lexer.takeSymbol("[")) throw lexer.error("Expected `[` after `IN` keyword.");
    const values: Token[] = [];
    while (!lexer.takeSymbol("]")) {
      if (lexer.ended) throw lexer.error("Expected `]` at the end of the values of `IN`.", from);
      values.push(lexer.value());
      if (lexer.takeSymbol(",")) continue;
      if (lexer.takeSymbol("]")) break;
      throw lexer.error("Expected only comma-separated values inside `IN[..]`, and `]` at its end.");
    }
    return values;
  }

  #noOperator(from: number): TarsierError {
    const { source } = this.#lexer;
    return this.#lexer.error(`Was expecting an operation ${OPERATORS} at \`${source.slice(from)}\`.`, from);
  }
}

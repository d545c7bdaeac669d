// Refusals of filters: what is wrong, then the place in the expression and the expression itself.
import { type ErrorCode, TarsierError } from "../../errors.ts";
import type { Token } from "./expression.ts";

export function filterError(
  code: ErrorCode,
  diagnosis: string,
  { from, to, source }: Omit<Token, "text">,
): TarsierError {
  const columns = `${columnOf(source, from)}:${columnOf(source, to)}`;
  return new TarsierError(code, { message: `${diagnosis}\n${columns} ${source}` });
}

/** Columns count characters, from 1. */
const columnOf = (source: string, at: number): number => [...source.slice(0, at)].length + 1;

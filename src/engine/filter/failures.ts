// Refusals of filters: the mistake, then its place in the expression and the expression itself.
import { unitsAt } from "../../core/codeunits.ts";
import { type ErrorCode, TarsierError } from "../../errors.ts";
import type { Token } from "./expression.ts";

export function filterError(
  code: ErrorCode,
  diagnosis: string,
  { from, to, source }: Omit<Token, "text">,
): TarsierError {
  const columns = `${columnOf(source, from)}:${columnOf(source, to)}`;
  return new TarsierError(code, { message: `${diagnosis}\n${columns} ${source.slice(0, SHOWN_LEN_MAX)}` });
}

/** Letters of the expression that are shown; messages are cut shorter than that. */
const SHOWN_LEN_MAX = 10_000;

/** Column of a place: counted in characters, from 1. */
function columnOf(source: string, at: number): number {
  let column = 1;
  for (let place = 0; place < at; column++) place += unitsAt(source, place);
  return column;
}

// Turns the texts that were given for options into values. The first layer that has an option wins: command
// line, then environment, then config file; else the default applies.
import type { OptionRow } from "../option-rows.ts";
import { UsageError } from "../usageerror.ts";
import type { Given, OptionTable } from "./arguments.ts";

export type ValuesOf<Table extends OptionTable> = {
  [Name in keyof Table]: Table[Name] extends OptionRow<infer Value> ? Value : never;
};

/** @throws UsageError for a text that its option does not allow */
export function settle<Table extends OptionTable>(
  table: Table,
  layers: readonly ReadonlyMap<string, Given>[],
): ValuesOf<Table> {
  const values: Record<string, unknown> = {};
  for (const [name, row] of Object.entries(table)) {
    const given = layers.find((layer) => layer.has(name))?.get(name);
    values[name] = given ? parseGiven(row, given) : row.fallback();
  }
  return values as ValuesOf<Table>;
}

function parseGiven(row: OptionRow<unknown>, { text, place }: Given): unknown {
  const value = row.parse(text);
  if (value === undefined)
    throw new UsageError(`${place} is ${JSON.stringify(text)}, which is not ${row.allowed}`);
  return value;
}

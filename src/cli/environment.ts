// Options given by the environment: `TARSIER_DB_PATH`, or `MEILI_DB_PATH` for those who come from there.
import { kebabCase } from "../kebabcase.ts";
import { type Given, type OptionTable, type RefusedOptions, refusedAt, switchText } from "./arguments.ts";

const PREFIXES = ["TARSIER_", "MEILI_"];

/**
 * An empty variable counts as not set: that is how container descriptions leave one out.
 * @throws UsageError for options that are refused
 */
export function readEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  table: OptionTable,
  refused: RefusedOptions = {},
): Map<string, Given> {
  const placeOf = (names: readonly string[]) => {
    const written = names.map((name) => name.toUpperCase().replaceAll("-", "_"));
    const places = PREFIXES.flatMap((prefix) => written.map((spelling) => prefix + spelling));
    return places.find((place) => environment[place]);
  };
  for (const [name, reason] of Object.entries(refused)) {
    const place = placeOf([name]);
    if (place !== undefined && environment[place] !== "false") throw refusedAt(place, reason);
  }
  const given = new Map<string, Given>();
  for (const [name, row] of Object.entries(table)) {
    const place = placeOf([kebabCase(name), ...row.aliases]);
    const text = place === undefined ? null : switchText(environment[place] ?? "", row);
    if (place !== undefined && text !== null) given.set(name, { text, place });
  }
  return given;
}

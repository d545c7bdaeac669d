// Options given by the environment: `TARSIER_DB_PATH`, or `MEILI_DB_PATH` for those who come from there.
import { kebabCase } from "../kebabcase.ts";
import type { Given, OptionTable } from "./arguments.ts";

const PREFIXES = ["TARSIER_", "MEILI_"];

/** An empty variable counts as not set: that is how container descriptions leave one out. */
export function readEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  table: OptionTable,
): Map<string, Given> {
  const given = new Map<string, Given>();
  for (const [name, { aliases }] of Object.entries(table)) {
    const written = [kebabCase(name), ...aliases].map((spelling) =>
      spelling.toUpperCase().replaceAll("-", "_"),
    );
    const places = PREFIXES.flatMap((prefix) => written.map((spelling) => prefix + spelling));
    const place = places.find((candidate) => environment[candidate]);
    if (place !== undefined) given.set(name, { text: environment[place] ?? "", place });
  }
  return given;
}

// Options from the environment: `TARSIER_DB_PATH`, or `MEILI_DB_PATH` for users of the peer.
import { kebabCase } from "../kebabcase.ts";
import {
  type Given,
  type OptionTable,
  optionsByName,
  type RefusedOptions,
  refusedAt,
  switchText,
} from "./arguments.ts";
import { nearest } from "./nearest.ts";

const PREFIXES = ["TARSIER_", "MEILI_"];

/**
 * Variables whose name is nearly that of an option. Other names may have any origin: Kubernetes sets some for
 * a service with our name.
 */
export function mistypedVariables(
  environment: Readonly<Record<string, string | undefined>>,
  table: OptionTable,
  refused: RefusedOptions,
): string[] {
  const names = new Set([...optionsByName(table).keys(), ...Object.keys(refused)].map(upper));
  return Object.keys(environment).flatMap((variable) => {
    const name = variable.slice(PREFIXES[0].length);
    if (!variable.startsWith(PREFIXES[0]) || names.has(name)) return [];
    const likely = nearest(name, [...names]);
    return likely === undefined ? [] : `${variable} is no option: did you mean ${PREFIXES[0]}${likely}?`;
  });
}

/** The variable of an option, by the name that the option has in its table. */
export const variableOf = (name: string): string => PREFIXES[0] + upper(kebabCase(name));

const upper = (name: string): string => name.toUpperCase().replaceAll("-", "_");

/**
 * An empty variable counts as not set, because that is how container descriptions leave one out.
 * @throws UsageError for options that are refused
 */
export function readEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  table: OptionTable,
  refused: RefusedOptions = {},
): Map<string, Given> {
  const placeOf = (names: readonly string[]) => {
    const written = names.map(upper);
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

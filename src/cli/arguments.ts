// Reads a command line against a table of options: `--name value`, `--name=value`, flags, and positional
// arguments. Used by every command; values stay texts until settle() in values.ts reads them.
import { kebabCase } from "../kebabcase.ts";
import type { OptionRow } from "../option-rows.ts";
import { UsageError } from "../usageerror.ts";
import { nearest } from "./nearest.ts";

export type OptionTable = Readonly<Record<string, OptionRow<unknown>>>;

/** Names, as on the command line, of options that are refused, and why. */
export type RefusedOptions = Readonly<Record<string, string>>;

/** A value that was given, and where: `--db-path`, `TARSIER_DB_PATH`, `db_path in config.toml`. */
export interface Given {
  text: string;
  place: string;
}

export interface CommandLine {
  /** By name in the table; if an option is given twice, the last value counts. */
  given: Map<string, Given>;
  /** Arguments that are not options, in order. */
  positionals: string[];
}

/** @throws UsageError for unknown options (with the likely one) and missing values */
export function readArguments(
  args: readonly string[],
  table: OptionTable,
  refused: RefusedOptions = {},
): CommandLine {
  const names = optionsByName(table);
  const given = new Map<string, Given>();
  const positionals: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at];
    if (arg === "--") {
      positionals.push(...args.slice(at + 1));
      break;
    }
    if (!arg.startsWith("-") || arg === "-") {
      positionals.push(arg);
      continue;
    }
    const [place, value] = splitOnce(arg, "=");
    const name = names.get(place.replace(/^--/, ""));
    if (!place.startsWith("--") || name === undefined) throw unknownOption(place, names, refused);
    const next = value ?? valueBehind(table[name], args[at + 1]);
    if (value === undefined && next !== undefined) at++;
    const text = next ?? table[name].bare;
    if (text === null) throw new UsageError(`${place} needs a value: ${table[name].allowed}`);
    given.set(name, { text, place });
  }
  return { given, positionals };
}

/**
 * The next argument, if it is the value of this option. Flags take none; an optional value has to be a valid
 * one.
 */
function valueBehind(row: OptionRow<unknown>, next: string | undefined): string | undefined {
  if (next === undefined || row.placeholder === "") return undefined;
  if (row.bare !== null) return row.parse(next) === undefined ? undefined : next;
  return next.startsWith("--") ? undefined : next;
}

/** The options of a table by all their names, as on the command line. */
export function optionsByName(table: OptionTable): Map<string, string> {
  const names = new Map<string, string>();
  for (const [name, row] of Object.entries(table)) {
    for (const written of [kebabCase(name), ...row.aliases]) names.set(written, name);
  }
  return names;
}

function unknownOption(
  place: string,
  names: ReadonlyMap<string, string>,
  refused: RefusedOptions,
): UsageError {
  const name = place.replace(/^-+/, "");
  if (Object.hasOwn(refused, name)) return refusedAt(place, refused[name]);
  const likely = nearest(name, [...names.keys()]);
  const hint = likely === undefined ? "--help lists the options" : `did you mean --${likely}?`;
  return new UsageError(`unknown option ${place}: ${hint}`);
}

export function refusedAt(place: string, reason: string): UsageError {
  return new UsageError(`${place} cannot be used: ${reason}`);
}

/**
 * The text of a switch from a place where it needs a value: `true` stands for the value it has when bare,
 * `false` (null) for its absence.
 */
export function switchText(text: string, { bare }: OptionRow<unknown>): string | null {
  if (bare === null || bare === "true") return text;
  const lower = text.toLowerCase();
  if (lower === "false") return null;
  return lower === "true" ? bare : text;
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

// Options from a config file, in TOML or, if its name ends so, JSON. Keys are the names in snake_case.
import { existsSync, readFileSync } from "node:fs";
import { messageOf } from "../errors.ts";
import type { OptionRow } from "../option-rows.ts";
import { UsageError } from "../usageerror.ts";
import {
  type Given,
  type OptionTable,
  optionsByName,
  type RefusedOptions,
  refusedAt,
  switchText,
} from "./arguments.ts";
import { nearest } from "./nearest.ts";

const DEFAULT_PATH = "./config.toml";

interface ConfigFile {
  given: Map<string, Given>;
  /** Options meant for one launch, which are not taken from a file, each with its place. */
  passedOver: string[];
}

/**
 * Reads the file at `path`, or ./config.toml if `path` is null and that exists.
 * @throws UsageError for a file that cannot be read, unknown keys, and values that no option can have
 */
export async function readConfigFile(
  path: string | null,
  table: OptionTable,
  refused: RefusedOptions,
): Promise<ConfigFile> {
  const given = new Map<string, Given>();
  const passedOver: string[] = [];
  if (path === null && !existsSync(DEFAULT_PATH)) return { given, passedOver };
  const file = path ?? DEFAULT_PATH;
  const names = optionsByName(table);
  for (const [key, value] of Object.entries(await parseFile(file))) {
    const written = key.replaceAll("_", "-");
    if (Object.hasOwn(refused, written)) {
      if (value) throw refusedAt(`${key} in ${file}`, refused[written]);
      continue;
    }
    const name = names.get(written);
    if (name === undefined) throw unknownKey(file, written, [...names.keys()]);
    if (name === "configFilePath") throw new UsageError(`${file}: ${key} cannot stand in a config file`);
    const text = textOf(value, table[name]);
    if (text === undefined) throw new UsageError(`${file}: ${key} must be a text, a number, true or false`);
    const place = `${key} in ${file}`;
    if (text !== null && table[name].launchOnly) passedOver.push(place);
    else if (text !== null) given.set(name, { text, place });
  }
  return { given, passedOver };
}

async function parseFile(file: string): Promise<Record<string, unknown>> {
  let content: string;
  try {
    content = readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`the config file ${file} cannot be read: ${messageOf(error)}`);
  }
  try {
    const parsed: unknown = file.endsWith(".json")
      ? JSON.parse(content)
      : (await import("smol-toml")).parse(content);
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return { ...parsed };
  } catch (error) {
    throw new UsageError(`the config file ${file} cannot be read: ${messageOf(error)}`);
  }
  throw new UsageError(`the config file ${file} must hold one object`);
}

/**
 * The text of a value as on the command line; null: as if it were absent; undefined: there is no such value.
 */
function textOf(value: unknown, row: OptionRow<unknown>): string | null | undefined {
  if (value === null) return null;
  if (typeof value === "boolean") return switchText(String(value), row);
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value.join(",");
  return ["string", "number", "bigint"].includes(typeof value) ? String(value) : undefined;
}

function unknownKey(file: string, key: string, known: readonly string[]): UsageError {
  const likely = nearest(key, known);
  const hint = likely === undefined ? "" : `: did you mean ${snakeCase(likely)}?`;
  return new UsageError(`${file}: unknown key ${snakeCase(key)}${hint}`);
}

const snakeCase = (name: string): string => name.replaceAll("-", "_");

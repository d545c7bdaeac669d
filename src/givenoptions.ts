// Launch options that a program gives, which may be written without types: each value is held against the
// row of its option, and options that only make sense together against each other. Called by index.ts,
// node.ts and the command line.
import { randomBytes } from "node:crypto";
import { kebabCase } from "./kebabcase.ts";
import type { OptionRow } from "./option-rows.ts";
import { defaultOptions, type OptionName, type Options, optionTable } from "./options.ts";
import { UsageError } from "./usageerror.ts";

const MASTER_KEY_BYTES_MIN = 16;
const PROPOSED_KEY_BYTES = 32;

/**
 * All options, those that are not given or undefined at their default.
 * @throws UsageError for a name that no option has, and for a value that its option does not allow; it does
 *   not repeat the value, which may be a secret
 */
export function settleGiven(given: Partial<Options>): Options {
  if (typeof given !== "object" || given === null || Symbol.iterator in given)
    throw new UsageError('the options of a server are an object, such as { dbPath: "films" }');
  const options: Record<string, unknown> = defaultOptions();
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(optionTable, name)) throw new UsageError(`there is no option \`${name}\``);
    if (value === undefined) continue;
    const row: OptionRow<unknown> = optionTable[name as OptionName];
    const read = readGiven(row, value);
    if (read === undefined) throw new UsageError(`--${kebabCase(name)}: expected ${row.allowed}`);
    options[name] = read;
  }
  return options as Options;
}

/**
 * A value as it is, or as a text of the command line; null is the default where that is null. Undefined for
 * one that is not allowed.
 */
export function readGiven<Value>(row: OptionRow<Value>, given: unknown): Value | undefined {
  const fallback = row.fallback();
  if (given === null) return fallback === null ? fallback : undefined;
  if (Array.isArray(given)) {
    if (!Array.isArray(fallback) || given.some((item) => typeof item !== "string")) return undefined;
    return given.length === 0 ? ([] as Value) : row.parse(given.join(","));
  }
  if (!PLAIN_KINDS.has(typeof given)) return undefined;
  const value = row.parse(String(given));
  return typeof value === "string" && typeof given !== "string" ? undefined : value;
}

const PLAIN_KINDS = new Set(["string", "number", "bigint", "boolean"]);

/** @throws UsageError for options that do not go together */
export function checkTogether(options: Options): void {
  const { env, masterKey } = options;
  if (env === "production" && !isLongEnough(masterKey)) {
    const found = masterKey === null ? "none is given" : `this one has ${Buffer.byteLength(masterKey)}`;
    const needed = `--env production needs a master key of ${MASTER_KEY_BYTES_MIN} bytes or more`;
    throw new UsageError(`${needed}, and ${found}. ${proposal()}`, 1);
  }
  if (options.importDump !== null && options.importSnapshot !== null) {
    throw new UsageError("--import-dump and --import-snapshot exclude each other");
  }
  needs(options.ignoreMissingDump, "ignore-missing-dump", options.importDump, "import-dump");
  needs(options.ignoreDumpIfDbExists, "ignore-dump-if-db-exists", options.importDump, "import-dump");
  needs(options.ignoreMissingSnapshot, "ignore-missing-snapshot", options.importSnapshot, "import-snapshot");
  const { ignoreSnapshotIfDbExists, importSnapshot } = options;
  needs(ignoreSnapshotIfDbExists, "ignore-snapshot-if-db-exists", importSnapshot, "import-snapshot");
  if (options.taskWebhookAuthorizationHeader !== null && options.taskWebhookUrl === null)
    throw new UsageError("--task-webhook-authorization-header needs --task-webhook-url");
}

/** The warning of a development server about its master key; null when all is well. */
export function masterKeyWarning({ env, masterKey }: Options): string | null {
  if (env === "production" || isLongEnough(masterKey)) return null;
  const state = masterKey === null ? "No master key: anyone may use the API" : "The master key is short";
  return `${state}. ${proposal()}`;
}

function needs(flag: boolean, flagName: string, other: string | null, otherName: string): void {
  if (flag && other === null) throw new UsageError(`--${flagName} needs --${otherName}`);
}

function isLongEnough(key: string | null): boolean {
  return key !== null && Buffer.byteLength(key) >= MASTER_KEY_BYTES_MIN;
}

function proposal(): string {
  return `Here is one to use: --master-key ${randomBytes(PROPOSED_KEY_BYTES).toString("hex")}`;
}

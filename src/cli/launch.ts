// The Options of a launch: collected from command line, environment and config file, and checked against each
// other.
import { randomBytes } from "node:crypto";
import { type Options, optionTable, refusedOptions } from "../options.ts";
import { UsageError } from "../usageerror.ts";
import { readArguments } from "./arguments.ts";
import { readConfigFile } from "./config-file.ts";
import { mistypedVariables, readEnvironment } from "./environment.ts";
import { settle } from "./values.ts";

const MASTER_KEY_BYTES_MIN = 16;
const PROPOSED_KEY_BYTES = 32;

/**
 * `tell`: takes remarks about options that are ignored.
 * @throws UsageError
 */
export async function readLaunchOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  tell: (remark: string) => void = () => {},
): Promise<Options> {
  const { given, positionals } = readArguments(args, optionTable, refusedOptions);
  if (positionals.length > 0)
    throw new UsageError(`unexpected argument ${positionals[0]}: --help shows the commands`);
  const variables = readEnvironment(environment, optionTable, refusedOptions);
  for (const remark of mistypedVariables(environment, optionTable, refusedOptions)) tell(remark);
  const configPath = (given.get("configFilePath") ?? variables.get("configFilePath"))?.text ?? null;
  const filed = await readConfigFile(configPath, optionTable, refusedOptions);
  if (filed.passedOver.length > 0)
    tell(`${filed.passedOver.join(", ")}: not used, because imports belong to one launch (see --help)`);
  const options = settle(optionTable, [given, variables, filed.given]);
  checkTogether(options);
  return options;
}

/** `url`: one at which the server can be reached. If it listens on every address, the notice says so. */
export function listeningNotice(url: string, { httpAddr, dbPath }: Options): string {
  const everywhere = /^(|0\.0\.0\.0|\[?::\]?):\d+$/.test(httpAddr)
    ? " and all other addresses of this machine"
    : "";
  return `Tarsier listens on ${url}${everywhere} (database: ${dbPath})`;
}

/** The warning of a development server about its master key; null when all is well. */
export function masterKeyWarning({ env, masterKey }: Options): string | null {
  if (env === "production" || isLongEnough(masterKey)) return null;
  const state = masterKey === null ? "No master key: anyone may use the API" : "The master key is short";
  return `${state}. ${proposal()}`;
}

/** The warning that tasks are accepted but never run; null when they are run. */
export function standstillWarning({ maxNumberOfBatchedTasks }: Options): string | null {
  if (maxNumberOfBatchedTasks !== 0) return null;
  return "Tasks are accepted, and none is processed: --max-number-of-batched-tasks is 0";
}

function checkTogether(options: Options): void {
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

function needs(flag: boolean, flagName: string, other: string | null, otherName: string): void {
  if (flag && other === null) throw new UsageError(`--${flagName} needs --${otherName}`);
}

function isLongEnough(key: string | null): boolean {
  return key !== null && Buffer.byteLength(key) >= MASTER_KEY_BYTES_MIN;
}

function proposal(): string {
  return `Here is one to use: --master-key ${randomBytes(PROPOSED_KEY_BYTES).toString("hex")}`;
}

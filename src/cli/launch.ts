// The Options of a launch: collected from command line, environment and config file, and checked against each
// other.
import { checkTogether } from "../givenoptions.ts";
import { type Options, optionTable, refusedOptions } from "../options.ts";
import { UsageError } from "../usageerror.ts";
import { readArguments } from "./arguments.ts";
import { readConfigFile } from "./config-file.ts";
import { mistypedVariables, readEnvironment } from "./environment.ts";
import { settle } from "./values.ts";

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
  // The file has been read: what stands in it is among the options.
  const options = { ...settle(optionTable, [given, variables, filed.given]), configFilePath: null };
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

/** The warning that tasks are accepted but never run; null when they are run. */
export function standstillWarning({ maxNumberOfBatchedTasks }: Options): string | null {
  if (maxNumberOfBatchedTasks !== 0) return null;
  return "Tasks are accepted, and none is processed: --max-number-of-batched-tasks is 0";
}

// `tarsier check`: reads every file of a database and reports damaged bytes.
import { optionTable } from "../options.ts";
import type { Finding } from "../segment/finding.ts";
import type { Storage } from "../storage/storage.ts";
import { UsageError } from "../usageerror.ts";
import { packageVersion } from "../version.ts";
import { readArguments } from "./arguments.ts";
import { withDatabase } from "./database-folder.ts";
import { readEnvironment } from "./environment.ts";
import { commandHelp } from "./help.ts";
import { settle } from "./values.ts";

export const checkTable = { dbPath: optionTable.dbPath };

export function checkHelp(): string {
  const about =
    "Reads every file of a database and compares its checksums. Nothing is changed. The exit code is 1 " +
    "when something is damaged. Stop the server before: it writes while it runs.";
  return commandHelp("tarsier check [--db-path FOLDER]", [about], checkTable);
}

/** Returns the exit code: 0 when everything is sound, 1 otherwise. */
export async function check(args: readonly string[]): Promise<number> {
  const { given, positionals } = readArguments(args, checkTable);
  if (positionals.length > 0) throw new UsageError(`unexpected argument ${positionals[0]}`);
  const { dbPath } = settle(checkTable, [given, readEnvironment(process.env, checkTable)]);
  const count = await withDatabase(dbPath, showFindings);
  const damaged = count === 1 ? "1 place is" : `${count} places are`;
  console.log(count === 0 ? `${dbPath} is sound` : `${dbPath}: ${damaged} damaged`);
  return count === 0 ? 0 : 1;
}

/** Returns the number of findings. */
async function showFindings(storage: Storage): Promise<number> {
  let count = 0;
  for await (const { file, offset, section, expected, found } of findingsIn(storage)) {
    count++;
    console.log(`${file}: ${section} at byte ${offset}: expected ${expected}, found ${found}`);
  }
  return count;
}

/** First the findings in the files themselves, then what the journal says of them. */
async function* findingsIn(storage: Storage): AsyncGenerator<Finding> {
  const { checkStorage } = await import("../segment/check.ts");
  const { checkCatalog } = await import("../tasks/catalogcheck.ts");
  const { checkVersionFile, isReadableVersion } = await import("../tasks/versionfile.ts");
  if (!isReadableVersion(storage, packageVersion())) yield* checkVersionFile(storage);
  yield* checkStorage(storage);
  yield* checkCatalog(storage);
}

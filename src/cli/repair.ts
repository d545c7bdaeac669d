// `tarsier repair`: makes a database with damaged files usable again, or reports what that would keep and
// lose.
import { flag } from "../option-rows.ts";
import { defaultOptions, optionTable } from "../options.ts";
import type { Storage } from "../storage/storage.ts";
import { UsageError } from "../usageerror.ts";
import { packageVersion } from "../version.ts";
import { readArguments } from "./arguments.ts";
import { withDatabase } from "./database-folder.ts";
import { readEnvironment } from "./environment.ts";
import { commandHelp } from "./help.ts";
import { settle } from "./values.ts";

export const repairTable = {
  dbPath: optionTable.dbPath,
  dryRun: flag("Change nothing: say what would be kept and what would be lost"),
};

export function repairHelp(): string {
  const about =
    "Reads every file of a database. What is damaged is replaced by what can still be read of it, and " +
    "moved to a folder damaged-DATE inside of the database: nothing is deleted. Stop the server before. " +
    "The exit code is 1 when something is left that cannot be repaired, or, with --dry-run, when " +
    "something is damaged.";
  return commandHelp("tarsier repair [--dry-run] [--db-path FOLDER]", [about], repairTable);
}

/** Returns the exit code. */
export async function repairFolder(args: readonly string[]): Promise<number> {
  const { given, positionals } = readArguments(args, repairTable);
  if (positionals.length > 0) throw new UsageError(`unexpected argument ${positionals[0]}`);
  const { dbPath, dryRun } = settle(repairTable, [given, readEnvironment(process.env, repairTable)]);
  return withDatabase(dbPath, (storage, root) => repairAll(storage, root, dryRun));
}

async function repairAll(storage: Storage, root: string, isDry: boolean): Promise<number> {
  const { repair } = await import("../tasks/repair/repair.ts");
  const { openLocalEngine } = await import("../engine/pool.ts");
  const { embedderSetup } = await import("../embedders/embedderoptions.ts");
  const options = defaultOptions();
  const openEngine = () =>
    openLocalEngine(storage, {
      threads: 0,
      indexingBytes: options.maxIndexingMemory,
      searchBytes: 0,
      embedding: embedderSetup(options, process.env),
    });
  let damaged = 0;
  let left = 0;
  const now = new Date();
  for await (const remedy of repair({ storage, version: packageVersion(), isDry, now, openEngine })) {
    damaged++;
    if (remedy.action === null) left++;
    console.log(`${remedy.place}:`);
    for (const { file, offset, section, expected, found } of remedy.findings)
      console.log(`  ${file}: ${section} at byte ${offset}: expected ${expected}, found ${found}`);
    console.log(`  kept: ${remedy.kept}`);
    console.log(`  lost: ${remedy.lost}`);
    const action = remedy.action ?? "nothing: it is left as it is. Take a snapshot or a dump back.";
    console.log(`  ${isDry ? "to do" : "done"}: ${action}`);
  }
  if (damaged === 0) console.log(`${root} is sound`);
  return (isDry ? damaged : left) > 0 ? 1 : 0;
}

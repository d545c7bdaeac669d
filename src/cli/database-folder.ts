// Opens a database for a command, while no server has it open. Called by check.ts and repair.ts.
import { accessSync, constants, existsSync } from "node:fs";
import { resolve } from "node:path";
import { kebabCase } from "../kebabcase.ts";
import type { Storage } from "../storage/storage.ts";
import { UsageError } from "../usageerror.ts";

/**
 * Calls `run` with sole access to the database, and returns its result.
 * @throws UsageError when there is no database, TarsierError `folder_in_use`
 */
export async function withDatabase<Result>(
  dbPath: string,
  run: (storage: Storage, root: string) => Promise<Result>,
): Promise<Result> {
  const option = `(--${kebabCase("dbPath")})`;
  if (!existsSync(dbPath)) throw new UsageError(`there is no folder ${dbPath} ${option}`);
  if (!isReadable(dbPath)) throw new UsageError(`this user may not read the folder ${dbPath} ${option}`, 1);
  const { FileStorage } = await import("../storage/file.ts");
  const { withFolderLocked } = await import("../storage/folderlock.ts");
  const { isDatabase } = await import("../tasks/unfinished.ts");
  const root = resolve(dbPath);
  const storage = new FileStorage(root);
  if (!isDatabase(storage)) throw new UsageError(`${dbPath} holds no database ${option}`);
  return withFolderLocked(root, () => run(storage, root));
}

function isReadable(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

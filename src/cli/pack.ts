// `tarsier pack DATA-FOLDER --index NAME --output FOLDER`: an index as static files that browsers can search.
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { TarsierError } from "../errors.ts";
import { optional } from "../option-rows.ts";
import { formatSize } from "../sizes.ts";
import { UsageError } from "../usageerror.ts";
import { readArguments } from "./arguments.ts";
import { commandHelp } from "./help.ts";
import { settle } from "./values.ts";

export const packTable = {
  index: optional("NAME", "Index that is packed"),
  output: optional("FOLDER", "Where the files go: a folder that is empty, or does not exist"),
};

export function packHelp(): string {
  return commandHelp(
    "tarsier pack DATA-FOLDER --index NAME --output FOLDER",
    [
      "Copies one index of a database into a folder of static files, merged into one segment. Put behind " +
        "any web server that answers requests for ranges, browsers search it without a server of its own: " +
        "see `open` of tarsier/browser. Stop the server that has the database open before.",
    ],
    packTable,
  );
}

/** @throws UsageError when the index cannot be packed as requested */
export async function pack(args: readonly string[]): Promise<void> {
  const { given, positionals } = readArguments(args, packTable);
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) throw new UsageError("pack takes one data folder");
  const { index, output } = settle(packTable, [given]);
  if (index === null) throw new UsageError("--index is missing: which index is to be packed?");
  if (output === null) throw new UsageError("--output is missing: where do the files go?");
  if (!existsSync(folder)) throw new UsageError(`there is no folder ${folder}`);
  // Inside the data folder, the bundle would become part of every copy of the database, or be taken for a
  // part of it.
  if (isInside(realPath(output), realPath(folder)))
    throw new UsageError(`--output ${output} lies inside of the data folder ${folder}`);
  const { withFolderLocked } = await import("../storage/folderlock.ts");
  try {
    await withFolderLocked(folder, () => packInto(output, folder, index));
  } catch (error) {
    if (!(error instanceof TarsierError)) throw error;
    throw new UsageError(error.message, 1);
  }
}

async function packInto(output: string, folder: string, index: string): Promise<void> {
  const { FileStorage } = await import("../storage/file.ts");
  const { packIndex } = await import("../tasks/packing.ts");
  const { packageVersion } = await import("../version.ts");
  const target = new FileStorage(output, true, { isPublished: true });
  const bundle = await packIndex(new FileStorage(folder), target, index, packageVersion());
  const bytes = Object.values(bundle.files).reduce((sum, size) => sum + size, 0);
  const files = Object.keys(bundle.files).length;
  console.log(`${output}: ${bundle.documents} documents in ${files} files, ${formatSize(bytes)}`);
}

/** The real path of a folder, which need not exist. */
function realPath(folder: string): string {
  const whole = resolve(folder);
  if (existsSync(whole) || dirname(whole) === whole) return realpathSync(whole);
  return join(realPath(dirname(whole)), basename(whole));
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

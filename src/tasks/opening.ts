// Fills an empty data folder from a dump or a snapshot before it is opened. The content is built in a folder
// inside it and moved out when it is whole, the journal last: without a journal the folder counts as empty,
// and the next start removes what a crash left (unfinished.ts).
import * as fs from "node:fs";
import { join as joinPath } from "node:path";
import { Core } from "../core/core.ts";
import type { Engine } from "../engine/engine.ts";
import { TarsierError } from "../errors.ts";
import type { Options } from "../options.ts";
import { verifyState } from "../segment/check.ts";
import { JOURNAL_NAME } from "../segment/journalfile.ts";
import { readManifest } from "../segment/manifestreader.ts";
import { SegmentCheck } from "../segment/segmentcheck.ts";
import { unpackArchive } from "../storage/archivereader.ts";
import { FileStorage } from "../storage/file.ts";
import { renamePatiently } from "../storage/patientrename.ts";
import { join } from "../storage/storage.ts";
import { importDump } from "./dumps/import.ts";
import { Journal } from "./journal.ts";
import { BROUGHT, BUILDING } from "./unfinished.ts";
import { checkVersion } from "./versionfile.ts";

export type ImportOptions = Pick<
  Options,
  | ("importDump" | "ignoreMissingDump" | "ignoreDumpIfDbExists")
  | ("importSnapshot" | "ignoreMissingSnapshot" | "ignoreSnapshotIfDbExists")
  | "upgradeDb"
>;

export interface ImportTools {
  version: string;
  durable: boolean;
  /** Makes an engine for the data folder at a path. */
  openEngine(root: string): Engine;
}

/**
 * Fills the data folder at `root`, which must exist, if the options ask for it and the folder is empty.
 * Returns what it was filled from.
 * @throws TarsierError; the folder is then as it was
 */
export async function fillFolder(
  root: string,
  options: ImportOptions,
  tools: ImportTools,
): Promise<"dump" | "snapshot" | null> {
  const source = sourceOf(options);
  if (source === null || !isWanted(root, source)) return null;
  const folder = new FileStorage(root, tools.durable);
  const building = joinPath(root, BUILDING);
  try {
    if (source.kind === "dump") await buildFromDump(building, source.path, tools);
    else await buildFromSnapshot(building, source.path, options.upgradeDb, tools);
  } catch (error) {
    folder.removeFolder(BUILDING);
    throw error;
  }
  moveOut(folder, root);
  return source.kind;
}

interface Source {
  kind: "dump" | "snapshot";
  path: string;
  mayMiss: boolean;
  mayExist: boolean;
}

function sourceOf(options: ImportOptions): Source | null {
  const { importDump: dump, importSnapshot: snapshot } = options;
  if (dump !== null) {
    const { ignoreMissingDump: mayMiss, ignoreDumpIfDbExists: mayExist } = options;
    return { kind: "dump", path: dump, mayMiss, mayExist };
  }
  if (snapshot === null) return null;
  const { ignoreMissingSnapshot: mayMiss, ignoreSnapshotIfDbExists: mayExist } = options;
  return { kind: "snapshot", path: snapshot, mayMiss, mayExist };
}

function isWanted(root: string, { kind, path, mayMiss, mayExist }: Source): boolean {
  const isEmpty = fs.readdirSync(root).length === 0;
  const isThere = fs.existsSync(path);
  if (isEmpty && isThere) return true;
  if (!isEmpty && !mayExist) {
    const advice = `--ignore-${kind}-if-db-exists goes on with it, another --db-path makes a new one`;
    throw refusal(`There is a database in ${root} already: the ${kind} ${path} is not imported; ${advice}`);
  }
  if (!isThere && !mayMiss) {
    throw refusal(`There is no ${kind} ${path}; --ignore-missing-${kind} starts without it`);
  }
  return false;
}

async function buildFromDump(building: string, path: string, tools: ImportTools): Promise<void> {
  const storage = new FileStorage(building, tools.durable);
  storage.makeFolder("");
  checkVersion(storage, tools.version, false);
  const engine = tools.openEngine(building);
  try {
    await importDump({ path, storage, engine, passing: new FileStorage(building, false) });
  } finally {
    await engine.close();
  }
}

/**
 * The archive must unpack to a database that opens and whose every byte is intact; else nothing of it is
 * kept.
 */
async function buildFromSnapshot(
  building: string,
  path: string,
  mayUpgrade: boolean,
  { version, durable }: ImportTools,
): Promise<void> {
  const storage = new FileStorage(building, durable);
  storage.makeFolder("");
  await unpackArchive(path, storage, "");
  if (!storage.exists(JOURNAL_NAME) || storage.exists(BUILDING))
    throw refusal(`${path} is no snapshot of a database`);
  checkVersion(storage, version, mayUpgrade);
  const journal = Journal.open(storage);
  const segments = new SegmentCheck(new Core(), storage);
  try {
    const { catalog } = journal.state;
    for (const uid of catalog.uids()) {
      const { folder, description } = catalog.get(uid)!;
      verifyState(storage, folder, readManifest(storage, folder, description.version), segments);
    }
  } finally {
    await journal.close();
  }
}

/** Moves what was built to its place; the journal, which makes it valid, comes last. */
function moveOut(storage: FileStorage, root: string): void {
  const building = joinPath(root, BUILDING);
  const names = fs.readdirSync(building).filter((name) => BROUGHT.includes(name));
  for (const name of names) renamePatiently(joinPath(building, name), joinPath(root, name));
  storage.syncFolder("");
  storage.rename(join(BUILDING, JOURNAL_NAME), JOURNAL_NAME);
  storage.syncFolder("");
  storage.removeFolder(BUILDING);
}

function refusal(message: string): TarsierError {
  return new TarsierError("database_refused", { message });
}

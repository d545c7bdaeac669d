// The file VERSION of a data folder: which version of the program wrote it. A folder is opened by that
// version; a newer one may take it over if told to (--upgrade-db).
import { TarsierError } from "../errors.ts";
import type { Finding } from "../segment/finding.ts";
import type { Storage } from "../storage/storage.ts";

export const VERSION_NAME = "VERSION";
const VERSION_BYTES_MAX = 100;

/** The versions of a folder that is to be upgraded. */
export interface Upgrade {
  from: string;
  to: string;
}

/**
 * Compares the version of a data folder with that of the program, and writes it into a new folder. Returns
 * the upgrade that is due, or null.
 * @throws TarsierError `database_refused` when this program may not open the folder
 */
export function checkVersion(storage: Storage, version: string, mayUpgrade: boolean): Upgrade | null {
  const found = readVersion(storage);
  if (found === null || found === version) {
    if (found === null) writeVersion(storage, version);
    return null;
  }
  refuseNewer(found, version);
  if (!mayUpgrade) {
    const hint = "start once with --upgrade-db to take it over (make a snapshot before), or import a dump";
    throw refusal(`The database was written by version ${found}, and this is version ${version}: ${hint}`);
  }
  return { from: found, to: version };
}

/** Replaces the file in one step. */
export function writeVersion(storage: Storage, version: string): void {
  const temporary = `${VERSION_NAME}.tmp`;
  const file = storage.create(temporary);
  try {
    file.append(Buffer.from(version));
    file.sync();
  } catch (error) {
    // Left in place, it would keep an import from starting in the empty folder.
    storage.remove(temporary);
    throw error;
  } finally {
    file.close();
  }
  storage.rename(temporary, VERSION_NAME);
  storage.syncFolder("");
}

/**
 * False if the file is there but holds no version.
 * @throws TarsierError `database_refused` when a newer version wrote the folder: this one would take its
 * files for damaged
 */
export function isReadableVersion(storage: Storage, version: string): boolean {
  let found: string | null;
  try {
    found = readVersion(storage);
  } catch {
    return false;
  }
  if (found !== null) refuseNewer(found, version);
  return true;
}

/** Reports a file that holds no version. */
export function* checkVersionFile(storage: Storage): Generator<Finding> {
  try {
    readVersion(storage);
  } catch {
    yield { file: VERSION_NAME, offset: 0, section: "file", expected: "a version", found: "something else" };
  }
}

/** Null for a folder without the file: formats of files are checked one by one as they are opened. */
function readVersion(storage: Storage): string | null {
  if (!storage.exists(VERSION_NAME)) return null;
  const file = storage.open(VERSION_NAME);
  try {
    const bytes = new Uint8Array(Math.min(file.size, VERSION_BYTES_MAX));
    file.readInto(bytes, 0);
    const text = new TextDecoder().decode(bytes).trim();
    if (/^\d+\.\d+\.\d+$/.test(text)) return text;
    throw refusal(`The file ${VERSION_NAME} of the database is damaged: it holds ${JSON.stringify(text)}`);
  } finally {
    file.close();
  }
}

function refuseNewer(found: string, version: string): void {
  if (compareVersions(found, version) <= 0) return;
  throw refusal(`The database was written by version ${found}, which is newer than this one, ${version}`);
}

/** Compares two versions: below, at or above 0. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split(".").map(Number));
  const place = left.findIndex((part, i) => part !== right[i]);
  return place < 0 ? 0 : left[place] - right[place];
}

function refusal(message: string): TarsierError {
  return new TarsierError("database_refused", { message });
}

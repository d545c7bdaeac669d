// Renames files and folders that another program may have open for a moment. Used where data folders and
// archives are written (file.ts, src/tasks/opening.ts) and where an import notes how far it got.
import * as fs from "node:fs";

/** What Windows reports for a file, or a folder with one in it, that another program has open. */
const HELD = ["EPERM", "EACCES", "EBUSY"];
const PAUSE_MS = 20;
const PATIENCE_MS = 2_000;

/**
 * Like `renameSync`, but on Windows it waits a little: virus scanners and indexers open files that were just
 * written, and nothing that they have open can be renamed or replaced.
 */
export function renamePatiently(from: string, to: string): void {
  for (let waited = 0; ; waited += PAUSE_MS) {
    try {
      fs.renameSync(from, to);
      return;
    } catch (error) {
      const isHeld =
        process.platform === "win32" && HELD.includes((error as NodeJS.ErrnoException).code ?? "");
      if (!isHeld || waited >= PATIENCE_MS) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
}

// Keeps a second process away from a data folder: by a name of the operating system, derived from what the
// folder is, that only one process can hold and that is free again as soon as the process is gone, however it
// ended.
import { createHash } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { TarsierError } from "../errors.ts";

/** A held lock. */
interface FolderLock {
  release(): Promise<void>;
}

/**
 * Takes the lock of the folder at `root`, which must exist. On systems without such names nothing is locked,
 * and processes in different containers do not see each other's locks.
 * @throws TarsierError `folder_in_use`
 */
export async function lockFolder(root: string): Promise<FolderLock> {
  const name = `tarsier-${createHash("sha256").update(identityOf(root)).digest("hex").slice(0, 32)}`;
  const path = pathOf(name);
  if (path === null) return { release: async () => {} };
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") reject(new TarsierError("folder_in_use", { folder: root }));
      else resolve();
    });
    server.listen({ path }, resolve);
  });
  server.unref();
  return { release: () => new Promise((resolve) => server.close(() => resolve())) };
}

/**
 * Runs something that has the folder to itself, and returns its result.
 * @throws TarsierError `folder_in_use`
 */
export async function withFolderLocked<Result>(root: string, run: () => Promise<Result>): Promise<Result> {
  const lock = await lockFolder(root);
  try {
    return await run();
  } finally {
    await lock.release();
  }
}

/**
 * The number of the folder on its device. Several paths may lead to one folder: through a mount elsewhere, or
 * in other letters where upper and lower case are the same.
 */
function identityOf(root: string): string {
  const { dev, ino } = statSync(root, { bigint: true });
  // A file system without numbers gives 0 to all.
  return ino === 0n ? realpathSync(root) : `${dev}:${ino}`;
}

/**
 * Linux has sockets without a file, Windows has pipes; on other systems a killed process leaves a file
 * behind.
 */
function pathOf(name: string): string | null {
  if (process.platform === "linux") return `\0${name}`;
  return process.platform === "win32" ? `\\\\.\\pipe\\${name}` : null;
}

// Takes a data folder for this process: makes it if it is missing, locks it, and removes what an interrupted
// import left. Called by the doors that open one (src/node.ts, src/index.ts).
import { FileStorage } from "../storage/file.ts";
import { lockFolder } from "../storage/folderlock.ts";
import { removeUnfinished } from "./unfinished.ts";

interface DataFolder {
  storage: FileStorage;
  /** Whether the folder was just made. */
  isNew: boolean;
  /** Unlocks the folder. */
  release(): Promise<void>;
}

/** `root`: an absolute path. @throws TarsierError folder_in_use */
export async function takeFolder(root: string, durable: boolean): Promise<DataFolder> {
  const storage = new FileStorage(root, durable);
  const isNew = !storage.exists("");
  storage.makeFolder("");
  const lock = await lockFolder(root);
  try {
    removeUnfinished(storage);
  } catch (error) {
    await lock.release();
    throw error;
  }
  return { storage, isNew, release: () => lock.release() };
}

// A data folder as one process takes it: made when it is missing, locked, and without what an interrupted
// import left. Called by the doors that open one (src/node.ts, src/index.ts).
import { FileStorage } from "../storage/file.ts";
import { lockFolder } from "../storage/folderlock.ts";
import { removeUnfinished } from "./unfinished.ts";

interface DataFolder {
  storage: FileStorage;
  /** It was not there before. */
  isNew: boolean;
  /** Lets go of it. */
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

// Files of a model in a folder of this machine. In browsers src/browser/platform/modelfile.ts replaces this
// file. Called by pooling.ts.
import { readFile } from "node:fs/promises";
import { join } from "node:path";

export function readModelFile(folder: string, name: string): Promise<string> {
  return readFile(join(folder, name), "utf8");
}

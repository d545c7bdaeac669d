// The bytes of the core, from the files that come with the code. In browsers the module is fetched and handed
// in: there, src/browser/platform/corefile.ts replaces this file. Called by core.ts.
import { readBuilt } from "../package-files.ts";

export function readCore(name: string): Uint8Array<ArrayBuffer> {
  return readBuilt(name);
}

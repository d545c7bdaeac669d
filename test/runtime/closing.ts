// What a store of the library leaves behind in the running runtime once it is closed: nothing. Not for
// browsers, which have no processes.
import { deepEqual, equal, match } from "node:assert/strict";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { open as openType } from "../../src/index.ts";
import { BUILD, Program, withFolder } from "./process.ts";

const { open } = (await import(new URL("bundle/index.js", BUILD).href)) as { open: typeof openType };

/** A thread that waits for the next edit function ends after 10 s. */
const END_MS_MAX = 5_000;

export const closingFeatures = {
  "library closes what it has opened": () =>
    withFolder(async (folder) => {
      const store = await open({ folder, threads: 2 });
      await store.index("numbers").add({ id: 1 });
      await store.index("numbers").search("1");
      await store.close();
      deepEqual(openFiles(folder), []);
      const editor = new Program(new URL("./editor.js", import.meta.url), []);
      await editor.says("closed\n");
      const closed = performance.now();
      equal(await editor.ended, 0, editor.output);
      equal(performance.now() - closed < END_MS_MAX, true, "the program ends once its store is closed");
      match(editor.output, /{"id":1,"edited":true}/);
    }),
};

/** Files in a folder that this process has open, where the system tells. */
function openFiles(folder: string): string[] {
  const list = "/proc/self/fd";
  if (!existsSync(list)) return [];
  const files = readdirSync(list).map((name) => {
    try {
      return readlinkSync(join(list, name));
    } catch {
      // Of the list itself, which is closed by now.
      return "";
    }
  });
  return files.filter((file) => file.startsWith(folder));
}

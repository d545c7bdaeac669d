// A whole server, as its launch opens it, on a folder of its own: for tests of what starts leave behind, and
// of servers that call each other.
import { openServer } from "../../src/node.ts";
import { defaultOptions, type Options } from "../../src/options.ts";
import type { Place } from "../tasks/copyfixture.ts";

/** Opens a server on the folder `name` of `place`; `dumps` and `snapshots` stand beside it. */
export function openAt(place: Place, name: string, changes: Partial<Options>): ReturnType<typeof openServer> {
  return openServer({
    ...defaultOptions(),
    dbPath: place.folder(name),
    httpAddr: "127.0.0.1:0",
    threads: 0,
    logLevel: "off",
    durability: "os",
    dumpDir: place.folder("dumps"),
    snapshotDir: place.folder("snapshots"),
    maxIndexingMemory: 64 * 2 ** 20,
    ...changes,
  });
}

/** The same, for as long as `use` takes. */
export async function served<Result>(
  place: Place,
  name: string,
  changes: Partial<Options>,
  use: (url: string) => Promise<Result>,
): Promise<Result> {
  const { url, close } = await openAt(place, name, changes);
  try {
    return await use(url);
  } finally {
    await close();
  }
}

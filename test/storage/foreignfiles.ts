// Makes Node's files behave as on other systems, where a test would otherwise need the system itself.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { mock } from "node:test";

interface Change {
  /** The functions of `fs` that are changed. */
  functions: ("existsSync" | "linkSync" | "mkdirSync" | "openSync" | "renameSync" | "rmSync" | "statSync")[];
  /** Makes the arguments with which the real function is called, or throws. */
  change(args: unknown[]): unknown[];
}

/** Changes functions until the returned function is called. */
export function changeFiles({ functions, change }: Change): () => void {
  for (const name of functions) {
    const real = fs[name] as (...args: unknown[]) => unknown;
    mock.method(fs, name, (...args: unknown[]) => real(...change(args)));
  }
  syncBuiltinESMExports();
  return () => {
    mock.restoreAll();
    syncBuiltinESMExports();
  };
}

/** No file gets a second name. */
export function refuseLinks(code: string): () => void {
  const change = () => {
    throw Object.assign(new Error("no links here"), { code, syscall: "link" });
  };
  return changeFiles({ functions: ["linkSync"], change });
}

/** Below `root`, upper and lower case are the same, and nothing can be called `con`. */
export function ignoreCase(root: string): () => void {
  const foldPath = (path: unknown) => {
    if (typeof path !== "string" || !path.startsWith(root)) return path;
    const inside = path.slice(root.length).toLowerCase();
    if (!inside.split("/").includes("con")) return root + inside;
    throw Object.assign(new Error("a name of the system"), { code: "EINVAL", syscall: "open" });
  };
  const functions: Change["functions"] = ["existsSync", "mkdirSync", "openSync", "renameSync", "rmSync"];
  return changeFiles({ functions: [...functions, "statSync"], change: (args) => args.map(foldPath) });
}

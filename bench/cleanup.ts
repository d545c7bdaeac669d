// What must not outlive a benchmark, however it ends: processes and folders. Called by the files that make
// them.
import { mkdtempSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";

const leftovers = new Set<() => void>();
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
let isListening = false;

/** Runs `clean` at the end of the process, unless the returned function has been called by then. */
export function atEnd(clean: () => void): () => void {
  if (!isListening) {
    isListening = true;
    process.once("exit", () => {
      for (const each of [...leftovers].reverse()) each();
    });
    for (const signal of SIGNALS) process.once(signal, () => process.exit(128 + constants.signals[signal]));
  }
  leftovers.add(clean);
  return () => leftovers.delete(clean);
}

export interface TemporaryFolder {
  path: string;
  remove(): void;
}

export function temporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), "tarsier-bench-"));
  // A process that was just killed may still be writing.
  const clean = () => rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  const forget = atEnd(clean);
  return {
    path,
    remove: () => {
      clean();
      forget();
    },
  };
}

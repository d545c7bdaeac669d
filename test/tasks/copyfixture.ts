// How the tests of dumps, snapshots and exports open an instance over a real engine in a folder of its own,
// and fill other folders from what it made.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLocalEngine, type PoolEngine } from "../../src/engine/pool.ts";
import type { DocumentsQuery } from "../../src/schemas/documents.ts";
import { FileStorage } from "../../src/storage/file.ts";
import { dumpExecutor } from "../../src/tasks/dumps/dump.ts";
import { Instance, type InstanceOptions } from "../../src/tasks/instance.ts";
import { fillFolder, type ImportOptions, type ImportTools } from "../../src/tasks/opening.ts";
import { snapshotExecutor } from "../../src/tasks/snapshots.ts";

export const VERSION = "1.2.3";
const SIZES = { threads: 0, indexingBytes: 32 * 2 ** 20, searchBytes: 8 * 2 ** 20, durable: false };

const NO_IMPORT: ImportOptions = {
  importDump: null,
  ignoreMissingDump: false,
  ignoreDumpIfDbExists: false,
  importSnapshot: null,
  ignoreMissingSnapshot: false,
  ignoreSnapshotIfDbExists: false,
  upgradeDb: false,
};

/** A folder for everything of one test file. */
export class Place {
  readonly path = mkdtempSync(join(tmpdir(), "tarsier-copies-"));

  /** Path of a folder, made when it is missing. */
  folder(name: string): string {
    const path = join(this.path, name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  files(name: string): string[] {
    return readdirSync(this.folder(name)).sort();
  }

  remove(): void {
    rmSync(this.path, { recursive: true });
  }
}

export interface CopyFixture {
  instance: Instance;
  engine: PoolEngine;
  documents(indexUid: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

/** Opens the data folder `name`; dumps and snapshots go to the folders of these names. */
export async function openCopyFixture(
  place: Place,
  name: string,
  options: Partial<InstanceOptions> = {},
): Promise<CopyFixture> {
  const storage = new FileStorage(place.folder(name), false);
  const engine = openLocalEngine(storage, SIZES);
  const snapshots = new FileStorage(place.folder("snapshots"), false);
  const dumps = new FileStorage(place.folder("dumps"), false);
  const executors = {
    dumpCreation: dumpExecutor({ storage, dumps, version: VERSION }),
    snapshotCreation: snapshotExecutor({ storage, snapshots, name: `${name}.snapshot`, version: VERSION }),
  };
  const all = { ...options, executors: { ...executors, ...options.executors } };
  const instance = await Instance.open({ storage, engine, ...all });
  return {
    instance,
    engine,
    async documents(indexUid) {
      const answer = await engine.documents(instance.handle(indexUid), ALL_DOCUMENTS);
      return JSON.parse(Buffer.from(answer).toString()).results;
    },
    async close() {
      await instance.close();
      await engine.close();
    },
  };
}

/** Fills a new data folder. Rejects as a start of the server would. */
export function fill(place: Place, name: string, options: Partial<ImportOptions>, version = VERSION) {
  const openEngine = (root: string) => openLocalEngine(new FileStorage(root, false), SIZES);
  const tools: ImportTools = { version, durable: false, openEngine };
  return fillFolder(place.folder(name), { ...NO_IMPORT, ...options }, tools);
}

const ALL_DOCUMENTS: DocumentsQuery = {
  offset: 0,
  limit: 1_000_000,
  fields: null,
  retrieveVectors: false,
  ids: null,
  filter: null,
  sort: null,
};

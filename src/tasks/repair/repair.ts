// Repairs a data folder with damaged files, or reports what a repair would do. Called by `tarsier repair`,
// while no server has the folder open.
//
//   check of all files -> VERSION -> journal -> each index that is damaged, or whose name is lost
//
// Nothing is deleted: a damaged file is moved aside (aside.ts) once its replacement is durable.
import type { Engine } from "../../engine/engine.ts";
import { Salvager } from "../../engine/salvage.ts";
import { checkStorage } from "../../segment/check.ts";
import type { Finding } from "../../segment/finding.ts";
import { JOURNAL_NAME } from "../../segment/journalfile.ts";
import { folderOf, type Storage } from "../../storage/storage.ts";
import { lostPayloads, olderThanAcknowledged, unnamedFinding, unnamedFolders } from "../catalogcheck.ts";
import { Journal } from "../journal.ts";
import { readJournal } from "../journalreading.ts";
import { orphanedPayloads } from "../payloads.ts";
import type { State } from "../state.ts";
import { checkVersionFile, isReadableVersion, VERSION_NAME, writeVersion } from "../versionfile.ts";
import { Aside } from "./aside.ts";
import { isNewer, leaveToNewer, repairIndex } from "./indexrepair.ts";
import { replaceJournal } from "./journalrepair.ts";
import type { Remedy } from "./remedy.ts";

interface RepairOptions {
  /** That of the data folder. */
  storage: Storage;
  /** That of this program. */
  version: string;
  /** Nothing is changed, only reported. */
  isDry: boolean;
  now: Date;
  /** Makes an engine for the folder; called only if an index is built again. */
  openEngine(): Engine;
}

/**
 * Repairs everything that is damaged, one after the other. Yields nothing for a sound folder.
 * @throws TarsierError `database_refused` when a newer version wrote the folder
 */
export async function* repair(options: RepairOptions): AsyncGenerator<Remedy> {
  const { storage, isDry } = options;
  const aside = new Aside(storage, options.now);
  const hasVersion = isReadableVersion(storage, options.version);
  const findings = [...checkStorage(storage)];
  if (!hasVersion) yield repairVersion(options, aside);
  const inJournal = findings.filter(({ file }) => file === JOURNAL_NAME);
  const reading = readJournal(storage);
  const { state, misfit } = reading;
  if (misfit && inJournal.length === 0) inJournal.push(misfit);
  if (inJournal.length > 0) {
    const remedy = inJournal.some(isNewer)
      ? leaveToNewer(JOURNAL_NAME)
      : replaceJournal(storage, aside, reading, isDry);
    yield { ...remedy, findings: inJournal };
    if (remedy.action === null) return;
  }
  for (const finding of lostPayloads(storage, state)) yield payloadRemedy(finding);
  // A new journal does not know which folders were to be removed.
  const drops = inJournal.length > 0 ? new Set<string>() : state.drops;
  const named = { catalog: state.catalog, drops };
  const damaged = damagedFolders(storage, findings, state);
  const unnamed = unnamedFolders(storage, named);
  const troubled = new Set([...damaged.keys(), ...unnamed]);
  if (troubled.size === 0) return;
  const engine = isDry ? null : options.openEngine();
  const journal = isDry ? null : Journal.open(storage);
  const tools = { storage, aside, salvager: new Salvager(storage), named, now: options.now, engine, journal };
  try {
    // Their tasks may be lost together with the names.
    if (unnamed.length > 0 && !isDry)
      for (const name of orphanedPayloads(storage, state)) aside.moveFile(name);
    for (const folder of troubled) {
      const found = damaged.get(folder) ?? [];
      const told = unnamed.includes(folder) ? [unnamedFinding(folder), ...found] : found;
      yield { findings: told, ...(await repairIndex(tools, folder, found)) };
    }
  } finally {
    await journal?.close();
    await engine?.close();
  }
}

/** The task is left to report it to whoever waits for it. */
function payloadRemedy(finding: Finding): Remedy {
  const kept = "the task that names the file: it fails when it runs, and its documents can be sent again.";
  return { place: finding.file, findings: [finding], kept, lost: "the documents of the task.", action: null };
}

/** Folder of an index -> the findings in it. */
function damagedFolders(storage: Storage, findings: Finding[], state: State): Map<string, Finding[]> {
  const byFolder = new Map<string, Finding[]>();
  const add = (finding: Finding) => {
    const folder = folderOf(finding.file);
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), finding]);
  };
  for (const finding of findings) if (finding.file !== JOURNAL_NAME) add(finding);
  for (const finding of olderThanAcknowledged(storage, state)) add(finding);
  return byFolder;
}

function repairVersion({ storage, version, isDry }: RepairOptions, aside: Aside): Remedy {
  const findings = [...checkVersionFile(storage)];
  if (!isDry) {
    aside.moveFile(VERSION_NAME);
    writeVersion(storage, version);
  }
  return {
    place: VERSION_NAME,
    findings,
    kept: "every other file: each tells its own format.",
    lost: "which version wrote the folder.",
    action: `the file is moved aside, and version ${version} is written.`,
  };
}

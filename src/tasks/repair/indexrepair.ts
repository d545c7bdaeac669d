// An index with damaged files: every document that can be read is indexed again, in a new folder, with the
// settings of the newest readable state; then the old folder is moved aside. Called by repair.ts.
import type { Engine } from "../../engine/engine.ts";
import { newestState, type Salvage, type Salvager } from "../../engine/salvage.ts";
import { messageOf } from "../../errors.ts";
import type { SettingsPatch } from "../../schemas/settings.ts";
import type { ManifestState } from "../../segment/manifeststate.ts";
import { baseOf, join, type Storage } from "../../storage/storage.ts";
import { buildIndex } from "../indexbuilding.ts";
import { newFolder } from "../indexfolders.ts";
import type { Journal } from "../journal.ts";
import { Payloads } from "../payloads.ts";
import type { State } from "../state.ts";
import type { Aside } from "./aside.ts";
import type { Remedy } from "./repair.ts";

interface IndexRepairTools {
  storage: Storage;
  aside: Aside;
  salvager: Salvager;
}

/** In the new folder, while it is built: the documents, a line each. */
const LINES_NAME = "repair.tmp";

/** `engine` and `journal`: null in a dry run. */
export async function rebuildIndex(
  tools: IndexRepairTools,
  folder: string,
  uid: string | null,
  { catalog }: State,
  engine: Engine | null,
  journal: Journal | null,
): Promise<Omit<Remedy, "findings">> {
  const { storage, aside, salvager } = tools;
  if (uid === null) {
    // The old folder of an index whose repair was killed at its last step, among others.
    if (journal) aside.moveFolder(folder);
    const [place, lost] = [`${folder}, which no index has`, "nothing that anybody reads."];
    return { place, kept: "all of it.", lost, action: "the folder is moved aside." };
  }
  const place = `${folder}, index \`${uid}\``;
  const state = newestState(storage, folder);
  if (state === null) return { place, kept: "the files.", lost: "its settings and documents.", action: null };
  const entry = catalog.get(uid)!;
  const versionsBehind = entry.description.version - state.version;
  if (!engine || !journal) {
    const salvage = salvager.run(folder, state, () => {});
    return { place, ...accountOf(salvage, versionsBehind), action: ACTION };
  }
  const newer = newFolder();
  // Noted first: what a failure or a kill leaves of it is removed at the next start.
  await journal.write({ type: "drop", folder: newer });
  storage.makeFolder(newer);
  const documents = join(newer, LINES_NAME);
  const told = { place, ...accountOf(salvageLines(tools, folder, state, documents), versionsBehind) };
  const { primaryKey } = state;
  const source = { folder: newer, uid, primaryKey, documents, patch: state.settings as SettingsPatch };
  try {
    const payloads = new Payloads(storage);
    const description = await buildIndex({ storage, engine, payloads }, source);
    storage.remove(documents);
    const changed = { uid, entry: { ...entry, folder: newer, description } };
    await journal.write({ type: "catalog", changes: [changed] });
  } catch (cause) {
    return { ...told, action: null, lost: `${told.lost} It cannot be built again: ${messageOf(cause)}.` };
  }
  aside.moveFolder(folder);
  return { ...told, action: ACTION };
}

/** A sound index whose name is lost gets another one. `engine` and `journal`: null in a dry run. */
export async function adoptIndex(
  folder: string,
  now: Date,
  engine: Engine | null,
  journal: Journal | null,
): Promise<Omit<Remedy, "findings">> {
  const uid = `recovered-${baseOf(folder)}`;
  if (engine && journal) {
    const description = await engine.describe(folder);
    const moment = now.getTime() * 1000;
    const entry = { folder, createdAt: moment, updatedAt: moment, description };
    await journal.write({ type: "catalog", changes: [{ uid, entry }] });
  }
  return {
    place: `${folder}, an index whose name is lost`,
    kept: "its settings and documents.",
    lost: "its name, and tasks that the journal has lost with it.",
    action: `the index is called \`${uid}\`; it may have been deleted before.`,
  };
}

/** Writes what can be read of an index to a file. */
function salvageLines(
  { storage, salvager }: IndexRepairTools,
  folder: string,
  state: ManifestState,
  documents: string,
): Salvage {
  const lines = storage.create(documents);
  try {
    return salvager.run(folder, state, (line) => lines.append(line));
  } finally {
    lines.close();
  }
}

const ACTION = "the index is built again from what is kept; its old folder is moved aside.";

function accountOf(salvage: Salvage, versionsBehind: number): Pick<Remedy, "kept" | "lost"> {
  const { documents, lost, lostIds, withoutVectors, deletionsLost } = salvage;
  const losses: string[] = [];
  if (lost > 0) losses.push(`${lost} documents that cannot be read${examples(lostIds)}`);
  if (withoutVectors > 0) losses.push(`vectors of ${withoutVectors} documents, to be made again`);
  if (deletionsLost > 0) losses.push(`deletions of up to ${deletionsLost} documents, which come back`);
  if (versionsBehind > 0) losses.push(`the last ${versionsBehind} changes of the index`);
  return {
    kept: `settings and ${documents} documents.`,
    lost: losses.length === 0 ? "nothing." : `${losses.join("; ")}.`,
  };
}

function examples(ids: readonly string[]): string {
  return ids.length === 0 ? "" : ` (among them ${ids.map((id) => `\`${id}\``).join(", ")})`;
}

// An index with damaged files: every document that can be read is indexed again, in a new folder, with the
// settings of the newest readable state; then the old folder is moved aside. Called by repair.ts.
import type { Engine } from "../../engine/engine.ts";
import { newestState, type Salvage, type Salvager } from "../../engine/salvage.ts";
import { messageOf } from "../../errors.ts";
import type { SettingsPatch } from "../../schemas/settings.ts";
import type { Storage } from "../../storage/storage.ts";
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
    const place = `${folder}, which no index has`;
    return { place, kept: "all of it.", lost: "nothing that anybody reads.", action: null };
  }
  const place = `${folder}, index \`${uid}\``;
  const state = newestState(storage, folder);
  if (state === null) return { place, kept: "the files.", lost: "its settings and documents.", action: null };
  const entry = catalog.get(uid)!;
  const lines = engine && journal ? storage.create(LINES_NAME) : null;
  let salvage: Salvage;
  try {
    salvage = salvager.run(folder, state, (line) => lines?.append(line));
  } finally {
    lines?.close();
  }
  const told = { place, ...accountOf(salvage, entry.description.version - state.version) };
  if (!engine || !journal) return { ...told, action: ACTION };
  const source = {
    ...{ folder: newFolder(), uid, primaryKey: state.primaryKey, documents: LINES_NAME },
    patch: state.settings as SettingsPatch,
  };
  try {
    const payloads = new Payloads(storage);
    const description = await buildIndex({ storage, engine, payloads }, source);
    const changed = { uid, entry: { ...entry, folder: source.folder, description } };
    await journal.write({ type: "catalog", changes: [changed] });
  } catch (cause) {
    return { ...told, action: null, lost: `${told.lost} It cannot be built again: ${messageOf(cause)}.` };
  } finally {
    storage.remove(LINES_NAME);
  }
  aside.moveFolder(folder);
  return { ...told, action: ACTION };
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

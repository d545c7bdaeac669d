// Repairs the folder of an index that is damaged, or that the journal does not name any more. Called by
// repair.ts.
//
//   damaged        every document that can be read is indexed again, in a new folder, with the settings of
//                  the newest readable state; then the old folder is moved aside
//   without name   the index gets another one, `recovered-...`
import type { Engine } from "../../engine/engine.ts";
import { newestState, type Salvage, type Salvager } from "../../engine/salvage.ts";
import { messageOf } from "../../errors.ts";
import type { SettingsPatch } from "../../schemas/settings.ts";
import type { Finding } from "../../segment/finding.ts";
import type { ManifestState } from "../../segment/manifeststate.ts";
import { FORMAT_SECTION } from "../../storage/failure.ts";
import { baseOf, join, type Storage } from "../../storage/storage.ts";
import type { CatalogEntry } from "../catalog.ts";
import { buildIndex } from "../indexbuilding.ts";
import { newFolder } from "../indexfolders.ts";
import type { Journal } from "../journal.ts";
import { Payloads } from "../payloads.ts";
import type { State } from "../state.ts";
import type { Aside } from "./aside.ts";
import type { Remedy } from "./remedy.ts";

interface IndexRepairTools {
  storage: Storage;
  aside: Aside;
  salvager: Salvager;
  /** What the journal says; `drops` are folders to be removed. */
  named: Pick<State, "catalog" | "drops">;
  now: Date;
  /** Both null in a dry run. */
  engine: Engine | null;
  journal: Journal | null;
}

type Account = Omit<Remedy, "findings">;

/** The index that a folder belongs to. `entry` null: the journal has lost its name, and this is a new one. */
interface Owner {
  uid: string;
  entry: CatalogEntry | null;
}

/** In the new folder while it is built: the documents, one per line. */
const LINES_NAME = "repair.tmp";

/** Repairs the folder of an index that is damaged, whose name is lost, or both. */
export async function repairIndex(
  tools: IndexRepairTools,
  folder: string,
  damage: readonly Finding[],
): Promise<Account> {
  if (damage.some(isNewer)) return leaveToNewer(folder);
  const owner = ownerOf(tools, folder);
  if (!owner) return discard(tools, `${folder}, which no index has`, folder, "nothing that anybody reads.");
  const { uid, entry } = owner;
  const place = entry ? `${folder}, index \`${uid}\`` : `${folder}, an index whose name is lost`;
  if (damage.length === 0) return { place, ...(await adoptIndex(tools, folder, uid)) };
  const state = newestState(tools.storage, folder);
  if (state) return { place, ...(await rebuildIndex(tools, folder, owner, state)) };
  const lost = "its settings and documents.";
  // The index keeps its name until somebody deletes it; if the name is lost, too, there is nothing to keep it
  // for.
  if (entry) return { place, kept: "the files.", lost, action: null };
  return discard(tools, place, folder, lost);
}

/** Whether the format is one that this version cannot read: the file may be perfectly sound. */
export const isNewer = ({ section }: Finding): boolean => section === FORMAT_SECTION;

export function leaveToNewer(place: string): Account {
  return { place, kept: "all of it.", lost: "nothing: another version wrote it.", action: null };
}

/** Null if no index uses the folder, now or later. */
function ownerOf({ aside, named: { catalog, drops } }: IndexRepairTools, folder: string): Owner | null {
  for (const { uid, entry } of catalog.changes()) if (entry!.folder === folder) return { uid, entry };
  // A repair that was killed at its last step has already replaced it by another folder.
  const inUse = new Set(catalog.changes().map(({ entry }) => entry!.folder));
  if (drops.has(folder) || successorsOf(folder, aside).some((newer) => inUse.has(newer))) return null;
  const uid = `recovered-${baseOf(folder)}`;
  // Another index may have that name by now.
  return { uid: catalog.has(uid) ? `recovered-${globalThis.crypto.randomUUID()}` : uid, entry: null };
}

/** Folders that replaced this one, or one that did, and so on. */
function successorsOf(folder: string, aside: Aside): string[] {
  const found = [folder];
  for (const each of found) found.push(...aside.replacements(each).filter((newer) => !found.includes(newer)));
  return found.slice(1);
}

function discard({ aside, journal }: IndexRepairTools, place: string, folder: string, lost: string): Account {
  if (journal) aside.moveFolder(folder);
  return { place, kept: "all files.", lost, action: "the folder is moved aside." };
}

/** For a sound index: its folder stays. */
async function adoptIndex(
  { engine, journal, now }: IndexRepairTools,
  folder: string,
  uid: string,
): Promise<Omit<Account, "place">> {
  if (engine && journal) {
    const entry = { folder, ...bornAt(now), description: await engine.describe(folder) };
    await journal.write({ type: "catalog", changes: [{ uid, entry }] });
  }
  const action = `the index is called \`${uid}\`; it may have been deleted before.`;
  return { kept: "its settings and documents.", lost: `${NAME_LOST}.`, action };
}

async function rebuildIndex(
  tools: IndexRepairTools,
  folder: string,
  { uid, entry }: Owner,
  state: ManifestState,
): Promise<Omit<Account, "place">> {
  const { storage, aside, salvager, engine, journal, now } = tools;
  const versionsBehind = entry ? entry.description.version - state.version : 0;
  const losses = entry ? [] : [NAME_LOST];
  const called = entry ? "" : ` The index is called \`${uid}\`; it may have been deleted before.`;
  const action = `the index is built again from what is kept; its old folder is moved aside.${called}`;
  if (!engine || !journal) {
    const salvage = salvager.run(folder, state, () => {});
    return { ...accountOf(salvage, versionsBehind, losses), action };
  }
  const newer = newFolder();
  // Noted first: if the rebuilding fails or is killed, the next start removes the folder.
  await journal.write({ type: "drop", folder: newer });
  storage.makeFolder(newer);
  const documents = join(newer, LINES_NAME);
  const told = accountOf(salvageLines(tools, folder, state, documents), versionsBehind, losses);
  const { primaryKey } = state;
  const source = { folder: newer, uid, primaryKey, documents, patch: state.settings as SettingsPatch };
  try {
    const payloads = new Payloads(storage);
    const description = await buildIndex({ storage, engine, payloads }, source);
    storage.remove(documents);
    aside.begin(folder, newer);
    const changed = { uid, entry: { ...(entry ?? bornAt(now)), folder: newer, description } };
    await journal.write({ type: "catalog", changes: [changed] });
  } catch (cause) {
    return { ...told, action: null, lost: `${told.lost} It cannot be built again: ${messageOf(cause)}.` };
  }
  aside.moveFolder(folder);
  return { ...told, action };
}

function bornAt(now: Date): Pick<CatalogEntry, "createdAt" | "updatedAt"> {
  const moment = now.getTime() * 1000;
  return { createdAt: moment, updatedAt: moment };
}

/** Writes the documents that can be read of an index to a file. */
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

const NAME_LOST = "its name, and tasks that the journal has lost with it";

/** `before`: losses that were reported already. */
function accountOf(
  salvage: Salvage,
  versionsBehind: number,
  before: readonly string[],
): Pick<Remedy, "kept" | "lost"> {
  const { documents, lost, lostIds, withoutVectors, deletionsLost } = salvage;
  const losses = [...before];
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

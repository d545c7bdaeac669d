// Runs upgradeDatabase tasks: after a start that takes over the folder of an older version, every index is
// opened before anything else happens in it. Older file formats stay readable, so nothing has to be
// rewritten: a merge writes the newest format, and words made by older rules are made anew with the next
// batch (engine/settingshash.ts). Canceling an upgrade gives the folder back to the older version.
import type { Storage } from "../storage/storage.ts";
import { type Executor, succeeded } from "./execution.ts";
import type { InstanceInterface } from "./instanceinterface.ts";
import type { UpgradeDatabase } from "./kinds.ts";
import { type Upgrade, writeVersion } from "./versionfile.ts";

export const upgradeExecutor: Executor = async (tasks, { state, engine, progress }) => {
  const uids = state.catalog.uids();
  for (const [finished, uid] of uids.entries()) {
    const currentStep = `Upgrading index \`${uid}\``;
    progress.enter("processing tasks", [{ currentStep, finished, total: uids.length }]);
    const { folder, description } = state.catalog.get(uid)!;
    const index = { folder, indexUid: uid, version: description.version };
    // Reads the end of every segment, where its format stands.
    await engine.lines(index, { from: 0, filter: null, bytesMax: 1 });
  }
  return { ends: tasks.map((task) => succeeded(task)) };
};

/** The task of an upgrade, which an instance runs first of all. */
export function upgradeTask({ from, to }: Upgrade): UpgradeDatabase {
  return { type: "upgradeDatabase", from: `v${from}`, to: `v${to}` };
}

/** Gives the folder back to the older version when an upgrade is canceled. */
export function watchUpgrades(instance: InstanceInterface, storage: Storage): void {
  instance.on("finished", (tasks) => {
    for (const { kind, status } of tasks) {
      if (kind.type === "upgradeDatabase" && status === "canceled") writeVersion(storage, kind.from.slice(1));
    }
  });
}

// The settings of an index: as they are shown, and changes of them as tasks. Called by local.ts.
import { checkEmbedderTemplates } from "../engine/embeddertemplates.ts";
import { resetPatch } from "../engine/settings.ts";
import { checkSettingsPatch } from "../engine/settingscheck.ts";
import { shownPatch, shownSettings } from "../engine/settingsview.ts";
import type { SettingName, SettingsPatch } from "../schemas/settings.ts";
import type { SummarizedTask } from "../tasks/views.ts";
import { isFeatureOn } from "./features.ts";
import type { OperationServices, Requester } from "./services.ts";

export async function readSettings(
  { instance, engine }: OperationServices,
  indexUid: string,
): Promise<Record<string, unknown>> {
  return shownSettings(await engine.settings(instance.handle(indexUid)));
}

export async function updateSettings(
  { instance }: OperationServices,
  { access }: Requester,
  indexUid: string,
  patch: SettingsPatch,
): Promise<SummarizedTask> {
  checkSettingsPatch(patch, (feature) => isFeatureOn(instance, feature));
  if (patch.embedders) await checkEmbedderTemplates(patch.embedders);
  const allowIndexCreation = access.mayCreate(indexUid);
  const shown = shownPatch(patch);
  return instance.register({
    type: "settingsUpdate",
    indexUid,
    patch,
    shown,
    isDeletion: false,
    allowIndexCreation,
  });
}

/** A reset never creates the index. `names`: null means all settings. */
export function resetSettings(
  { instance }: OperationServices,
  indexUid: string,
  names: readonly SettingName[] | null,
): Promise<SummarizedTask> {
  const patch = names === null ? resetPatch() : Object.fromEntries(names.map((name) => [name, null]));
  const work = {
    type: "settingsUpdate" as const,
    indexUid,
    patch,
    shown: shownPatch(patch),
    isDeletion: true,
  };
  return instance.register({ ...work, allowIndexCreation: false });
}

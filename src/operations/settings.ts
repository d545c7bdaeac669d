// The settings of an index as they are shown, and their changes as tasks. Called by local.ts.
import { templateCheckFor } from "../engine/embeddertemplates.ts";
import { resetPatch } from "../engine/settings.ts";
import { checkSettingsPatch } from "../engine/settingscheck.ts";
import { shownPatch, shownSettings } from "../engine/settingsview.ts";
import { defaultUnbuilt, FEATURE_OF_SETTING, type UnbuiltSetting } from "../engine/unbuiltsettings.ts";
import { kebabCase } from "../kebabcase.ts";
import type { SharedWrite } from "../network/sharedwrites.ts";
import { boundedPatch, type SettingName, type SettingsPatch } from "../schemas/settings.ts";
import type { SummarizedTask } from "../tasks/views.ts";
import { isFeatureOn } from "./features.ts";
import type { OperationServices, Requester } from "./services.ts";
import { sharingOf } from "./sharing.ts";

/** Settings of features that are not built are shown only where the feature is on. */
export async function readSettings(
  { instance, engine }: OperationServices,
  indexUid: string,
): Promise<Record<string, unknown>> {
  const { foreignKeys, chat, ...settings } = await engine.settings(instance.handle(indexUid));
  const unbuilt = { ...defaultUnbuilt(), ...(foreignKeys && { foreignKeys }), ...(chat && { chat }) };
  const shown = UNBUILT_NAMES.filter((name) => isFeatureOn(instance, FEATURE_OF_SETTING[name]));
  return shownSettings({ ...settings, ...Object.fromEntries(shown.map((name) => [name, unbuilt[name]])) });
}

/** One setting, shown whether or not its feature is on. */
export async function readSetting(
  { instance, engine }: OperationServices,
  indexUid: string,
  name: SettingName,
): Promise<unknown> {
  const settings = await engine.settings(instance.handle(indexUid));
  return shownSettings({ ...defaultUnbuilt(), ...settings })[name] ?? null;
}

const UNBUILT_NAMES = Object.keys(FEATURE_OF_SETTING) as UnbuiltSetting[];

export async function updateSettings(
  services: OperationServices,
  requester: Requester,
  indexUid: string,
  sent: SettingsPatch,
): Promise<SummarizedTask> {
  const { instance } = services;
  const patch = boundedPatch(sent);
  const templates = await templateCheckFor(patch.embedders ?? {});
  checkSettingsPatch(patch, (feature) => isFeatureOn(instance, feature), templates);
  const allowIndexCreation = requester.access.mayCreate(indexUid);
  const shown = shownPatch(patch);
  return sharingOf(services, requester).register(
    { type: "settingsUpdate", indexUid, patch, shown, isDeletion: false, allowIndexCreation },
    { method: "PATCH", path: `/indexes/${indexUid}/settings`, body: { json: patch } },
  );
}

/** A reset never creates the index. `names`: null means all settings. */
export function resetSettings(
  services: OperationServices,
  requester: Requester,
  indexUid: string,
  names: readonly SettingName[] | null,
): Promise<SummarizedTask> {
  const patch = names === null ? resetPatch() : Object.fromEntries(names.map((name) => [name, null]));
  const shown = shownPatch(patch);
  const work = { type: "settingsUpdate" as const, indexUid, patch, shown, isDeletion: true };
  const url = `/indexes/${indexUid}/settings`;
  const write: SharedWrite =
    names === null || names.length === 1
      ? { method: "DELETE", path: names ? `${url}/${kebabCase(names[0])}` : url, body: null }
      : { method: "PATCH", path: url, body: { json: patch } };
  return sharingOf(services, requester).register({ ...work, allowIndexCreation: false }, write);
}

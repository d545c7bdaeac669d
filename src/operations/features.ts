// Experimental features: which are on, and the refusal of requests that need one that is off.
import { TarsierError } from "../errors.ts";
import { FEATURE_KIND, FEATURE_NAMES, shownSwitch } from "../schemas/features.ts";
import type { Instance } from "../tasks/instance.ts";

export function isFeatureOn(instance: Instance, feature: string): boolean {
  return instance.value(FEATURE_KIND, feature) === true;
}

export function needFeature(instance: Instance, feature: string, action: string): void {
  if (!isFeatureOn(instance, feature)) throw new TarsierError("feature_not_enabled", { action, feature });
}

export function features(instance: Instance): Record<string, boolean | null> {
  const switches = FEATURE_NAMES.map((name) => [name, shownSwitch(name, instance.value(FEATURE_KIND, name))]);
  return Object.fromEntries(switches);
}

/** A switch that is absent or null keeps its state. */
export async function setFeatures(
  instance: Instance,
  switches: Readonly<Record<string, boolean | null | undefined>>,
): Promise<Record<string, boolean | null>> {
  for (const [name, isOn] of Object.entries(switches)) {
    if (typeof isOn === "boolean" && isOn !== instance.value(FEATURE_KIND, name))
      await instance.put(FEATURE_KIND, name, isOn);
  }
  return features(instance);
}

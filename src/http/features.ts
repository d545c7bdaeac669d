// Which experimental features are on, and the refusal of what needs one that is off.
import { TarsierError } from "../errors.ts";
import type { Instance } from "../tasks/instance.ts";

/** Kind under which the instance keeps the switches. */
export const FEATURE_KIND = "experimentalFeature";

export function isFeatureOn(instance: Instance, feature: string): boolean {
  return instance.value(FEATURE_KIND, feature) === true;
}

export function needFeature(instance: Instance, feature: string, action: string): void {
  if (!isFeatureOn(instance, feature)) throw new TarsierError("feature_not_enabled", { action, feature });
}

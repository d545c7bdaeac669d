// Experimental features: GET and PATCH /experimental-features, which of them are on, and the refusal of what
// needs one that is off.
import { TarsierError } from "../errors.ts";
import { FEATURE_KIND, FEATURE_NAMES, FeaturesBody, shownSwitch } from "../schemas/features.ts";
import type { Instance } from "../tasks/instance.ts";
import type { App, Services } from "./app.ts";

export function addFeatureRoutes(app: App, { instance }: Services): void {
  const url = "/experimental-features";
  app.get(url, { config: { action: "experimental.get" } }, async () => features(instance));

  const update = { config: { action: "experimental.update" as const }, schema: { body: FeaturesBody } };
  app.patch(url, update, async (request) => {
    for (const [name, isOn] of Object.entries(request.body)) {
      if (isOn !== null && isOn !== instance.value(FEATURE_KIND, name))
        await instance.put(FEATURE_KIND, name, isOn);
    }
    return features(instance);
  });
}

export function isFeatureOn(instance: Instance, feature: string): boolean {
  return instance.value(FEATURE_KIND, feature) === true;
}

export function needFeature(instance: Instance, feature: string, action: string): void {
  if (!isFeatureOn(instance, feature)) throw new TarsierError("feature_not_enabled", { action, feature });
}

function features(instance: Instance): Record<string, boolean | null> {
  const switches = FEATURE_NAMES.map((name) => [name, shownSwitch(name, instance.value(FEATURE_KIND, name))]);
  return Object.fromEntries(switches);
}

// GET and PATCH /experimental-features.
import { spreadDocuments } from "../network/spread.ts";
import { FeaturesBody } from "../schemas/features.ts";
import type { App, Services } from "./app.ts";
import { operationsOf } from "./operations.ts";

export function addFeatureRoutes(app: App, services: Services): void {
  const url = "/experimental-features";
  app.get(url, { config: { action: "experimental.get" } }, async (request) => {
    return operationsOf(services, request).features();
  });

  const update = { config: { action: "experimental.update" as const }, schema: { body: FeaturesBody } };
  app.patch(url, update, async (request) => {
    const features = await operationsOf(services, request).setFeatures(request.body);
    // Writes of the time when the feature `network` was off went to no other server.
    await spreadDocuments(services.instance);
    // With the feature off, its route could not end the listener any more.
    if (!features.logsRoute) services.logs.endListener();
    return features;
  });
}

// GET and PATCH /network: the network of instances that this one searches, and is searched, with.
import { networkOf, Topology } from "../network/topology.ts";
import { needFeature } from "../operations/features.ts";
import { NetworkPatch } from "../schemas/network.ts";
import type { App, Services } from "./app.ts";

const ACTION = "Using the `/network` route";

export function addNetworkRoutes(app: App, { instance }: Services): void {
  const topology = new Topology(instance);
  app.get("/network", { config: { action: "network.get" } }, async () => {
    needFeature(instance, "network", ACTION);
    return networkOf(instance);
  });
  const update = { config: { action: "network.update" as const }, schema: { body: NetworkPatch } };
  app.patch("/network", update, async ({ body }) => {
    needFeature(instance, "network", ACTION);
    return topology.patch(body);
  });
}

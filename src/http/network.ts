// GET and PATCH /network: the network of instances that search together with this one.
import { Topology } from "../network/networkchanges.ts";
import { spreadDocuments } from "../network/spread.ts";
import { networkOf, shownNetwork } from "../network/topology.ts";
import { needFeature } from "../operations/features.ts";
import { NetworkPatch } from "../schemas/network.ts";
import type { App, Services } from "./app.ts";

const ACTION = "Using the `/network` route";

export function addNetworkRoutes(app: App, { instance, outbox }: Services): void {
  const topology = new Topology(instance);
  app.get("/network", { config: { action: "network.get" } }, async () => {
    needFeature(instance, "network", ACTION);
    return shownNetwork(networkOf(instance));
  });
  const update = { config: { action: "network.update" as const }, schema: { body: NetworkPatch } };
  app.patch("/network", update, async ({ body }) => {
    needFeature(instance, "network", ACTION);
    outbox?.keep(networkOf(instance).remotes);
    const network = await topology.patch(body);
    outbox?.wake();
    await spreadDocuments(instance);
    return shownNetwork(network);
  });
}

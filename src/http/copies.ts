// POST /dumps and POST /snapshots: copies of everything, made by tasks (src/tasks/dumps,
// src/tasks/snapshots.ts).
import type { App, Services } from "./app.ts";

export function addCopyRoutes(app: App, { instance, options }: Services): void {
  app.post("/dumps", { config: { action: "dumps.create" } }, async (_request, reply) => {
    reply.code(202);
    // An operator who switches analytics off wants no dump to name this instance.
    return instance.registerDump(!options.noAnalytics);
  });

  app.post("/snapshots", { config: { action: "snapshots.create" } }, async (_request, reply) => {
    reply.code(202);
    return instance.register({ type: "snapshotCreation" });
  });
}

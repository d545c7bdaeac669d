// GET /health and GET /version: whether the server answers, and which one it is.
import type { App, Services } from "./app.ts";

export function addHealthRoutes(app: App, { version }: Services): void {
  app.get("/health", { config: { action: null } }, async () => ({ status: "available" }));
  app.get("/version", { config: { action: "version" } }, async () => version);
}

// GET /: a page to try searches in development, a short answer in production.
import type { App, Services } from "./app.ts";
import { PAGE } from "./page.ts";

export function addFrontRoute(app: App, { options }: Services): void {
  app.get("/", { config: { action: null } }, async (_request, reply) => {
    if (options.env === "production") return { status: "Tarsier is running" };
    reply.type("text/html; charset=utf-8");
    return PAGE;
  });
}

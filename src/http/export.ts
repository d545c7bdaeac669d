// POST /export: sends indexes to another instance. A task does it (src/tasks/exports.ts).
import { TarsierError } from "../errors.ts";
import { hasCredentials, hasQuery } from "../outbound/urls.ts";
import { ExportBody } from "../schemas/export.ts";
import { parseSize, wholeSize } from "../sizes.ts";
import type { App, Services } from "./app.ts";

export function addExportRoute(app: App, { instance }: Services): void {
  const options = { config: { action: "export" as const }, schema: { body: ExportBody } };
  app.post("/export", options, async (request, reply) => {
    const { url = "", apiKey = null, payloadSize = null, indexes } = request.body;
    // The URL is shown with the task, and a password would be, too.
    if (hasCredentials(url)) throw refused("a URL without user and password (a key goes into `apiKey`)");
    // Paths are appended to the URL.
    if (hasQuery(url)) throw refused("a URL without `?` and `#`");
    const patterns = Object.entries(indexes ?? { "*": {} }).map(([pattern, chosen]) => {
      const { filter = null, overrideSettings = false } = chosen;
      return [pattern, { filter, overrideSettings }];
    });
    reply.code(202);
    return instance.register({
      type: "export",
      url,
      apiKey,
      payloadSize: payloadSize === null ? null : wholeSize(parseSize(String(payloadSize))!),
      indexes: Object.fromEntries(patterns),
    });
  });
}

function refused(expected: string): TarsierError {
  const place = "Field `.url`";
  return new TarsierError("invalid_export_url", { place, expected, found: "one with them" });
}

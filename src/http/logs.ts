// /logs: listening to the log over HTTP, and choosing what the error output gets.
import type { FastifyReply } from "fastify";
import { TarsierError } from "../errors.ts";
import { needFeature } from "../operations/features.ts";
import { LogStreamBody, StderrBody } from "../schemas/logs.ts";
import type { App, Services } from "./app.ts";
import { parseTarget } from "./logtarget.ts";

const TARGET_DEFAULT = "info";
const CONTENT_TYPES = { human: "text/plain; charset=utf-8", json: "application/x-ndjson" };

export function addLogRoutes(app: App, { instance, logs }: Services): void {
  const config = { action: "metrics.get" as const };
  const needLogs = () => needFeature(instance, "logsRoute", "Changing and reading logs");

  app.post("/logs/stream", { config, schema: { body: LogStreamBody } }, async (request, reply) => {
    const { mode, profileMemory, target } = request.body;
    const wanted = parseTarget(target ?? TARGET_DEFAULT);
    const form = mode ?? "human";
    if (profileMemory === true && form !== "profile") {
      // An odd code, but the one that clients know.
      throw new TarsierError("invalid_settings_typo_tolerance", {
        place: "Field `.profileMemory`",
        expected: "the mode `profile` with it",
        found: `\`${form}\``,
      });
    }
    needLogs();
    if (form === "profile") throw refusal("this server makes no profiles");
    if (logs.hasListener) throw refusal("somebody listens already; DELETE /logs/stream ends that");
    sendForEver(reply, logs.listen(wanted, form), CONTENT_TYPES[form]);
    return reply;
  });

  app.delete("/logs/stream", { config }, async (_request, reply) => {
    needLogs();
    logs.endListener();
    return reply.code(204).send();
  });

  app.post("/logs/stderr", { config, schema: { body: StderrBody } }, async (request, reply) => {
    const target = parseTarget(request.body.target ?? TARGET_DEFAULT);
    needLogs();
    logs.target = target;
    return reply.code(204).send();
  });
}

function refusal(problem: string): TarsierError {
  return new TarsierError("bad_request", { message: `The logs cannot be streamed: ${problem}` });
}

/** Sends the head of the answer at once and every line as it comes: nothing may buffer them. */
function sendForEver(
  reply: FastifyReply,
  stream: ReturnType<Services["logs"]["listen"]>,
  type: string,
): void {
  reply.hijack();
  const { raw } = reply;
  const headers = { ...reply.getHeaders(), "content-type": type, "x-accel-buffering": "no" };
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) raw.setHeader(name, value);
  raw.flushHeaders();
  raw.on("close", () => stream.destroy());
  stream.pipe(raw);
}

// /tasks and /batches: what the instance was asked to do, and how far it has got.
import { Readable } from "node:stream";
import type { FastifyRequest } from "fastify";
import type { TaskQuery } from "../library/operations.ts";
import { needFeature } from "../operations/features.ts";
import { filterParameters, pageParameters } from "../operations/taskparameters.ts";
import { binarySize } from "../sizes.ts";
import { piecesOf } from "../storage/filepieces.ts";
import { accessOf } from "./access.ts";
import type { App, Services } from "./app.ts";
import { operationsOf } from "./operations.ts";
import { sendPage } from "./pages.ts";
import { numberOf } from "./paths.ts";

export function addTaskRoutes(app: App, services: Services): void {
  app.get(
    "/tasks",
    { config: { action: "tasks.get", parameters: pageParameters } },
    async (request, reply) => {
      return sendPage(reply, operationsOf(services, request).taskPage(queryOf(request)));
    },
  );

  app.get("/tasks/:taskUid", { config: { action: "tasks.get" } }, async (request) => {
    return operationsOf(services, request).task(numberOf(request, "taskUid", "invalid_task_uids"));
  });

  app.get("/tasks/:taskUid/documents", { config: { action: "tasks.get" } }, async (request, reply) => {
    needFeature(services.instance, "getTaskDocumentsRoute", "Reading the documents of a task");
    const taskUid = numberOf(request, "taskUid", "invalid_task_uids");
    const file = services.instance.openDocuments(taskUid, accessOf(request).visible);
    const documents = Readable.from(piecesOf(file, file.size));
    // Also closes when none of it was read.
    documents.once("close", () => file.close());
    return reply.type("application/x-ndjson").send(documents);
  });

  app.post(
    "/tasks/cancel",
    { config: { action: "tasks.cancel", parameters: filterParameters } },
    async (request) => {
      return operationsOf(services, request).cancelTasks(queryOf(request), rawQueryOf(request));
    },
  );

  app.post("/tasks/compact", { config: { action: "tasks.compact" } }, async () => {
    needFeature(services.instance, "taskQueueCompactionRoute", "Compacting the task queue");
    const { bytesBefore, bytesAfter } = await services.instance.compactQueue();
    return { preSize: binarySize(bytesBefore), postSize: binarySize(bytesAfter), status: "succeeded" };
  });

  app.delete(
    "/tasks",
    { config: { action: "tasks.delete", parameters: filterParameters } },
    async (request) => {
      return operationsOf(services, request).deleteTasks(queryOf(request), rawQueryOf(request));
    },
  );

  app.get(
    "/batches",
    { config: { action: "tasks.get", parameters: pageParameters } },
    async (request, reply) => {
      return sendPage(reply, operationsOf(services, request).batchPage(queryOf(request)));
    },
  );

  app.get("/batches/:batchUid", { config: { action: "tasks.get" } }, async (request) => {
    return operationsOf(services, request).batch(numberOf(request, "batchUid", "invalid_batch_uids"));
  });
}

/** A value that is not a text is refused by the code that reads it. */
const queryOf = (request: FastifyRequest): TaskQuery => request.query as TaskQuery;

function rawQueryOf({ raw: { url = "" } }: FastifyRequest): string {
  const at = url.indexOf("?");
  return at < 0 ? "" : url.slice(at);
}

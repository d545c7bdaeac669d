// /tasks and /batches: what was asked of the instance, and how far it got.
import type { FastifyRequest } from "fastify";
import type { TaskQuery } from "../library/operations.ts";
import { filterParameters, pageParameters } from "../operations/taskparameters.ts";
import type { App, Services } from "./app.ts";
import { operationsOf } from "./operations.ts";
import { numberOf } from "./paths.ts";

export function addTaskRoutes(app: App, services: Services): void {
  app.get("/tasks", { config: { action: "tasks.get", parameters: pageParameters } }, async (request) => {
    return operationsOf(services, request).tasks(queryOf(request));
  });

  app.get("/tasks/:taskUid", { config: { action: "tasks.get" } }, async (request) => {
    return operationsOf(services, request).task(numberOf(request, "taskUid", "invalid_task_uids"));
  });

  app.post(
    "/tasks/cancel",
    { config: { action: "tasks.cancel", parameters: filterParameters } },
    async (request) => {
      return operationsOf(services, request).cancelTasks(queryOf(request), rawQueryOf(request));
    },
  );

  app.delete(
    "/tasks",
    { config: { action: "tasks.delete", parameters: filterParameters } },
    async (request) => {
      return operationsOf(services, request).deleteTasks(queryOf(request), rawQueryOf(request));
    },
  );

  app.get("/batches", { config: { action: "tasks.get", parameters: pageParameters } }, async (request) => {
    return operationsOf(services, request).batches(queryOf(request));
  });

  app.get("/batches/:batchUid", { config: { action: "tasks.get" } }, async (request) => {
    return operationsOf(services, request).batch(numberOf(request, "batchUid", "invalid_batch_uids"));
  });
}

/** What is no text in it is refused by whoever reads it. */
const queryOf = (request: FastifyRequest): TaskQuery => request.query as TaskQuery;

function rawQueryOf({ raw: { url = "" } }: FastifyRequest): string {
  return url.slice(url.indexOf("?"));
}

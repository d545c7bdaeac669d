// /tasks and /batches: what was asked of the instance, and how far it got.
import { TarsierError } from "../errors.ts";
import { nameList } from "../schemas/phrases.ts";
import { accessOf } from "./access.ts";
import type { App, Services } from "./app.ts";
import { numberOf } from "./paths.ts";
import { readTaskFilter, readTaskPage, TASK_FILTER_NAMES } from "./taskparameters.ts";

export function addTaskRoutes(app: App, { instance }: Services): void {
  app.get("/tasks", { config: { action: "tasks.get" } }, async (request) => {
    const { filter, paging } = readTaskPage(request.query);
    return instance.tasks(filter, paging, accessOf(request).visible);
  });

  app.get("/tasks/:taskUid", { config: { action: "tasks.get" } }, async (request) => {
    return instance.task(numberOf(request, "taskUid", "invalid_task_uids"), accessOf(request).visible);
  });

  app.post("/tasks/cancel", { config: { action: "tasks.cancel" } }, async (request) => {
    const { filter, originalFilter } = selectionOf(request.query, request.raw.url);
    return instance.cancelTasks(filter, accessOf(request).visible, originalFilter);
  });

  app.delete("/tasks", { config: { action: "tasks.delete" } }, async (request) => {
    const { filter, originalFilter } = selectionOf(request.query, request.raw.url);
    return instance.deleteTasks(filter, accessOf(request).visible, originalFilter);
  });

  app.get("/batches", { config: { action: "tasks.get" } }, async (request) => {
    const { filter, paging } = readTaskPage(request.query);
    return instance.batches(filter, paging, accessOf(request).visible);
  });

  app.get("/batches/:batchUid", { config: { action: "tasks.get" } }, async (request) => {
    return instance.batch(numberOf(request, "batchUid", "invalid_batch_uids"), accessOf(request).visible);
  });
}

/** At least one filter must be sent, so that nobody cancels or deletes everything by accident. */
function selectionOf(query: unknown, url = "") {
  const { filter, names } = readTaskFilter(query);
  if (names.length === 0)
    throw new TarsierError("missing_task_filters", { accepted: nameList(TASK_FILTER_NAMES) });
  return { filter, originalFilter: url.slice(url.indexOf("?")) };
}

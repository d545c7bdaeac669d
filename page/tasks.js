// The table of tasks, and what the batches that run are at.
import { element, part } from "./elements.js";
import { ask } from "./server.js";

const TASKS_SHOWN = 50;
const AGAIN_AFTER_MS = 200;

/** The tasks, once all of them have ended. */
export async function allEnded(uids) {
  for (;;) {
    const { results } = await ask(`tasks?uids=${uids.join()}&limit=${uids.length}`);
    if (results.every(({ finishedAt }) => finishedAt !== null)) return results;
    await pause();
  }
}

/** The tasks, of one change or of the parts of one. Throws the error of the first that did not succeed. */
export function unlessFailed(tasks) {
  const unsuccessful = tasks.filter(({ status }) => status !== "succeeded");
  if (unsuccessful.length === 0) return tasks;
  const reason = unsuccessful.at(-1).error?.message ?? "The task was canceled";
  const share = tasks.length > 1 ? `Of ${tasks.length} parts ${unsuccessful.length} failed: ` : "";
  throw new Error(share + reason);
}

/** Fulfilled when no change of the settings of an index waits or runs. */
export async function settingsAtRest(uid) {
  const query = new URLSearchParams({
    indexUids: uid,
    types: "settingsUpdate",
    statuses: "enqueued,processing",
    limit: 1,
  });
  while ((await ask(`tasks?${query}`)).results.length > 0) await pause();
}

const pause = () => new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));

/** Tasks, newest first, with the progress of the batches that run. */
export async function showTasks() {
  const [{ results }, batches] = await Promise.all([
    ask(`tasks?limit=${TASKS_SHOWN}`),
    ask("batches?statuses=processing"),
  ]);
  const running = new Map(batches.results.map((batch) => [batch.uid, batch]));
  part("tasks").replaceChildren(...results.map((task) => taskRow(task, running.get(task.batchUid))));
}

function taskRow(task, batch) {
  const took =
    task.startedAt && task.finishedAt ? `${Date.parse(task.finishedAt) - Date.parse(task.startedAt)} ms` : "";
  const enqueued = new Date(task.enqueuedAt).toLocaleString();
  const cells = [task.uid, task.status, task.type, task.indexUid ?? "", enqueued, took].map((text) =>
    element("td", { textContent: text }),
  );
  cells[1].className = task.status;
  return element("tr", {}, ...cells, element("td", {}, ...whatOf(task, batch)));
}

function whatOf({ status, error, details }, batch) {
  if (status === "processing" && batch?.progress) {
    const { progress, stats } = batch;
    const steps = progress.steps.map(({ currentStep }) => currentStep).join(", ");
    return [
      element("progress", { max: 100, value: progress.percentage ?? 0 }),
      ` ${steps}`,
      ...troubleOf(stats.embedderRequests),
    ];
  }
  if (error) return [element("span", { className: "failed", textContent: error.message })];
  const shown = Object.entries(details ?? {}).filter(([, value]) => value !== null);
  return [
    shown
      .map(([name, value]) => `${name}: ${typeof value === "object" ? JSON.stringify(value) : value}`)
      .join(", "),
  ];
}

/** An embedder that fails is asked again and again: nothing else tells why a task takes minutes. */
function troubleOf({ total, failed, lastError } = {}) {
  if (!lastError) return [];
  const text = `${failed} of ${total} requests to the embedder failed, the last one: ${lastError}`;
  return [element("div", { className: "failed", textContent: text })];
}

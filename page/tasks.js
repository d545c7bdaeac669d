// The table of tasks, and what the batches that run are at.
import { element, part } from "./elements.js";
import { ask } from "./server.js";

const TASKS_SHOWN = 50;

/** Tasks, newest first, with the progress of the batches that run. */
export async function showTasks() {
  const [{ results }, batches] = await Promise.all([
    ask(`tasks?limit=${TASKS_SHOWN}`),
    ask("batches?statuses=processing"),
  ]);
  const progress = new Map(batches.results.map((batch) => [batch.uid, batch.progress]));
  part("tasks").replaceChildren(...results.map((task) => taskRow(task, progress.get(task.batchUid))));
}

function taskRow(task, progress) {
  const took =
    task.startedAt && task.finishedAt ? `${Date.parse(task.finishedAt) - Date.parse(task.startedAt)} ms` : "";
  const enqueued = new Date(task.enqueuedAt).toLocaleString();
  const cells = [task.uid, task.status, task.type, task.indexUid ?? "", enqueued, took].map((text) =>
    element("td", { textContent: text }),
  );
  cells[1].className = task.status;
  return element("tr", {}, ...cells, element("td", {}, ...whatOf(task, progress)));
}

function whatOf({ status, error, details }, progress) {
  if (status === "processing" && progress) {
    const steps = progress.steps.map(({ currentStep }) => currentStep).join(", ");
    return [element("progress", { max: 100, value: progress.percentage ?? 0 }), ` ${steps}`];
  }
  if (error) return [element("span", { className: "failed", textContent: error.message })];
  const shown = Object.entries(details ?? {}).filter(([, value]) => value !== null);
  return [
    shown
      .map(([name, value]) => `${name}: ${typeof value === "object" ? JSON.stringify(value) : value}`)
      .join(", "),
  ];
}

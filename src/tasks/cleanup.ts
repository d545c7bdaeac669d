// Keeps the queue bounded: when it holds very many tasks, a taskDeletion of the oldest ended ones is
// registered.
import { TASK_CLEANUP_COUNT_MAX, TASK_CLEANUP_COUNT_MIN, TASK_COUNT_MAX } from "../limits.ts";
import { TASK_STATUSES } from "./kinds.ts";
import type { Registrar } from "./registrar.ts";
import type { State } from "./state.ts";
import { momentText } from "./time.ts";
import { packUids } from "./uidranges.ts";

export class Cleanup {
  readonly #state: State;
  readonly #registrar: Registrar;
  readonly #tasksMax: number;
  #registered = 0;
  #isRegistering = false;

  constructor(state: State, registrar: Registrar, tasksMax = TASK_COUNT_MAX) {
    this.#state = state;
    this.#registrar = registrar;
    this.#tasksMax = tasksMax;
  }

  /** Whether there are too many tasks and no deletion waits yet. */
  get isDue(): boolean {
    const { tasks } = this.#state;
    return tasks.size >= this.#tasksMax && !this.#isRegistering && !tasks.waiting.has(this.#registered);
  }

  /** Registers a deletion, if one is due. */
  async run(): Promise<void> {
    const { tasks } = this.#state;
    if (!this.isDue) return;
    const ended = this.#oldestEnded();
    if (ended.length < TASK_CLEANUP_COUNT_MIN) return;
    const { enqueuedAt, uids } = tasks.columns;
    const after = ended[ended.length - 1] + 1;
    const date = momentText(enqueuedAt[Math.min(after, tasks.size - 1)]);
    const kind = {
      type: "taskDeletion",
      originalFilter: `?beforeEnqueuedAt=${date}&statuses=succeeded,failed,canceled`,
      tasks: packUids(ended.map((row) => uids[row])),
      matched: ended.length,
    } as const;
    this.#isRegistering = true;
    try {
      ({ uid: this.#registered } = await this.#registrar.add({ kind }));
    } finally {
      this.#isRegistering = false;
    }
  }

  /** Rows, ascending. */
  #oldestEnded(): number[] {
    const { columns, size } = this.#state.tasks;
    const rows: number[] = [];
    for (let row = 0; row < size && rows.length < TASK_CLEANUP_COUNT_MAX; row++) {
      if (ENDED.has(columns.statuses[row])) rows.push(row);
    }
    return rows;
  }
}

const ENDED = new Set(
  (["succeeded", "failed", "canceled"] as const).map((status) => TASK_STATUSES.indexOf(status)),
);

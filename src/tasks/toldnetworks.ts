// Outcomes of tasks on other servers that came after their bodies were written, for bodies that are only in
// the journal. Part of taskcontents.ts; dumps add outcomes in the same way.
import type { TaskBody, TaskNetwork } from "./task.ts";

interface Told {
  network: TaskNetwork;
  /** Whether it replaces what the body says, instead of adding to it. */
  isWhole: boolean;
}

export class ToldNetworks {
  readonly #told: Map<number, Told>;

  constructor(told: ReadonlyMap<number, Told> = new Map()) {
    this.#told = new Map(told);
  }

  has(uid: number): boolean {
    return this.#told.has(uid);
  }

  set(uid: number, network: TaskNetwork): void {
    this.#told.set(uid, { network, isWhole: true });
  }

  /** Adds outcomes of the task on these servers. */
  add(uid: number, network: TaskNetwork): void {
    const before = this.#told.get(uid);
    const isWhole = before?.isWhole ?? false;
    this.#told.set(uid, { network: joined(before?.network, network), isWhole });
  }

  delete(uid: number): void {
    this.#told.delete(uid);
  }

  copy(): ToldNetworks {
    return new ToldNetworks(this.#told);
  }

  /** The body of a task, with the outcomes since. */
  in(uid: number, body: TaskBody): TaskBody {
    const told = this.#told.get(uid);
    if (!told) return body;
    return { ...body, network: told.isWhole ? told.network : joined(body.network, told.network) };
  }
}

/** For each server the newer outcome replaces the older. */
export function joined(before: TaskNetwork | undefined, now: TaskNetwork): TaskNetwork {
  const former = before && "remotes" in before ? before.remotes : {};
  return "remotes" in now ? { remotes: { ...former, ...now.remotes } } : now;
}

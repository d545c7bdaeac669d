// Decides which search thread searches which indexes of a federated search. Called by ../pool.ts.
import type { FederatedAnswer, IndexAnswer } from "./asked.ts";

/** Most indexes that one thread searches in one call: all of them stay open there until the call ends. */
export const GROUP_INDEXES_MAX = 16;

export interface Group<Thread> {
  thread: Thread;
  /** Numbers of the indexes in the request. */
  orders: number[];
}

/** One group for each thread, or several when it gets many indexes. `threads`: the thread of each index. */
export function groupsOf<Thread>(threads: readonly Thread[]): Group<Thread>[] {
  const groups: Group<Thread>[] = [];
  for (const [order, thread] of threads.entries()) {
    const group = groups.findLast((one) => one.thread === thread);
    if (group && group.orders.length < GROUP_INDEXES_MAX) group.orders.push(order);
    else groups.push({ thread, orders: [order] });
  }
  return groups;
}

/** The answers of all groups as one. */
export function joinedAnswers(
  groups: readonly Group<unknown>[],
  found: readonly FederatedAnswer[],
): FederatedAnswer {
  const answers: IndexAnswer[] = [];
  for (const [at, { orders }] of groups.entries()) {
    for (const [own, order] of orders.entries()) answers[order] = found[at].answers[own];
  }
  const passed = found.reduce((sum, own) => sum + own.passed, 0);
  return { answers, lists: found.flatMap(({ lists }) => lists), passed };
}

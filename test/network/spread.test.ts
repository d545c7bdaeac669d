// When documents are spread again: whenever they may lie where they do not belong, and no more often.
import { deepEqual } from "node:assert/strict";
import { test } from "node:test";
import { TarsierError } from "../../src/errors.ts";
import { spreadDocuments } from "../../src/network/spread.ts";
import type { Network } from "../../src/schemas/network.ts";
import type { InstanceInterface } from "../../src/tasks/instanceinterface.ts";

const remote = { url: "http://none", searchApiKey: null, writeApiKey: null };
const network = (...names: string[]): Network => {
  return { self: "a", sharding: true, remotes: Object.fromEntries(names.map((name) => [name, remote])) };
};

/** What is asked of an instance; tasks have the status that they are given. */
function open() {
  const values = new Map<string, unknown>([["network topology", network("b")]]);
  const statuses: (string | null)[] = [];
  const spread: string[] = [];
  const instance = {
    value: (kind: string, key: string) =>
      key === "network" ? true : (values.get(`${kind} ${key}`) ?? undefined),
    put: async (kind: string, key: string, value: unknown) => void values.set(`${kind} ${key}`, value),
    hold: async () => {},
    allStats: () => ({ indexes: new Map([["things", null]]) }),
    async register({ members }: { members: string[] }) {
      spread.push(members.join());
      return { taskUid: statuses.push("enqueued") - 1 };
    },
    task(uid: number) {
      if (statuses[uid] === null) throw new TarsierError("task_not_found", { taskUid: uid });
      return { status: statuses[uid] };
    },
  };
  return { values, statuses, spread, instance: instance as unknown as InstanceInterface };
}

test("documents are spread anew as long as no task has succeeded", async () => {
  const { statuses, spread, instance } = open();
  await spreadDocuments(instance);
  for (const [i, status] of ["enqueued", "failed", "processing", "canceled", null].entries()) {
    statuses[statuses.length - 1] = status;
    await spreadDocuments(instance);
    deepEqual(spread.length, [1, 2, 2, 3, 4][i], `${status}`);
  }
  statuses[statuses.length - 1] = "succeeded";
  await spreadDocuments(instance);
  statuses[statuses.length - 1] = null;
  await spreadDocuments(instance);
  deepEqual(spread, Array(4).fill("a,b"), "a task that had succeeded may be deleted");
});

test("of changes that come at the same time the last one is spread", async () => {
  const { values, spread, instance } = open();
  await spreadDocuments(instance);
  values.set("network topology", network("b", "c"));
  const first = spreadDocuments(instance);
  values.set("network topology", network("b"));
  await Promise.all([first, spreadDocuments(instance)]);
  deepEqual(spread, ["a,b", "a,b,c", "a,b"]);
});

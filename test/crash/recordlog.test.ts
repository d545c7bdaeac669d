// A run of a record log with appends, syncs and replacements, crashed at every step in every way and with
// every operation failing in turn. What is read afterwards must be what was acknowledged, or a later state of
// the run.
import assert from "node:assert/strict";
import { test } from "node:test";
import { RecordLog } from "../../src/storage/recordlog.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { bytes, text } from "../storage/cases.ts";
import { afterCrash, describe, FATES } from "../storage/disk.ts";
import { FaultyStorage } from "../storage/faulty.ts";

interface Run {
  storage: FaultyStorage;
  /** The list of records after each step of the script. */
  states: string[][];
  /** Steps of the trace, and index of the state that was durable then. */
  acknowledged: { at: number; state: number }[];
  /** States that had begun to be written when the trace had so many steps. */
  begun: number[];
}

/** append: a record; S: sync; R: replace all by their last two. */
const SCRIPT = "aSaaSaaaSRaaSaRSaaaaSaSRRaSaaa";

async function run(storage: FaultyStorage, commits: boolean): Promise<Run> {
  const result: Run = { storage, states: [[]], acknowledged: [{ at: 0, state: 0 }], begun: [0] };
  const { states, acknowledged, begun } = result;
  const current = () => states[states.length - 1];
  const enter = (state: string[]) => {
    states.push(state);
    begun.push(storage.trace.length);
  };
  const acknowledge = () => acknowledged.push({ at: storage.trace.length, state: states.length - 1 });
  try {
    const log = open(storage, []);
    for (const [i, action] of [...SCRIPT].entries()) {
      if (action === "a") {
        const record = `record ${i} ${"x".repeat((i % 4) * 500)}`;
        enter([...current(), record]);
        log.append(bytes(record));
      } else if (action === "S") {
        if (commits) await log.commit();
        else log.sync();
        acknowledge();
      } else {
        enter(current().slice(-2));
        await log.replaceLater(current().map(bytes));
        acknowledge();
      }
    }
  } catch {
    // What was acknowledged until here counts.
  }
  return result;
}

function open(storage: Storage, records: string[]): RecordLog {
  return RecordLog.open(storage, "log", "TEST", (record) => records.push(text(record)));
}

function check(storage: Storage, allowed: string[][]): void {
  const records: string[] = [];
  const log = open(storage, records);
  assert.ok(
    allowed.some((state) => state.join("\n") === records.join("\n")),
    `found ${JSON.stringify(records)}, allowed: ${JSON.stringify(allowed)}`,
  );
  log.append(bytes("more"));
  log.sync();
  log.close();
  const again: string[] = [];
  open(storage, again).close();
  assert.deepEqual(again, [...records, "more"]);
  assert.deepEqual(storage.list(""), ["log"]);
}

for (const commits of [false, true]) {
  const name = commits ? "commit" : "sync";
  test(`${name}: a crash at any step keeps what was acknowledged`, async () => {
    const { storage, states, acknowledged, begun } = await run(new FaultyStorage(), commits);
    for (let steps = 0; steps <= storage.trace.length; steps++) {
      const from = acknowledged.findLast(({ at }) => at <= steps)!.state;
      const to = begun.findLastIndex((at) => at <= steps);
      for (const fate of FATES) {
        try {
          check(afterCrash(storage.trace.slice(0, steps), fate), states.slice(from, to + 1));
        } catch (cause) {
          const place = `after step ${steps} (${describe(storage.trace[steps - 1])})`;
          throw new Error(`${place}, ${JSON.stringify(fate)}`, { cause });
        }
      }
    }
  });

  for (const effect of ["none", "part", "done"] as const) {
    test(`${name}: any operation that fails (effect: ${effect}) keeps what was acknowledged`, async () => {
      const clean = await run(new FaultyStorage(), commits);
      for (let operation = 1; operation <= clean.storage.operations; operation++) {
        const storage = new FaultyStorage();
        storage.failAfter(operation, "EIO", effect);
        const { states, acknowledged } = await run(storage, commits);
        assert.notEqual(storage.failed.length, 0);
        for (const fate of FATES) {
          try {
            check(afterCrash(storage.trace, fate), states.slice(acknowledged.at(-1)!.state));
          } catch (cause) {
            throw new Error(`${storage.failed[0]} (operation ${operation}), ${JSON.stringify(fate)}`, {
              cause,
            });
          }
        }
      }
    });
  }
}

test("what an opening has read survives the next crash", () => {
  const storage = new FaultyStorage();
  const log = open(storage, []);
  log.append(bytes("written, not synced"));
  // The process dies here: the system still has its writes.
  const records: string[] = [];
  open(storage, records);
  assert.deepEqual(records, ["written, not synced"]);
  const left: string[] = [];
  open(afterCrash(storage.trace, { kind: "lost" }), left);
  assert.deepEqual(left, records);
});

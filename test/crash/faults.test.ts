// Engine and instance over a storage that crashes at every step and fails at every operation of a run. A
// sample of the steps is taken unless TARSIER_FAULTS=all is set (`node tools/crash.mjs --faults`).
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { afterCrash, FATES, type Fate, describe as nameOf } from "../storage/disk.ts";
import { type Fault, FaultyStorage } from "../storage/faulty.ts";
import { play, verifyCrashed } from "./faultrun.ts";

const TAKES_ALL = process.env.TARSIER_FAULTS === "all";
/** Of so many steps or operations the sample takes one, in turn with another fate or effect. */
const CRASHES_APART = TAKES_ALL ? 1 : 5;
const FAILURES_APART = TAKES_ALL ? 1 : 7;
const EFFECTS: Fault["effect"][] = ["none", "part", "done"];
const CODES: Fault["code"][] = ["EIO", "ENOSPC", "EMFILE"];
/** The process is killed; and the power fails. */
const ENDS: Fate[] = [{ kind: "kept" }, { kind: "lost" }, { kind: "scrambled", seed: 5 }];

/** What the run must touch for its crashes to mean anything. */
const COVERED: [kind: string, name: RegExp][] = [
  ["sync", /^journal/],
  ["sync", /^payloads/],
  ["syncFolder", /^payloads/],
  ["sync", /manifest-/],
  ["sync", /segment-\d+$/],
  ["rename", /segment-merge/],
  ["remove", /^payloads/],
  ["removeFolder", /^indexes/],
];

describe("engine and instance", { timeout: 3_600_000 }, () => {
  test("a crash at any step keeps what was acknowledged", async (context) => {
    const run = await play(new FaultyStorage());
    assert.deepEqual(run.troubles, []);
    const { trace } = run.storage;
    for (const [kind, name] of COVERED) {
      assert.ok(
        trace.some((step) => step.kind === kind && name.test(step.name)),
        `${kind} ${name} is in the run`,
      );
    }
    let points = 0;
    for (let steps = 0; steps <= trace.length; steps += TAKES_ALL ? 1 : CRASHES_APART) {
      const fates = TAKES_ALL ? FATES : [FATES[(steps / CRASHES_APART) % FATES.length]];
      for (const fate of fates) {
        points++;
        try {
          await verifyCrashed(afterCrash(trace.slice(0, steps), fate), run, steps);
        } catch (cause) {
          const place = `after step ${steps} (${nameOf(trace[steps - 1])} of ${trace[steps - 1]?.name})`;
          throw new Error(`${place}, ${JSON.stringify(fate)}`, { cause });
        }
      }
    }
    context.diagnostic(`${trace.length} steps, ${points} crashes`);
  });

  test("an operation that fails loses nothing that was acknowledged", async (context) => {
    const { operations } = (await play(new FaultyStorage())).storage;
    let points = 0;
    for (let operation = 1; operation <= operations; operation += FAILURES_APART) {
      for (const effect of TAKES_ALL ? EFFECTS : [EFFECTS[operation % EFFECTS.length]]) {
        const storage = new FaultyStorage();
        storage.failAfter(operation, CODES[operation % CODES.length], effect);
        let run = "";
        try {
          const played = await play(storage);
          run = `${storage.failed[0]}: ${played.troubles[0]?.message}`;
          for (const fate of ENDS) {
            points++;
            run = `${storage.failed[0]}, ${JSON.stringify(fate)}`;
            await verifyCrashed(afterCrash(storage.trace, fate), played, storage.trace.length);
          }
        } catch (cause) {
          throw new Error(`operation ${operation}, effect ${effect}: ${run}`, { cause });
        }
      }
    }
    context.diagnostic(`${operations} operations, ${points} failures and crashes`);
  });
});

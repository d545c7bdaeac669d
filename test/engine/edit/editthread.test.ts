// The thread of an edit function: it ends in time, whatever the function is about.
import { deepEqual, match, rejects } from "node:assert/strict";
import { test } from "node:test";
import { EditFailure } from "../../../src/engine/edit/editfunction.ts";
import { EditThread } from "../../../src/engine/editthread.ts";

const NEVER = new AbortController().signal;

/** Runs a function on one document, with so much time. */
async function run(source: string, timeMs: number, signal = NEVER) {
  const thread = await EditThread.open(source, null, signal, timeMs);
  try {
    return await thread.run(['{"id":1}'], signal);
  } finally {
    thread.close();
  }
}

const failing = (pattern: RegExp) => (error: unknown) => {
  match(String(error), pattern);
  return error instanceof EditFailure;
};

/** Single steps of the interpreter, in which it asks nobody whether it shall go on. */
const STUCK = [
  "Array.prototype.indexOf.call({ length: 2 ** 50 }, 1)",
  "''.padEnd.call('', 0) + Array(2 ** 32 - 1).join('')",
];

test("a function ends when its time is over, in a loop and in a step that never asks", async () => {
  for (const source of ["while (true);", "/^(a+)+$/.test('a'.repeat(40) + 'b')", ...STUCK])
    await rejects(run(source, 300), failing(/longer than 300 ms/), source);
  deepEqual(await run("doc.n = 1", 60_000), [[["id"], ["n", 1]]]);
});

test("a function that is stuck ends when it is stopped", async () => {
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 300);
  await rejects(run(STUCK[0], 60_000, stop.signal), failing(/closed/));
});

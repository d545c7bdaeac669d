// What was opened is closed: all of it, once, in the opposite order.
import { deepEqual, equal, rejects } from "node:assert/strict";
import { test } from "node:test";
import { Closers } from "../src/closers.ts";

function opened(fails: string) {
  const closers = new Closers();
  const closed: string[] = [];
  for (const name of ["folder", "engine", "server"])
    closers.push(async () => {
      closed.push(name);
      if (name === fails) throw new Error(`${name} cannot be closed`);
    });
  return { closers, closed };
}

test("everything is closed, the newest first, also behind what cannot be closed", async () => {
  const { closers, closed } = opened("server");
  const closing = closers.close();
  equal(closers.close(), closing);
  await rejects(closing, /server cannot be closed/);
  deepEqual(closed, ["server", "engine", "folder"]);
});

test("what cannot be opened leaves nothing open, and its own error is told", async () => {
  const { closers, closed } = opened("engine");
  const opening = closers.openOrClose(async () => {
    throw new Error("the port is in use");
  });
  await rejects(opening, /the port is in use/);
  deepEqual(closed, ["server", "engine", "folder"]);
  equal(await opened("").closers.openOrClose(async () => "open"), "open");
});

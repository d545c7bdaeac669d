// Waiting for the ends of tasks: what those who wait are told when tasks end, and when none will.
import { deepEqual, equal, rejects } from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { TarsierError } from "../../src/errors.ts";
import { TaskEnds } from "../../src/operations/taskends.ts";
import { FaultyStorage } from "../storage/faulty.ts";
import { mockTimeouts } from "./mocktimeouts.ts";
import { add, openFixture, openOver, reopen } from "./setup.ts";

const DOUBT = { code: "commit_in_doubt" };

test("all that wait for a task get it once it has ended", async () => {
  const { instance } = await openFixture();
  const ends = new TaskEnds(instance);
  await add(instance, "ferns", [{ id: 1 }]);
  const [first, second] = await Promise.all([ends.of(0), ends.of(0)]);
  deepEqual([first.status, second], ["succeeded", first]);
  deepEqual(await ends.of(0), first);
  await rejects(ends.of(1), { code: "task_not_found" });
});

test("whoever waits for a task is told when none runs any more, also who begins to wait then", async () => {
  const fixture = await openFixture();
  const { instance, engine } = fixture;
  const ends = new TaskEnds(instance);
  engine.hold();
  engine.failNext = new TarsierError("commit_in_doubt", { reason: "the disk is gone" });
  await add(instance, "ferns", [{ id: 1 }]);
  await add(instance, "mosses", [{ id: 1 }]);
  const waiting = [rejects(ends.of(0), DOUBT), rejects(ends.of(1), DOUBT)];
  equal(instance.stopped, null);
  engine.release();
  await Promise.all(waiting);
  await rejects(ends.of(1), DOUBT);
  await instance.idle();
  equal((instance.stopped as TarsierError | null)?.code, DOUBT.code);
  const reopened = await reopen(fixture);
  equal((await new TaskEnds(reopened.instance).of(1)).status, "succeeded");
});

test("whoever waits for a task is told when its end cannot be made durable", async () => {
  const { storage, engine, instance } = await openOver(new FaultyStorage());
  const ends = new TaskEnds(instance);
  engine.hold();
  await add(instance, "ferns", [{ id: 1 }]);
  const waiting = rejects(ends.of(0), { code: "io_error" });
  storage.rule = (kind) => (kind === "sync" ? { code: "EIO", effect: "none" } : null);
  engine.release();
  await waiting;
  equal((instance.stopped as TarsierError | null)?.code, "io_error");
  await rejects(ends.of(0), { code: "io_error" });
  await instance.idle();
});

test("whoever waits for a task waits on while there is no room for its end", async (context) => {
  mockTimeouts(context);
  const { storage, engine, instance } = await openOver(new FaultyStorage());
  const ends = new TaskEnds(instance);
  engine.hold();
  await add(instance, "ferns", [{ id: 1 }]);
  const troubled = new Promise<Error>((resolve) => instance.on("trouble", resolve));
  const waiting = Promise.all([ends.of(0), instance.idle()]);
  storage.rule = (kind) => (kind === "write" ? { code: "ENOSPC", effect: "none" } : null);
  engine.release();
  equal(((await troubled) as TarsierError).code, "no_space_left_on_device");
  equal(instance.stopped, null);
  const later = ends.of(0);
  storage.rule = null;
  await setImmediate();
  context.mock.timers.tick(10_000);
  deepEqual((await waiting)[0].status, "succeeded");
  equal((await later).status, "succeeded");
});

test("a write after that is tried: the next start may not be needed for it", async () => {
  const { instance, engine } = await openFixture();
  const ends = new TaskEnds(instance);
  engine.failNext = new TarsierError("commit_in_doubt", { reason: "the disk is gone" });
  await add(instance, "ferns", [{ id: 1 }]);
  await rejects(ends.of(0), DOUBT);
  await add(instance, "ferns", [{ id: 2 }]);
  equal((await ends.of(1)).status, "succeeded");
  equal(instance.stopped, null);
});

test("whoever waits for a task is told when the store is closed, also who begins to wait then", async () => {
  const { instance, engine } = await openFixture();
  const ends = new TaskEnds(instance);
  engine.hold();
  await add(instance, "ferns", [{ id: 1 }]);
  const waiting = rejects(ends.of(0), { code: "aborted" });
  ends.close();
  await waiting;
  await rejects(ends.of(0), { code: "aborted" });
  await instance.close();
});

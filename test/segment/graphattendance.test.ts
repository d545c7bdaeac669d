// Who helps to build a graph, until it is finished.
import { equal } from "node:assert/strict";
import { test } from "node:test";
import { awaitLeaving, enter, leave, newAttendance } from "../../src/segment/graphattendance.ts";

test("nobody enters once the graph is finished", () => {
  const attendance = newAttendance();
  equal(enter(attendance), true);
  leave(attendance, true);
  equal(awaitLeaving(attendance), true);
  equal(enter(attendance), false);
});

test("one that failed is told of, even if it was not the last to leave", () => {
  const attendance = newAttendance();
  for (let helper = 0; helper < 2; helper++) enter(attendance);
  leave(attendance, false);
  leave(attendance, true);
  equal(awaitLeaving(attendance), false);
});

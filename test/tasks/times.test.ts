// Texts of moments and durations, and the clock.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Journal } from "../../src/tasks/journal.ts";
import { Clock, durationText, momentText, shortDurationText } from "../../src/tasks/time.ts";
import { add, openFixture, settle } from "./setup.ts";

test("moments are RFC 3339 in UTC, without trailing zeros", () => {
  const base = Date.UTC(2024, 1, 29, 23, 59, 58) * 1000;
  assert.equal(momentText(base), "2024-02-29T23:59:58Z");
  assert.equal(momentText(base + 120_000), "2024-02-29T23:59:58.12Z");
  assert.equal(momentText(base + 7), "2024-02-29T23:59:58.000007Z");
  assert.equal(Date.parse(momentText(base + 999_999)), Math.floor(base / 1000) + 999);
});

test("durations have days and seconds only, with a fraction of 3 or 6 digits", () => {
  assert.equal(durationText(0), "PT0S");
  assert.equal(durationText(5_000_000), "PT5S");
  assert.equal(durationText(9330), "PT0.009330S");
  assert.equal(durationText(500_000), "PT0.500S");
  assert.equal(durationText(86_400e6 + 3_500_000), "P1DT3.500S");
  assert.equal(durationText(3600e6), "PT3600S");
  assert.equal(durationText(-1), null);
});

test("short durations have two decimals and a unit", () => {
  assert.equal(shortDurationText(7), "7.00µs");
  assert.equal(shortDurationText(12_340), "12.34ms");
  assert.equal(shortDurationText(1_200_000), "1.20s");
});

test("the clock never runs backwards, not even behind what the journal holds", () => {
  const future = (Date.now() + 60_000) * 1000 + 7;
  assert.equal(new Clock(future).now(), future);
  const clock = new Clock();
  let last = 0;
  for (let turn = 0; turn < 1000; turn++) {
    const now = clock.now();
    assert.ok(now >= last);
    last = now;
  }
  assert.ok(Math.abs(last / 1000 - Date.now()) < 100);
});

test("the clock gives out no whole second, so that all its texts have a fraction", () => {
  const whole = Math.ceil(Date.now() / 1000 + 60) * 1e6;
  assert.equal(new Clock(whole).now(), whole + 1);
  assert.match(momentText(new Clock(whole).now()), /\.000001Z$/);
});

test("the journal remembers when the last task ended, so that nothing is older after a restart", async () => {
  const { storage, instance, engine } = await openFixture();
  engine.hold();
  await add(instance, "ferns", [{ id: 1 }]);
  await settle();
  engine.release();
  await instance.idle();
  await instance.close();
  const journal = Journal.open(storage);
  assert.equal(momentText(journal.state.newest), instance.task(0, null).finishedAt);
  await journal.close();
});

// Memory that cannot be had is refused, and nothing else suffers from it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Core } from "../../src/core/core.ts";
import { JsonScanner } from "../../src/core/json.ts";
import { Region } from "../../src/core/region.ts";

const TOO_MUCH_BYTES = 5 * 2 ** 30;

test("a core that was asked for too much goes on giving what it has", () => {
  const core = new Core();
  const reserved = core.reservedBytes;
  assert.throws(() => core.reserve(TOO_MUCH_BYTES), RangeError);
  assert.equal(core.reservedBytes, reserved);
  const pointer = core.take(2 ** 24);
  core.write(pointer, new Uint8Array(2 ** 24));
});

test("a region that cannot grow stays as large as it was", () => {
  const core = new Core();
  const region = new Region(core, 100);
  const { pointer } = region;
  assert.throws(() => region.ensure(TOO_MUCH_BYTES), RangeError);
  assert.deepEqual([region.pointer, region.bytes], [pointer, 100]);
  const none = new Region(core);
  assert.throws(() => none.ensure(TOO_MUCH_BYTES), RangeError);
  none.free();
  assert.deepEqual([none.pointer, none.bytes], [0, 0]);
  assert.notEqual(core.take(TOO_MUCH_BYTES / 2 ** 12), 0);
});

test("a scanner that was freed leaves no memory behind and can be used again", () => {
  const core = new Core();
  const reservedAfter = (times: number) => {
    for (let i = 0; i < times; i++) {
      const scanner = new JsonScanner(core);
      for (const members of [1, 1000]) {
        const json = Buffer.from(
          JSON.stringify(Object.fromEntries([...Array(members)].map((_, n) => [`é"${n}`, n]))),
        );
        const [address] = scanner.lend(json);
        const entries = scanner.entries(address, json.length);
        assert.deepEqual([entries.length, scanner.name(entries[0])], [members, 'é"0']);
        scanner.free();
      }
    }
    return core.reservedBytes;
  };
  assert.equal(reservedAfter(1), reservedAfter(10));
});

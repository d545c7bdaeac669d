// Blocks come out of the press as they went in, with a helper and without; the helper goes when it is idle.
import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { Core } from "../../src/core/core.ts";
import { BlockPress } from "../../src/segment/blockpress.ts";
import { HELPERS, RAW_BYTES_MAX } from "../../src/segment/blockslots.ts";
import { noise } from "./sections.ts";

/** Many times what begins the start of a helper. */
const BLOCKS = 3000;
const HELPER_MS_MAX = 20_000;

function openPress(mayHelp: boolean) {
  const core = new Core();
  const at = core.reservedBytes;
  const press = new BlockPress(core, mayHelp);
  return { core, press, helpers: () => Atomics.load(core.i32, (at >>> 2) + HELPERS) };
}

/** Words that compress; every eleventh block does not. */
function block(number: number): Uint8Array {
  const bytes = 1000 + ((number * 7919) % (RAW_BYTES_MAX - 1000));
  if (number % 11 === 0) return noise(bytes, number);
  return Buffer.alloc(bytes, `block ${number} of documents, ${number % 13} `);
}

/** Takes a block out and tells what it stands for. */
function unpacked({ core, press }: ReturnType<typeof openPress>): Uint8Array {
  const { raw, rawBytes, packed, packedBytes } = press.take();
  if (packedBytes === 0) return core.read(raw, rawBytes);
  const room = core.take(rawBytes + 64);
  const length = core.exports.lz4Decompress(packed, packedBytes, room, rawBytes);
  const bytes = core.read(room, length);
  core.give(room, rawBytes + 64);
  return bytes;
}

for (const mayHelp of [false, true]) {
  test(`blocks come out in order and whole ${mayHelp ? "with a helper" : "without one"}`, async () => {
    const opened = openPress(mayHelp);
    const { core, press, helpers } = opened;
    let taken = 0;
    let plain = 0;
    const takeOne = () => {
      const bytes = unpacked(opened);
      ok(Buffer.compare(bytes, block(taken)) === 0, `block ${taken}`);
      if (taken % 11 === 0) plain++;
      taken++;
    };
    for (let number = 0; number < BLOCKS; number++) {
      // A thread starts while this one waits for its event loop, here and where it indexes.
      if (number % 500 === 0) await setTimeout(50);
      if (press.isFull) takeOne();
      const bytes = block(number);
      core.write(press.next, bytes);
      press.put(bytes.length);
    }
    equal(helpers(), mayHelp ? 1 : 0);
    while (press.count > 0) takeOne();
    deepEqual([taken, plain], [BLOCKS, Math.ceil(BLOCKS / 11)]);
  });
}

test("what does not become smaller is told, and lies there as it came", () => {
  const { core, press } = openPress(false);
  core.write(press.next, noise(5000, 1));
  press.put(5000);
  const { raw, rawBytes, packedBytes } = press.take();
  deepEqual([rawBytes, packedBytes], [5000, 0]);
  deepEqual(core.read(raw, rawBytes), noise(5000, 1));
});

test("a press that was given up takes and gives blocks as before", () => {
  const opened = openPress(true);
  const { core, press } = opened;
  for (let round = 0; round < 400; round++) {
    for (let number = 0; number < 10; number++) {
      core.write(press.next, block(number));
      press.put(block(number).length);
    }
    press.clear();
    equal(press.count, 0);
  }
  core.write(press.next, block(5));
  press.put(block(5).length);
  ok(Buffer.compare(unpacked(opened), block(5)) === 0);
});

test("a helper that has nothing to do ends, and another one starts when there is", async () => {
  const opened = openPress(true);
  const { core, press, helpers } = opened;
  for (let round = 0; round < 2; round++) {
    for (let number = 0; number < 300; number++) {
      core.write(press.next, block(number));
      press.put(block(number).length);
      unpacked(opened);
    }
    equal(helpers(), 1);
    const end = performance.now() + HELPER_MS_MAX;
    while (helpers() === 1 && performance.now() < end) await setTimeout(50);
    equal(helpers(), 0);
  }
});

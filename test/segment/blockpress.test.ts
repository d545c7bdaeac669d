// Blocks come out of the press as they went in, with a helper and without; the helper goes when it is idle.
import { deepEqual, equal, ok } from "node:assert/strict";
import { syncBuiltinESMExports } from "node:module";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import workers from "node:worker_threads";
import { Core } from "../../src/core/core.ts";
import { BlockPress } from "../../src/segment/blockpress.ts";
import { RAW_BYTES_MAX, SLOTS, STATE, slotAt, TAKEN } from "../../src/segment/blockslots.ts";
import { noise } from "./sections.ts";

/** Many times what begins the start of a helper. */
const BLOCKS = 3000;
const HELPER_MS_MAX = 20_000;

function openPress(mayHelp: boolean) {
  const core = new Core();
  return { core, press: new BlockPress(core, mayHelp) };
}

/** A thread starts while this one waits for its event loop, here and where it indexes. */
async function until(holds: () => boolean): Promise<void> {
  for (const end = performance.now() + HELPER_MS_MAX; !holds(); await setTimeout(10))
    ok(performance.now() < end, "waited long enough");
}

/** Words that compress; every eleventh block does not. */
function block(number: number): Uint8Array {
  const bytes = 1000 + ((number * 7919) % (RAW_BYTES_MAX - 1000));
  if (number % 11 === 0) return noise(bytes, number);
  return Buffer.alloc(bytes, `block ${number} of documents, ${number % 13} `);
}

/** Takes a block out and tells what it stands for. */
function unpacked({ core, press }: ReturnType<typeof openPress>): { bytes: Uint8Array; documents: number } {
  const { documents, raw, rawBytes, packed, packedBytes } = press.take();
  if (packedBytes === 0) return { bytes: core.read(raw, rawBytes), documents };
  const room = core.take(rawBytes + 64);
  const length = core.exports.lz4Decompress(packed, packedBytes, room, rawBytes);
  const bytes = core.read(room, length);
  core.give(room, rawBytes + 64);
  return { bytes, documents };
}

for (const mayHelp of [false, true]) {
  test(`blocks come out in order and whole ${mayHelp ? "with a helper" : "without one"}`, async () => {
    const opened = openPress(mayHelp);
    const { core, press } = opened;
    let taken = 0;
    let plain = 0;
    const takeOne = () => {
      const { bytes, documents } = unpacked(opened);
      equal(documents, taken + 1);
      ok(Buffer.compare(bytes, block(taken)) === 0, `block ${taken}`);
      if (taken % 11 === 0) plain++;
      taken++;
    };
    for (let number = 0; number < BLOCKS; number++) {
      if (mayHelp && number === 500) await until(() => press.helped > 0);
      if (press.isFull) takeOne();
      const bytes = block(number);
      core.write(press.next, bytes);
      press.put(bytes.length, number + 1);
    }
    if (!mayHelp) equal(press.helped, 0);
    while (press.count > 0) takeOne();
    deepEqual([taken, plain], [BLOCKS, Math.ceil(BLOCKS / 11)]);
  });
}

test("what does not become smaller is told, and lies there as it came", () => {
  const { core, press } = openPress(false);
  core.write(press.next, noise(5000, 1));
  press.put(5000, 1);
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
      press.put(block(number).length, 1);
    }
    press.clear();
    equal(press.count, 0);
  }
  core.write(press.next, block(5));
  press.put(block(5).length, 1);
  ok(Buffer.compare(unpacked(opened).bytes, block(5)) === 0);
});

test("a helper that has nothing to do ends, and another one starts when there is", async () => {
  const opened = openPress(true);
  const { core, press } = opened;
  for (let round = 0; round < 2; round++) {
    const { helped } = press;
    const end = performance.now() + HELPER_MS_MAX;
    for (let number = 0; press.helped === helped; number++) {
      ok(performance.now() < end, "a helper has started");
      core.write(press.next, block(number));
      press.put(block(number).length, 1);
      if (number > 300) await setTimeout(10);
      unpacked(opened);
    }
    await until(() => !press.hasHelper);
  }
});

test("where no thread can start, all blocks come out", (context) => {
  context.mock.method(workers, "Worker", function refuse() {
    throw new Error("too many threads");
  });
  syncBuiltinESMExports();
  const opened = openPress(true);
  const { core, press } = opened;
  for (let number = 0; number < 600; number++) {
    if (press.isFull) ok(Buffer.compare(unpacked(opened).bytes, block(number - SLOTS)) === 0);
    core.write(press.next, block(number));
    press.put(block(number).length, 1);
  }
  deepEqual([press.hasHelper, press.helped], [false, 0]);
  context.mock.restoreAll();
  syncBuiltinESMExports();
});

test("a block that a helper was lost with comes out, and so do those behind it", () => {
  const core = new Core();
  const at = core.reservedBytes;
  const press = new BlockPress(core, true, 200);
  const opened = { core, press };
  for (let number = 0; number < SLOTS; number++) {
    core.write(press.next, block(number));
    press.put(block(number).length, 1);
  }
  // As if a thread had taken it, and ended.
  Atomics.store(core.i32, (slotAt(at, 3) >>> 2) + STATE, TAKEN);
  for (let number = 0; number < SLOTS; number++)
    ok(Buffer.compare(unpacked(opened).bytes, block(number)) === 0, `block ${number}`);
});

// Planes of dictionaries are made once, when they are asked for again, stay while they are in use, and make
// way when they are not.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Core } from "../../src/core/core.ts";
import { DICTIONARY_WRITER_BYTES, dictionaryCapacity } from "../../src/core/dictionary.ts";
import { WordPlanes } from "../../src/segment/wordplanes.ts";

const core = new Core();
const kernels = core.exports;

/** A dictionary of the numbers below `count`, in words of six letters. */
function write(count: number): number {
  const writer = core.reserve(DICTIONARY_WRITER_BYTES);
  const section = core.reserve(dictionaryCapacity(count, count * 6));
  kernels.dictionaryWriterStart(writer, section, dictionaryCapacity(count, count * 6));
  const input = core.reserve(64);
  for (let i = 0; i < count; i++) {
    core.write(input, Buffer.from(i.toString().padStart(6, "0")));
    assert.equal(kernels.dictionaryWriterAdd(writer, input, 6), 0);
  }
  assert.ok(kernels.dictionaryWriterFinish(writer) > 0);
  return section;
}

const small = write(100);
const large = [write(4096), write(4096), write(4096), write(4096)];
const bytes = kernels.dictionaryPlanesBytes(large[0]);
const owners = large.map(() => ({}));

/** Planes of a dictionary that was asked for in turn 0, and is now in `turn`. */
function again(planes: WordPlanes, owner: object, dictionary: number, turn: number): number {
  assert.equal(planes.of(owner, dictionary, 0), 0);
  return planes.of(owner, dictionary, turn);
}

test("the first turn that asks gets none, however often it asks", () => {
  const planes = new WordPlanes(core, bytes + 64);
  for (let i = 0; i < 3; i++) assert.equal(planes.of(owners[0], large[0], 7), 0);
  assert.ok(planes.of(owners[0], large[0], 8) > 0);
});

test("planes hold the bytes of each term behind the first one", () => {
  const pointer = again(new WordPlanes(core, bytes + 64), {}, large[0], 1);
  const stride = (bytes - 16) / 7;
  const term = 1234;
  const column = Array.from({ length: 7 }, (_, k) => core.u8[pointer + 16 + k * stride + term]);
  assert.equal(String.fromCharCode(...column), "01234\0\0");
});

test("small dictionaries and those without room have none", () => {
  assert.equal(again(new WordPlanes(core, 1 << 20), {}, small, 1), 0);
  assert.equal(again(new WordPlanes(core, bytes - 16), {}, large[0], 1), 0);
  assert.equal(again(new WordPlanes(core, 0), {}, large[0], 1), 0);
});

test("they are made once, and in use they are not given up for others", () => {
  const planes = new WordPlanes(core, 2 * (bytes + 16));
  const places = [0, 1].map((i) => again(planes, owners[i], large[i], 1));
  assert.ok(places[0] > 0 && places[1] > places[0]);
  assert.equal(again(planes, owners[2], large[2], 1), 0);
  assert.deepEqual(
    [0, 1].map((i) => planes.of(owners[i], large[i], 2)),
    places,
  );
});

test("those that nobody asks for make way", () => {
  const planes = new WordPlanes(core, 2 * (bytes + 16));
  const place = again(planes, owners[0], large[0], 1);
  again(planes, owners[1], large[1], 1);
  assert.equal(again(planes, owners[2], large[2], 1000), place);
  assert.ok(again(planes, owners[3], large[3], 1000) > place);
});

test("large ones take the whole room when nothing else in it is in use", () => {
  const planes = new WordPlanes(core, bytes + 64);
  const half = write(2048);
  const place = again(planes, {}, half, 1);
  assert.equal(again(planes, owners[0], large[0], 2), 0);
  assert.equal(planes.of(owners[0], large[0], 1000), place);
});

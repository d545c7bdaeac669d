// Blocks come back as they were, follow the format, and damaged ones are refused without a write outside the
// output.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Core } from "../../src/core/core.ts";
import { LZ4_SLACK_BYTES, LZ4_TABLE_BYTES } from "../../src/core/lz4.ts";
import { decompress } from "../twins/lz4.ts";

/** Capacity at which compression never fails. */
const lz4Capacity = (length: number): number => length + Math.ceil(length / 255) + 16;

const ROOM_BYTES = 1 << 18;
const core = new Core();
const kernels = core.exports;
const table = core.reserve(LZ4_TABLE_BYTES);
const source = core.reserve(ROOM_BYTES);
const block = core.reserve(ROOM_BYTES * 2);
const back = core.reserve(ROOM_BYTES + LZ4_SLACK_BYTES);

function compress(bytes: Uint8Array, capacity = lz4Capacity(bytes.length)): Uint8Array | undefined {
  core.write(source, bytes);
  core.u8.fill(0xee, block, block + capacity + 64);
  const length = kernels.lz4Compress(source, bytes.length, block, capacity, table);
  assert.ok(core.u8.subarray(block + capacity, block + capacity + 64).every((byte) => byte === 0xee));
  return length === 0 ? undefined : core.read(block, length);
}

/** The decompressed bytes; fails when anything behind the slack has changed. */
function restore(bytes: Uint8Array, capacity: number): Uint8Array | undefined {
  core.write(block, bytes);
  core.u8.fill(0xee, back, back + capacity + 256);
  const length = kernels.lz4Decompress(block, bytes.length, back, capacity);
  const behind = back + capacity + LZ4_SLACK_BYTES;
  assert.ok(core.u8.subarray(behind, behind + 128).every((byte) => byte === 0xee));
  assert.ok(length <= capacity);
  return length < 0 ? undefined : core.read(back, length);
}

/** Text with repetitions near and far, long runs, and noise. */
const piece = fc.oneof(
  fc.constantFrom('{"name":"', '","tags":["', "a", "ab", "abc", "0123456789abcdefghij"),
  fc.tuple(fc.nat(255), fc.nat(900)).map(([byte, length]) => Buffer.alloc(length, byte).toString("latin1")),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
);
const text = fc
  .array(piece, { maxLength: 120, size: "max" })
  .map((pieces) => Uint8Array.from(Buffer.from(pieces.join(""), "latin1")));

test("every input comes back, by the kernel and by the twin", () => {
  fc.assert(
    fc.property(text, (bytes) => {
      const packed = compress(bytes);
      assert.ok(packed);
      assert.deepEqual(decompress(packed, bytes.length), bytes);
      assert.deepEqual(restore(packed, bytes.length), bytes);
    }),
    { numRuns: 150 },
  );
});

test("matches farther back than 64 KiB are not used", () => {
  const noise = Uint8Array.from(
    { length: 70_000 },
    (_, index) => Math.imul(index * index, 2654435761) >>> 24,
  );
  const bytes = Uint8Array.from([...noise, ...noise.subarray(0, 300), ...noise.subarray(4000, 9000)]);
  const packed = compress(bytes);
  assert.ok(packed);
  assert.deepEqual(restore(packed, bytes.length), bytes);
});

test("an output that is too small is told, not overrun", () => {
  fc.assert(
    fc.property(text, fc.nat(), (bytes, cut) => {
      const packed = compress(bytes) as Uint8Array;
      const capacity = cut % packed.length;
      assert.equal(compress(bytes, capacity), undefined);
      if (bytes.length > 0) assert.equal(restore(packed, cut % bytes.length), undefined);
    }),
  );
});

test("literals just longer or shorter than the output are told as well", () => {
  for (const length of [0, 1, 14, 15, 16, 100, 268, 269, 270, 271, 524, 525, 526, 700]) {
    const noise = Uint8Array.from({ length }, (_, i) => Math.imul(i * i + i, 2654435761) >>> 24);
    const least = (compress(noise) as Uint8Array).length;
    for (let capacity = Math.max(0, least - 8); capacity < least + 4; capacity++) {
      const packed = compress(noise, capacity);
      assert.ok(packed ? packed.length <= capacity : capacity < least + 2, `${length} ${capacity}`);
    }
  }
});

test("blocks end as the format asks: with five literals, and no match in the last twelve bytes", () => {
  fc.assert(
    fc.property(text, (bytes) => {
      const { last, starts } = sequences(compress(bytes) as Uint8Array);
      if (starts.length > 0) assert.ok(last >= 5);
      for (const start of starts) assert.ok(start <= bytes.length - 12);
    }),
    { numRuns: 150 },
  );
});

/** Where the matches of a sound block start in its output, and the number of its last literals. */
function sequences(packed: Uint8Array): { last: number; starts: number[] } {
  const starts: number[] = [];
  let [at, written] = [0, 0];
  const count = (nibble: number): number => {
    let sum = nibble;
    for (let byte = nibble === 15 ? 255 : 0; byte === 255; sum += byte) byte = packed[at++];
    return sum;
  };
  for (;;) {
    const token = packed[at++];
    const literals = count(token >> 4);
    at += literals;
    written += literals;
    if (at === packed.length) return { last: literals, starts };
    starts.push(written);
    at += 2;
    written += count(token & 15) + 4;
  }
}

test("matches from before the output, or from nowhere, are refused", () => {
  const literals = Buffer.from("abcdefgh");
  for (let count = 0; count <= 8; count++) {
    for (let offset = 0; offset <= 20; offset++) {
      const packed = [count << 4, ...literals.subarray(0, count), offset, 0, 5 << 4, ...Buffer.from("vwxyz")];
      const bytes = Uint8Array.from(packed);
      assert.deepEqual(restore(bytes, 40), decompress(bytes, 40), `${count} ${offset}`);
    }
  }
});

test("damaged blocks are decoded as the twin does, or refused as it does", () => {
  const edit = fc.tuple(fc.nat(), fc.nat(255));
  fc.assert(
    fc.property(text, fc.array(edit, { minLength: 1, maxLength: 4 }), fc.nat(), (bytes, edits, cut) => {
      const packed = compress(bytes) as Uint8Array;
      for (const [at, value] of edits) packed[at % packed.length] = value;
      const damaged = cut % 3 ? packed : packed.subarray(0, cut % (packed.length + 1));
      assert.deepEqual(restore(damaged, bytes.length), decompress(damaged, bytes.length));
    }),
    { numRuns: 300 },
  );
});

test("a match gives way to a longer one a byte behind it", () => {
  const [head, tail] = ["!abcd?bcdefghijk$", "-+*/=%&(){}<"];
  const packed = compress(Buffer.from(`${head}abcdefghijk${tail}`));
  // Literals up to the match of `bcdefghijk`, and the rest; a match of `abcd` would be one more sequence.
  const literals = head.length + 1;
  const expected = [(15 << 4) | (10 - 4), literals - 15, ...Buffer.from(`${head}a`), 12, 0];
  assert.deepEqual([...packed!], [...expected, tail.length << 4, ...Buffer.from(tail)]);
});

test("JSON lines shrink to less than half", () => {
  const line = (index: number): string =>
    JSON.stringify({
      id: index,
      name: `package-${index % 97}`,
      section: ["admin", "devel"][index % 2],
      size: index ** 2,
    });
  const bytes = Buffer.from(Array.from({ length: 150 }, (_, index) => line(index)).join("\n"));
  const packed = compress(bytes);
  assert.ok(packed && packed.length * 2 < bytes.length);
});

// The checksum equals its definition at every length and alignment.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Core } from "../../src/core/core.ts";
import { crc32c as twin } from "../twins/crc32c.ts";

const core = new Core();
const region = core.reserve(8192);
const crc32c = (pointer: number, length: number): number => core.exports.crc32c(pointer, length) >>> 0;

test("the check value of the catalogue of CRCs comes out", () => {
  core.write(region, Buffer.from("123456789"));
  assert.equal(crc32c(region, 9), 0xe3069283);
  assert.equal(crc32c(region, 0), 0);
});

test("checksums equal the bitwise definition", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5000, size: "max" }), fc.nat(9), (bytes, offset) => {
      core.write(region + offset, bytes);
      assert.equal(crc32c(region + offset, bytes.length), twin(bytes));
    }),
  );
});

test("checksums equal the definition about every length at which streams begin or end", () => {
  const bytes = Uint8Array.from({ length: 4200 }, (_, at) => (at * 131 + (at >> 8)) & 255);
  core.write(region, bytes);
  for (const middle of [1024, 2048, 3072, 4096]) {
    for (let length = middle - 9; length <= middle + 9; length++) {
      assert.equal(crc32c(region, length), twin(bytes.subarray(0, length)), `${length} bytes`);
    }
  }
});

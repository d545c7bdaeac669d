// The checksum, against known values and bit by bit.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesBetween, crc32c } from "../../src/storage/crc32c.ts";
import { bytes } from "./cases.ts";

test("CRC32C of the examples in RFC 3720, appendix B.4", () => {
  assert.equal(crc32c(new Uint8Array(32)), 0x8a9136aa);
  assert.equal(crc32c(new Uint8Array(32).fill(0xff)), 0x62a8ab43);
  assert.equal(crc32c(Uint8Array.from({ length: 32 }, (_, i) => i)), 0x46dd794e);
  assert.equal(crc32c(Uint8Array.from({ length: 32 }, (_, i) => 31 - i)), 0x113fdb5c);
  assert.equal(crc32c(bytes("123456789")), 0xe3069283);
  assert.equal(crc32c(new Uint8Array(0)), 0);
});

test("a checksum can be continued, at any cut and any offset", () => {
  const all = Uint8Array.from({ length: 100 }, (_, i) => (i * 37) & 255);
  for (let cut = 0; cut <= all.length; cut++) {
    assert.equal(crc32c(all, cut, all.length, crc32c(all, 0, cut)), crc32c(all), `cut at ${cut}`);
    assert.equal(crc32c(all, cut), crc32c(all.slice(cut)), `from ${cut}`);
  }
});

test("four bytes are told by the checksums before and after them", () => {
  const all = Uint8Array.from({ length: 100 }, (_, i) => (i * 91) & 255);
  const view = new DataView(all.buffer);
  for (let at = 0; at + 4 <= all.length; at++) {
    const between = bytesBetween(crc32c(all, 0, at), crc32c(all, 0, at + 4));
    assert.equal(between, view.getUint32(at, true), `at ${at}`);
  }
});

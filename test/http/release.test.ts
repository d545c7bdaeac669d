// Which received bytes are given back at once.
import { deepEqual } from "node:assert/strict";
import { test } from "node:test";
import { releaseBytes } from "../../src/http/release.ts";

test("memory is given back unless others share it, or it is small", () => {
  const [whole, shared, small] = [32_768, 32_768, 4096].map((length) => new ArrayBuffer(length));
  releaseBytes(new Uint8Array(whole));
  releaseBytes(new Uint8Array(shared, 0, 20_000));
  releaseBytes(new Uint8Array(small));
  deepEqual(
    [whole, shared, small].map(({ byteLength }) => byteLength),
    [0, 32_768, 4096],
  );
});

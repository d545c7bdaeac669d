// Bytes that are gathered come out in order, however long the pieces are.
import { equal, ok } from "node:assert/strict";
import { test } from "node:test";
import { GatheredBytes } from "../../src/engine/gatheredbytes.ts";

const SIZES = [0, 1, 16 * 1024, 5, 2 ** 20, 2 ** 20 + 1, 7, 3 * 2 ** 20, 0, 2 ** 20 - 7, 8];

test("pieces of all sizes come out as they went in", () => {
  const gathered = new GatheredBytes();
  equal(gathered.whole().length, 0);
  const pieces = SIZES.map((size, number) => Buffer.alloc(size, number + 1));
  for (const piece of pieces) {
    gathered.add(piece);
    // It was copied.
    if (piece.length === 5) piece.fill(99);
  }
  pieces[3].fill(4);
  const whole = Buffer.concat(pieces);
  ok(gathered.whole().equals(whole));
});

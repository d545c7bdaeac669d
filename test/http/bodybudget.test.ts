// The memory that all bodies of JSON routes may take together: what is given back, and when.
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { PassThrough, type Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { test } from "node:test";
import { BodyBudget } from "../../src/http/bodybudget.ts";

const BYTES_MAX = 1000;

function request(budget: BodyBudget) {
  const raw = new EventEmitter();
  const payload = new PassThrough();
  const body = budget.counted({ headers: {} } as never, { raw } as never, payload) as Readable;
  return { raw, payload, body };
}

test("what comes of a body after its refusal takes nothing from later ones", async () => {
  const budget = new BodyBudget(BYTES_MAX);
  const refused = request(budget);
  refused.payload.write(Buffer.alloc(BYTES_MAX));
  refused.body.resume();
  refused.raw.emit("close");
  refused.payload.end(Buffer.alloc(BYTES_MAX));
  await finished(refused.body);
  for (let i = 0; i < 2; i++) {
    const { raw, payload, body } = request(budget);
    payload.write(Buffer.alloc(BYTES_MAX / 2));
    payload.end(Buffer.alloc(BYTES_MAX / 2));
    await finished(body.resume());
    raw.emit("close");
  }
});

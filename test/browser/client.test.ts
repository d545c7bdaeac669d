// The calls of embedders in a page: an answer is read no further than it may be long.
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { after, test } from "node:test";
import { OutboundClient } from "../../src/browser/platform/client.ts";

const PIECE_BYTES = 1000;

const original = globalThis.fetch;
after(() => {
  globalThis.fetch = original;
});

let pulled = 0;
let isCanceled = false;

/** The next answers have so many pieces. */
function answerWith(pieces: number, status = 200): void {
  pulled = 0;
  isCanceled = false;
  globalThis.fetch = async () => {
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      if (pulled++ < pieces) controller.enqueue(new Uint8Array(PIECE_BYTES).fill(pulled));
      else controller.close();
    };
    const cancel = () => {
      isCanceled = true;
    };
    return new Response(pieces === 0 ? null : new ReadableStream({ pull, cancel }), { status });
  };
}

test("an answer that is too long is not read to its end", async () => {
  const client = new OutboundClient();
  answerWith(1_000_000);
  await rejects(client.request("http://a", { answerBytesMax: 5 * PIECE_BYTES }), {
    message: `the answer has more than ${5 * PIECE_BYTES} bytes`,
  });
  ok(pulled < 10, `${pulled} pieces`);
  ok(isCanceled);
});

test("the pieces of an answer are joined in order; it may have none", async () => {
  const client = new OutboundClient();
  answerWith(5);
  const { status, body } = await client.request("http://a", { answerBytesMax: 5 * PIECE_BYTES });
  equal(status, 200);
  deepEqual(
    Array.from({ length: 5 }, (_, i) => body[i * PIECE_BYTES + PIECE_BYTES - 1]),
    [1, 2, 3, 4, 5],
  );
  answerWith(0, 204);
  equal((await client.request("http://a")).body.length, 0);
});

// Documents that are longer than a chunk, and come in very many pieces.
import { deepEqual, ok } from "node:assert/strict";
import { test } from "node:test";
import { ChunkSender } from "../../src/cli/chunk-sender.ts";
import type { ImportState } from "../../src/cli/import-state.ts";
import type { ProgressLine } from "../../src/cli/progress-line.ts";
import type { ServerClient } from "../../src/cli/server-client.ts";

const CHUNK_BYTES = 100_000;
const PIECE_BYTES = 4 * 1024;
const LONG_PIECES = 8 * 1024;
/** Joined for each piece anew, they took more than two minutes; once, they take a tenth of a second. */
const LONG_MS_MAX = 10_000;

test("a document of many chunks is sent as soon as it ends, its pieces joined once", async () => {
  const sent: number[] = [];
  const client = {
    addDocuments: async (_: unknown, lines: Uint8Array) => {
      sent.push(lines.length);
      return { uid: 0, enqueuedAt: "" };
    },
  } as unknown as ServerClient;
  const state = { sentBytes: 0, documents: 0, tasks: [], acknowledged: () => {} } as unknown as ImportState;
  const progress = { sent: () => {} } as unknown as ProgressLine;
  const sender = new ChunkSender(client, { method: "POST", path: "/" }, CHUNK_BYTES, state, progress);
  const piece = Buffer.alloc(PIECE_BYTES, "a");
  const start = performance.now();
  for (let i = 0; i < LONG_PIECES; i++) await sender.append(piece);
  deepEqual(sent, []);
  await sender.append(Buffer.from('"}\n{"id":'));
  deepEqual(sent, [PIECE_BYTES * LONG_PIECES + 3]);
  await sender.append(Buffer.from("2}\n"));
  // The end of a line may lie some pieces back.
  await sender.append(Buffer.alloc(CHUNK_BYTES, "b"));
  deepEqual(sent.slice(1), ['{"id":2}\n'.length]);
  await sender.append(Buffer.from("\n"));
  await sender.finish();
  deepEqual(sent.slice(2), [CHUNK_BYTES + 1]);
  ok(performance.now() - start < LONG_MS_MAX, `${performance.now() - start} ms`);
});

// Which files of documents count as those that were accepted.
import { doesNotThrow, throws } from "node:assert/strict";
import { test } from "node:test";
import { checkPayload, LostPayload } from "../../src/engine/ingest/lostpayload.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";

test("a payload that is missing, or has any other size than what was accepted, is lost", () => {
  const storage = new MemoryStorage();
  const file = storage.create("payload");
  file.append(Buffer.from('{"id":1}\n'));
  file.close();
  doesNotThrow(() => checkPayload(storage, "payload", 9));
  for (const [name, bytes] of [
    ["payload", 8],
    ["payload", 10],
    ["none", 9],
  ] as const)
    throws(() => checkPayload(storage, name, bytes), LostPayload, `${name}, ${bytes}`);
});

// What holds for bodies of every format: limits, UTF-8, broken streams.
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { PassThrough, Readable } from "node:stream";
import { test } from "node:test";
import { transcribe } from "../../src/ingest/payload.ts";
import { receive, refusal } from "./receive.ts";

test("an empty body is missing, in every format", async () => {
  for (const format of ["json", "ndjson", "csv"] as const) {
    const { code, message } = await refusal(format, "");
    equal(code, "missing_payload");
    match(message, new RegExp(format));
  }
});

test("the limit is the last size that is taken", async () => {
  const body = '{"id":1}\n';
  equal((await receive("ndjson", body, { limitBytes: body.length })).documents, 1);
  const { code, message } = await refusal("ndjson", body, { limitBytes: body.length - 1 });
  equal(code, "payload_too_large");
  match(message, /8 bytes/);
});

test("the limit ends the reading of an endless body", async () => {
  const endless = Readable.from(forever(), { objectMode: true });
  const options = { format: "ndjson", limitBytes: 10_000 } as const;
  await rejects(transcribe(endless, options, { append() {} }), { code: "payload_too_large" });
  endless.destroy();
});

test("a long name of a column is not repeated without end", async () => {
  const body = Readable.from([`${"n".repeat(50_000)}\n${"1\n".repeat(5_000)}`]);
  let bytes = 0;
  const append = (lines: Uint8Array) => {
    bytes += lines.length;
  };
  await rejects(transcribe(body, { format: "csv", limitBytes: 1e6 }, { append }), {
    code: "payload_too_large",
  });
  ok(bytes > 50e6 && bytes < 64e6, `${bytes} bytes`);
});

function* forever(): Generator<Buffer> {
  for (;;) yield Buffer.from('{"id":1}\n'.repeat(100));
}

test("characters may be cut anywhere between chunks", async () => {
  const line = '{"name":"Kriváň 山 🗻"}\n';
  const bytes = Buffer.from(line);
  for (let at = 1; at < bytes.length; at++) {
    const { text } = await receive("ndjson", [bytes.subarray(0, at), bytes.subarray(at)]);
    equal(text, line);
  }
});

test("bytes that are not UTF-8 are malformed, and their place is told", async () => {
  const broken = [
    { bytes: Buffer.from([0xff]), offset: 9 },
    { bytes: Buffer.from([0xe5, 0xb1]), offset: 9 },
    { bytes: Buffer.from([0xed, 0xa0, 0x80]), offset: 9 },
    { bytes: Buffer.from([0x61, 0xc0, 0xaf]), offset: 10 },
  ];
  for (const { bytes, offset } of broken) {
    const body = Buffer.concat([Buffer.from('{"name":"'), bytes, Buffer.from('"}')]);
    const { code, message } = await refusal("json", body);
    equal(code, "malformed_payload");
    match(message, new RegExp(`at byte offset ${offset}: .* not UTF-8`));
  }
  const { message } = await refusal("csv", [Buffer.from("id\n"), Buffer.from([0xe5])]);
  match(message, /at byte offset 3: .* not UTF-8/);
  // Behind an escape whose digits come once more, since it may be half of a pair; 0xe5 lacks its end.
  for (const byte of [0xff, 0xe5]) {
    const behind = await refusal("json", [Buffer.from('{"name":"\\ud83d'), Buffer.from([byte])]);
    match(behind.message, /at byte offset 15: .* not UTF-8/);
  }
});

test("a body that breaks off is refused", async () => {
  const stream = new PassThrough();
  const received = transcribe(stream, { format: "ndjson", limitBytes: 1e6 }, { append() {} });
  stream.write('{"id":1}\n');
  setTimeout(() => stream.destroy(new Error("aborted")), 20);
  await rejects(received, { code: "bad_request", message: /read to its end: aborted/ });
});

test("after a refusal the rest of the stream is read, so that the connection stays usable", async () => {
  const stream = new PassThrough({ highWaterMark: 16 });
  const refused = rejects(transcribe(stream, { format: "json", limitBytes: 1e6 }, { append() {} }), {
    code: "malformed_payload",
  });
  stream.write("no JSON");
  await refused;
  const ended = new Promise((resolve) => stream.on("end", resolve));
  for (let written = 0; written < 100; written++) stream.write("more of it");
  stream.end();
  await ended;
});

test("other work gets its turns while one large chunk is read", async () => {
  const body = Buffer.from('{"id":1,"text":"some words to read"}\n'.repeat(800_000));
  let turns = 0;
  let isReading = true;
  const turn = () => {
    turns++;
    if (isReading) setImmediate(turn);
  };
  setImmediate(turn);
  const { documents } = await receive("ndjson", body, { limitBytes: body.length });
  isReading = false;
  equal(documents, 800_000);
  equal(turns > 5, true, `${turns} turns`);
});

test("the caller's bytes are left alone", async () => {
  const body = Buffer.from('[\n{\n"id":1}]');
  const before = Buffer.from(body);
  await receive("json", body);
  deepEqual(body, before);
});

test("payloads of every size arrive whole", async () => {
  for (const count of [1, 100, 1_000, 50_000, 400_000]) {
    const body = '{"id":1}\n'.repeat(count);
    const { documents, text } = await receive("ndjson", body);
    equal(documents, count);
    equal(text === body, true);
  }
});

test("each chunk is given back once it is read", async () => {
  const chunks = ['{"id":1}\n{"i', 'd":2}\n'].map((text) => Buffer.from(text));
  const released: Uint8Array[] = [];
  const options = { format: "ndjson", limitBytes: 100, release: (chunk: Uint8Array) => released.push(chunk) };
  await transcribe(Readable.from(chunks), options as never, { append: async () => {} });
  deepEqual(released, chunks);
});

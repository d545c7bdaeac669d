// Importing files: formats, chunks, going on after an interruption, and what goes wrong on the way.
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { gzipSync } from "node:zlib";
import { Importing, lines } from "./importing.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

let receiver: Receiver;
let importing: Importing;

beforeEach(async () => {
  receiver = await startReceiver();
  importing = await Importing.start();
});

afterEach(async () => {
  await importing.close();
  await receiver.close();
});

const run = (name: string, content: string | Uint8Array, ...args: string[]) =>
  importing.run(receiver.url, name, content, ...args);

test("every format arrives as lines", async () => {
  const expected = '{"id":1}\n{"id":2}\n';
  await run("a.json", '[{"id":1},\n{"id":2}]');
  await run("a.ndjson", expected);
  await run("a.jsonl.gz", gzipSync(expected));
  await run("A.NDJSON.GZ", gzipSync(expected));
  await run("a.csv", "id:number\n1\n2\n");
  await run("a.tsv", "id:number\tname\n1\tx\n");
  await run("a.data", "id:number;name\n1;x\n", "--format", "csv", "--csv-delimiter", ";");
  deepEqual(receiver.bodies.slice(0, 5), Array(5).fill(expected));
  deepEqual(receiver.bodies.slice(5), ['{"id":1,"name":"x"}\n', '{"id":1,"name":"x"}\n']);
  match(importing.output, /^Imported 2 documents into peaks in [\d.]+ s\n/);
  deepEqual(await importing.stateFiles(), []);
});

for (const name of ["-", "/dev/stdin"]) {
  test(`what comes through a pipe (${name}) is read to its end, and nothing is kept of it`, async () => {
    const content = lines(100_000);
    const pipe = (...args: string[]) => importing.pipe(receiver.url, name, content, ...args);
    const { code, output } = await pipe("--format", "ndjson", "--chunk-size", "300 kB");
    match(output, /^Imported 100000 documents into peaks in /);
    equal(code, 0);
    equal(receiver.bodies.join(""), content);
    equal(receiver.bodies.length > 2, true);
    // Nobody can go on behind what was read.
    receiver.bodiesMax = receiver.bodies.length + 1;
    const failed = await pipe("--format", "ndjson", "--chunk-size", "300 kB");
    match(failed.output, /cannot be reached: (?!.*Call again)/);
    equal(failed.code, 1);
    equal(receiver.bodies.length, receiver.bodiesMax);
    deepEqual(await importing.stateFiles(), []);
    const unnamed = await pipe();
    match(unnamed.output, /the format is unknown.* say --format$/m);
    equal(unnamed.code, 2);
  });
}

test("primary key, method and key reach the server", async () => {
  await run("a.ndjson", lines(1), "--primary-key", "a b", "--update", "--api-key", "secret");
  deepEqual(receiver.requests, ["PUT /indexes/peaks/documents?primaryKey=a%20b"]);
  deepEqual(receiver.authorization, ["Bearer secret"]);
});

test("a large file is sent in chunks of whole lines", async () => {
  const content = lines(200_000);
  await run("a.ndjson", content, "--chunk-size", "300 kB");
  equal(receiver.bodies.join(""), content);
  equal(receiver.bodies.length > 3, true);
  for (const body of receiver.bodies) equal(body.endsWith("}\n"), true);
});

test("what is no address of a server is refused at once", async () => {
  for (const [url, problem] of [
    ["ftp://localhost:7700", /^--url ftp:\/\/localhost:7700: expected an http or https URL$/],
    ["git+ssh://localhost", /expected an http or https URL/],
    ["http://", /is no address/],
    ["local host:7700", /is no address/],
    ["localhost:77000", /is no address/],
    ["http://me:secret@localhost", /^--url takes no user or password: give a key with --api-key$/],
    ["http://localhost:7700?key=secret", /^--url http:\/\/localhost:7700\/: expected no query or fragment$/],
  ] as const)
    await rejects(importing.run(url, "a.ndjson", lines(1)), { message: problem }, url);
  await importing.run(receiver.url.replace("http://", ""), "a.ndjson", lines(1));
  equal(receiver.bodies.length, 1);
});

test("what no further try can reach is given up at once", async () => {
  const encrypted = receiver.url.replace("http:", "https:");
  for (const [url, problem] of [
    [encrypted, /^https:.* does not answer in TLS: its URL may begin with http:\/\/$/],
    ["localhost:6667", /^http:\/\/localhost:6667: nothing can be sent to this port/],
  ] as const)
    await rejects(
      importing.run(url, "a.ndjson", lines(1), "--retry-seconds", "2"),
      { message: problem },
      url,
    );
});

test("after an interruption nothing is sent twice and nothing is lost", async () => {
  const content = lines(300_000);
  const chunks = ["--chunk-size", "500 kB"];
  receiver.bodiesMax = 2;
  await rejects(run("a.ndjson", content, ...chunks), /cannot be reached: .*Call again to go on/);
  equal(receiver.bodies.length, 2);
  receiver.bodiesMax = Number.POSITIVE_INFINITY;
  equal((await importing.stateFiles()).length, 1);
  await run("a.ndjson", content, ...chunks);
  equal(receiver.bodies.join(""), content);
  match(importing.output, /Going on behind \d+ documents that were sent before\nImported 300000 documents/);
  deepEqual(await importing.stateFiles(), []);
});

// Below a file not even the look is possible whether a file is there.
for (const [what, folder] of [
  ["is missing", "missing"],
  ["is a file", "a.ndjson"],
] as const) {
  test(`an import goes on where the temp folder ${what}, and says so once`, async () => {
    const content = lines(100_000);
    process.env.TMPDIR = `${importing.folder}/${folder}`;
    await run("a.ndjson", content, "--chunk-size", "500 kB");
    equal(receiver.bodies.join(""), content);
    const [told, ...others] = importing.output.trimEnd().split("\n");
    match(told, /^How far the import got cannot be written \((ENOENT|ENOTDIR): .*TMPDIR/);
    match(others.join("\n"), /^Imported 100000.*$/);
  });
}

for (const [what, laterMs, changed] of [
  ["has another length", 0, lines(100_001)],
  ["was written again", 1000, lines(100_000).replaceAll("1", "2")],
] as const) {
  test(`a file that ${what} is imported from its start`, async () => {
    const chunks = ["--chunk-size", "300 kB"];
    receiver.bodiesMax = 2;
    await rejects(run("a.ndjson", lines(100_000), ...chunks), /cannot be reached/);
    equal(receiver.bodies.splice(0).length, receiver.bodiesMax);
    receiver.bodiesMax = Number.POSITIVE_INFINITY;
    importing.modifiedAt += laterMs;
    await run("a.ndjson", changed, ...chunks);
    equal(receiver.bodies.join(""), changed);
  });
}

test("a server that is away for a moment is asked again", async () => {
  receiver.failures.push("drop", { status: 503, message: "busy" });
  await run("a.ndjson", lines(3), "--retry-seconds", "20");
  deepEqual(receiver.bodies, [lines(3)]);
});

test("who is told that a part is too large is told how to send smaller ones", async () => {
  receiver.failures.push({ status: 413, message: "" });
  const tooLarge = run("a.ndjson", lines(1));
  await rejects(
    tooLarge,
    /answers 413: no explanation \(too much at once: a smaller --chunk-size may help\)$/,
  );
});

test("a failed task is told, and the next call begins anew", async () => {
  receiver.failedTasks.add(0);
  await rejects(run("a.ndjson", lines(2)), /task 0 failed: no primary key was found/);
  deepEqual(await importing.stateFiles(), []);
});

test("what is sent need not be waited for", async () => {
  receiver.failedTasks.add(0);
  await run("a.ndjson", lines(2), "--no-wait");
  match(importing.output, /^Sent 2 documents into peaks in /);
  equal(receiver.unfinished, 1);
  deepEqual(await importing.stateFiles(), []);
});

test("a server that is slow to index keeps no more than some chunks", async () => {
  const content = Array.from(
    { length: 80 },
    (_, id) => `${JSON.stringify({ id, text: "x".repeat(300_000) })}\n`,
  );
  await run("a.ndjson", content.join(""), "--chunk-size", "100 kB");
  equal(receiver.bodies.length, 80);
  equal(receiver.unfinishedMost, 51);
});

test("a file that is malformed is refused with its place", async () => {
  await rejects(
    run("a.ndjson", '{"id":1}\n{"id":}\n'),
    /a\.ndjson: .* at line 2, document 2, byte offset 15: found/,
  );
  deepEqual(receiver.bodies, []);
});

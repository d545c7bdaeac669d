// A real process that is killed (SIGKILL) while it commits to a record log and a manifest in a real folder:
// everything it had acknowledged on its output is there afterwards.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { readManifest } from "../../src/segment/manifestreader.ts";
import { FileStorage } from "../../src/storage/file.ts";
import { RecordLog } from "../../src/storage/recordlog.ts";
import { text } from "../storage/cases.ts";

const ROUNDS = 6;
const WRITER = fileURLToPath(new URL("./logwriter.js", import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "tarsier-logs-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test("kill -9 loses nothing that was acknowledged", async () => {
  let records = 0;
  let version = 0;
  for (let round = 1; round <= ROUNDS; round++) {
    const acknowledged = await writeUntilKilled(5 * round);
    const storage = new FileStorage(folder);
    const found: number[] = [];
    RecordLog.open(storage, "journal", "KILL", (record) => found.push(Number(text(record)))).close();
    const order = found.map((_, i) => i + 1);
    assert.deepEqual(found, order, "records are in order, none is missing");
    assert.ok(found.length >= acknowledged.records && acknowledged.records > records);
    const state = readManifest(storage, "index", acknowledged.version);
    assert.equal(state.primaryKey, `key ${state.version}`);
    assert.ok(acknowledged.version > version);
    records = found.length;
    version = state.version;
  }
});

/** Kills the writer after `lines` lines of its output. */
async function writeUntilKilled(lines: number): Promise<{ records: number; version: number }> {
  const child = spawn(process.execPath, [WRITER, folder], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (data: string) => {
    output += data;
    if (output.split("\n").length > lines) child.kill("SIGKILL");
  });
  const signal = await new Promise((resolve) => child.on("close", (_, signal) => resolve(signal)));
  assert.equal(signal, "SIGKILL");
  const [records, version] = output
    .slice(0, output.lastIndexOf("\n"))
    .split("\n")
    .at(-1)!
    .split(" ")
    .map(Number);
  return { records, version };
}

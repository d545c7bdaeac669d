// `tarsier pack`: an index as static files, and what it refuses.
import { deepEqual, equal, match } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openLocalEngine } from "../../src/engine/pool.ts";
import { open } from "../../src/index.ts";
import type { BundleDescription } from "../../src/storage/bundle.ts";
import { FileStorage } from "../../src/storage/file.ts";
import { Instance } from "../../src/tasks/instance.ts";

const folder = mkdtempSync(join(tmpdir(), "tarsier-pack-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const cli = fileURLToPath(new URL("../../src/cli.js", import.meta.url));
const data = join(folder, "data");

const pack = (...args: string[]) => run("pack", ...args);

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], {
    encoding: "utf8",
  });
  return { status, output: stdout + stderr };
}

test("an index of several segments becomes a folder of one, which opens as a database", async () => {
  const store = await open({ folder: data, threads: 0 });
  const index = store.index<{ id: number; text: string }>("texts");
  await index.updateSettings({ filterableAttributes: ["id"] });
  for (let id = 0; id < 3; id++) await index.add({ id, text: `number ${id}` });
  await index.delete(1);
  await store.index("others").add({ id: 1 });
  for (const early of [
    pack(data, "--index", "texts", "--output", join(folder, "early")),
    run("check", "--db-path", data),
    run("repair", "--db-path", data),
  ])
    deepEqual([early.status, /open already, here or in another process/.test(early.output)], [1, true]);
  await store.close();

  const output = join(folder, "bundle");
  const { status, output: told } = pack(data, "--index", "texts", "--output", output);
  equal(status, 0, told);
  match(told, /2 documents in 3 files/);
  const bundle = JSON.parse(readFileSync(join(output, "bundle.json"), "utf8")) as BundleDescription;
  deepEqual([bundle.index, bundle.documents, bundle.format], ["texts", 2, 2]);
  for (const [name, size] of Object.entries(bundle.files)) equal(statSync(join(output, name)).size, size);
  const readable = 0o444 & ~process.umask();
  for (const name of ["bundle.json", ...Object.keys(bundle.files)])
    equal(statSync(join(output, name)).mode & readable, readable, name);
  const parts = bundle.first.parts.reduce((bytes, { from, end }) => bytes + end - from, 0);
  equal(statSync(join(output, bundle.first.file)).size, parts);
  equal(Object.keys(bundle.files).filter((name) => /segment-\d+$/.test(name)).length, 1);

  const storage = new FileStorage(output);
  const engine = openLocalEngine(storage, { threads: 0, indexingBytes: 2 ** 26, searchBytes: 2 ** 23 });
  const instance = await Instance.open({ storage, engine });
  deepEqual(
    instance.indexes(0, 10, null).results.map(({ uid }) => uid),
    ["texts"],
  );
  const lines = await engine.lines(instance.handle("texts"), { from: 0, filter: null, bytesMax: 1e6 });
  equal(lines.documents, 2);
  await instance.close();
  await engine.close();
});

test("what cannot be packed is told", () => {
  const output = join(folder, "never");
  const link = join(folder, "link");
  symlinkSync(data, link);
  const refusals: [string[], RegExp][] = [
    [[data, "--index", "nothing", "--output", output], /Index `nothing` not found/],
    [[data, "--index", "texts", "--output", data], /inside of the data folder/],
    [[data, "--index", "texts", "--output", join(data, "indexes", "new")], /inside of the data folder/],
    [[data, "--index", "texts", "--output", join(link, "new")], /inside of the data folder/],
    [[data, "--index", "texts", "--output", join(folder, "bundle")], /not empty/],
    [[join(folder, "gone"), "--index", "texts", "--output", output], /there is no folder/],
    [[data, "--output", output], /--index is missing/],
    [[data, "--index", "texts"], /--output is missing/],
    [["--index", "texts", "--output", output], /one data folder/],
  ];
  for (const [args, expected] of refusals) {
    const { status, output: told } = pack(...args);
    equal(status === 0, false);
    match(told, expected);
  }
  equal(readdirSync(folder).includes("never"), false);
});

// What src/cli/heaps.ts does to a process: measured in one of its own, since flags stay.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const MEBIBYTE = 2 ** 20;

test("with a small bound of memory young objects take little, after threads came and went, too", () => {
  const large = youngBytes(1024 * MEBIBYTE);
  const small = youngBytes(96 * MEBIBYTE);
  assert.ok(small <= 6e6, `${small} bytes`);
  assert.ok(large >= 3 * small, `${large} bytes without, ${small} with`);
});

/** What V8 reserves for young objects once many of them outlived a collection. */
function youngBytes(bound: number): number {
  const heaps = fileURLToPath(new URL("../../src/cli/heaps.js", import.meta.url));
  const program = `
    import { getHeapSpaceStatistics } from "node:v8";
    import { Worker } from "node:worker_threads";
    const { keepHeapsSmall } = await import(${JSON.stringify(heaps)});
    keepHeapsSmall({ maxIndexingMemory: ${bound}, maxSearchMemory: ${1024 * MEBIBYTE} });
    let most = 0;
    await new Promise((done) => new Worker("1", { eval: true }).once("exit", done));
    for (let round = 0; round < 40; round++) {
      const kept = [];
      for (let i = 0; i < 50_000; i++) kept.push({ i, text: [i, i] });
      const young = getHeapSpaceStatistics().find((one) => one.space_name === "new_space");
      most = Math.max(most, young.space_size);
    }
    console.log(most);`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    encoding: "utf8",
  });
  assert.ok(Number(stdout) > 0, stderr);
  return Number(stdout);
}

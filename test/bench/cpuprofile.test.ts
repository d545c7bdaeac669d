// Where the time of a profile goes: to the function that ran and to those that called it.
import assert from "node:assert/strict";
import type { Profiler } from "node:inspector";
import { test } from "node:test";
import { functionTimes } from "../../bench/cpuprofile.ts";
import { wasmNames } from "../../bench/wasmnames.ts";
import { Core } from "../../src/core/core.ts";

function frame(id: number, functionName: string, children: number[], url = "file:///a/b.js") {
  return { id, callFrame: { functionName, scriptId: "0", url, lineNumber: 4, columnNumber: 0 }, children };
}

test("functions of the core have their names, and a function that calls itself counts once", () => {
  const exports = new Core().exports as unknown as Record<string, { name: string }>;
  const nodes = [
    frame(1, "(root)", [2], ""),
    frame(2, "outer", [3]),
    frame(3, "outer", [4]),
    frame(4, `wasm-function[${exports.heapBase.name}]`, [], "wasm://wasm/1"),
  ];
  const profile: Profiler.Profile = {
    nodes,
    startTime: 0,
    endTime: 60,
    samples: [2, 3, 4],
    timeDeltas: [10, 20, 30],
  };
  const name = wasmNames()[Number(exports.heapBase.name)];
  assert.match(name, /heapBase$/);
  assert.deepEqual(functionTimes(profile), [
    { name: "outer b.js:5", self: 30, inclusive: 60 },
    { name: `wasm ${name}`, self: 30, inclusive: 30 },
  ]);
});

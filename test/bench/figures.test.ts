// The benchmarks as compositions: that parts, peers and tables fit together is tried on very little data, and
// no time is looked at.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { loadDataset, parseLines, piecesOf } from "../../bench/datasets.ts";
import { comparison, type Figure, growth, type Measurement } from "../../bench/figures.ts";
import { measureLibrary } from "../../bench/peers/libraryfigures.ts";
import { PARTS, type Plan, quickPlan } from "../../bench/plan.ts";
import { Results } from "../../bench/results.ts";
import { tarsier } from "../../bench/server.ts";
import { measureServer } from "../../bench/serverfigures.ts";

const plan: Plan = {
  ...quickPlan,
  queriesPerClass: 1,
  starts: 1,
  workloads: ["one word and prefix"],
  connections: [2],
  throughputSeconds: 0.1,
  probes: 1,
  loadSeconds: 0.1,
  calmMs: 1,
};

async function all(lists: AsyncIterable<Measurement[]>): Promise<Measurement[]> {
  const found: Measurement[] = [];
  for await (const list of lists) found.push(...list);
  return found;
}

test("every part measures a server, and libraries have the same rows", { timeout: 120_000 }, async () => {
  const dataset = loadDataset("movies@50");
  const ours = await all(measureServer(tarsier, dataset, plan));
  for (const { name, values, note } of ours) {
    assert.equal(note, undefined, name);
    assert.ok(values.length > 0 && values.every(Number.isFinite), name);
  }
  for (const start of [
    "indexing, ",
    "disk",
    "start to",
    "search, ",
    "throughput, ",
    "searches during",
    "one doc",
  ]) {
    assert.ok(
      ours.some(({ name }) => name.startsWith(start)),
      start,
    );
  }
  const library = await all(measureLibrary("minisearch", dataset, plan));
  const shared = library.filter(({ name }) => ours.some((one) => one.name === name));
  assert.ok(shared.some(({ name }) => name.startsWith("indexing, documents")));
  assert.ok(shared.some(({ name }) => name.startsWith("search, one word, warm")));
});

test("what a library does not finish is a row that says so", { timeout: 60_000 }, async () => {
  const hurried = { ...plan, librarySeconds: 0, parts: new Set(PARTS) };
  const [only, ...more] = await all(measureLibrary("minisearch", loadDataset("movies@50"), hurried));
  assert.deepEqual(more, []);
  assert.match(only.note ?? "", /^not finished after 0 s, 0 %$/);
});

test("sets are cut, and begin again with new ids", () => {
  const whole = loadDataset("movies").documents;
  const cut = loadDataset("movies@7");
  assert.deepEqual(cut.documents, whole.slice(0, 7));
  const longer = loadDataset(`movies@${whole.length + 7}`);
  assert.equal(longer.count, whole.length + 7);
  assert.deepEqual(
    longer.documents.slice(whole.length),
    whole.slice(0, 7).map((one) => ({ ...one, id: Number(one.id) + whole.length })),
  );
  assert.equal(new Set(longer.documents.map(({ id }) => id)).size, longer.count);
  for (const bytes of [1, 100, 1000, 1e6]) {
    const pieces = [...piecesOf(cut.lines, bytes)];
    assert.deepEqual(pieces.flatMap(parseLines), cut.documents);
    assert.ok(
      pieces.length === 1 || pieces.every((piece) => piece.length <= bytes || parseLines(piece).length === 1),
    );
  }
  assert.throws(() => loadDataset("movies@none"));
});

const figures: Figure[] = [
  { set: "a", engine: "tarsier", name: "rate", unit: "MB/s", values: [20] },
  { set: "a", engine: "library", name: "rate", unit: "MB/s", values: [], note: "not finished" },
  { set: "a", engine: "peer", name: "rate", unit: "MB/s", values: [4] },
  { set: "b", engine: "tarsier", name: "rate", unit: "MB/s", values: [10] },
];

test("servers have a column of ratios, others a note or a ratio in their cell", () => {
  const { header, rows } = comparison(figures, (engine) => engine === "peer" || engine === "tarsier");
  assert.deepEqual(header, ["set", "figure", "unit", "tarsier", "peer", "tarsier / peer", "library"]);
  assert.deepEqual(rows[0], ["a", "rate", "MB/s", "20", "4", "5x", "not finished"]);
  assert.deepEqual(rows[1], ["b", "rate", "MB/s", "10", "", "", ""]);
});

test("figures of growing data stand beside those of the size before", () => {
  const { header, rows } = growth(figures, ["a", "b"]);
  assert.deepEqual(header.slice(-2), ["a", "b"]);
  assert.deepEqual(rows[0].slice(-2), ["20", "10 (0.5x)"]);
});

test("results are a JSON and a Markdown of one name", () => {
  const folder = mkdtempSync(join(tmpdir(), "tarsier-results-"));
  try {
    const path = new Results("try", folder).write(figures, growth(figures, ["a", "b"]), ["A note."]);
    assert.equal(readdirSync(folder).length, 2);
    const { machine, figures: read } = JSON.parse(readFileSync(`${path}.json`, "utf8"));
    assert.ok(machine.calibrationMs > 0);
    assert.deepEqual(read, figures);
    assert.match(readFileSync(`${path}.md`, "utf8"), /\| 10 \(0\.5x\) \|/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

// GET /metrics: its feature, and what it tells of requests, indexes and tasks.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { test } from "node:test";
import { openLocalEngine } from "../../src/engine/pool.ts";
import { readManifest } from "../../src/segment/manifestreader.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import type { Instance } from "../../src/tasks/instance.ts";
import { parseExposition } from "./exposition.ts";
import { INDEX, startFixture } from "./harness.ts";

const MEBIBYTE = 2 ** 20;

/** Metrics by name and labels, `# HELP` and `# TYPE` left out. */
function read(text: string): Map<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]));
}

test("the metrics need their feature", async () => {
  const { code } = await startFixture();
  deepEqual(await code("GET /metrics"), [400, "feature_not_enabled"]);
});

test("requests are counted and timed by method, route and status, from when the feature is on", async () => {
  const { app, code } = await startFixture();
  await code("GET /indexes");
  await code("PATCH /experimental-features", { metrics: true });
  await code(`GET /indexes/${INDEX}`);
  await code("GET /indexes/none");
  await code("GET /indexes/none");
  await code("GET /tasks/0");
  const response = await app.inject({ url: "/metrics" });
  equal(response.headers["content-type"], "text/plain; version=0.0.4");
  const metrics = read(response.body);
  const requests = (method: string, path: string, status: string) =>
    metrics.get(`meilisearch_http_requests_total{method="${method}",path="${path}",status="${status}"}`);
  equal(requests("GET", "/indexes", "200"), undefined);
  equal(requests("PATCH", "/experimental-features", "200"), 1);
  equal(requests("GET", "/indexes/{index_uid}", "200"), 1);
  equal(requests("GET", "/indexes/{index_uid}", "404"), 2);
  equal(requests("GET", "/tasks/{task_uid}", "200"), 1);
  const time = 'meilisearch_http_response_time_seconds_count{method="GET",path="/indexes/{index_uid}"}';
  equal(metrics.get(time), 3);
});

test("the process tells its processor time, memory and start, on Linux its files and threads", async () => {
  const { app, code } = await startFixture();
  await code("PATCH /experimental-features", { metrics: true });
  const metrics = read((await app.inject({ url: "/metrics" })).body);
  const { user, system } = process.cpuUsage();
  const seconds = metrics.get("process_cpu_seconds_total")!;
  ok(seconds > 0 && seconds <= (user + system) / 1e6, String(seconds));
  ok(metrics.get("process_resident_memory_bytes")! > MEBIBYTE);
  const start = metrics.get("process_start_time_seconds")!;
  ok(start <= Date.now() / 1000 && start > Date.now() / 1000 - 3600, String(start));
  if (process.platform !== "linux") return;
  ok(metrics.get("process_virtual_memory_bytes")! > metrics.get("process_resident_memory_bytes")!);
  ok(metrics.get("process_threads")! > 1);
  ok(metrics.get("process_open_fds")! > 1);
  ok(metrics.get("process_max_fds")! >= metrics.get("process_open_fds")!);
});

test("where there is no index, nothing is told of the segments of one", async () => {
  const { app, code, instance } = await startFixture();
  await code("PATCH /experimental-features", { metrics: true });
  await code(`DELETE /indexes/${INDEX}`);
  await instance.idle();
  const names = [...read((await app.inject({ url: "/metrics" })).body).keys()];
  deepEqual(
    names.filter((name) => name.startsWith("tarsier_index_segments")),
    [],
  );
  ok(names.includes("meilisearch_index_count"));
});

test("indexes, tasks, batches and searches are told", async () => {
  const { app, code, instance } = await startFixture();
  await code("PATCH /experimental-features", { metrics: true });
  await code("POST /indexes", { uid: INDEX });
  await instance.idle();
  const { body } = await app.inject({ url: "/metrics" });
  const metrics = read(body);
  const expected: Record<string, number> = {
    index_count: 1,
    [`index_docs_count{index="${INDEX}"}`]: 2,
    'nb_tasks{kind="statuses",value="succeeded"}': 1,
    'nb_tasks{kind="statuses",value="failed"}': 1,
    'nb_tasks{kind="statuses",value="enqueued"}': 0,
    'nb_tasks{kind="types",value="indexCreation"}': 1,
    [`nb_tasks{kind="indexes",value="${INDEX}"}`]: 2,
    is_indexing: 0,
    search_queue_size: 10,
    searches_running: 0,
    searches_waiting_to_be_processed: 0,
    task_queue_latency_seconds: 0,
  };
  for (const [name, value] of Object.entries(expected))
    equal(metrics.get(`meilisearch_${name}`), value, name);
  match(
    body,
    /meilisearch_last_finished_batches_progress_trace_ms\{batch_uid="1",step_name="processing tasks"\}/,
  );
  const size = metrics.get("meilisearch_task_queue_used_size")!;
  const max = metrics.get("meilisearch_task_queue_max_size")!;
  equal(metrics.get("meilisearch_task_queue_size_until_stop_registering"), max - size);
});

test("the last batches with additions tell how many documents they indexed, and their time", async () => {
  const { app, code, instance } = await startFixture();
  await code("PATCH /experimental-features", { metrics: true });
  await code("POST /indexes/cups/documents", [{ id: 1 }, { id: 2 }, { id: 3 }]);
  await instance.idle();
  await code("POST /indexes", { uid: "other" });
  await code("DELETE /indexes/cups/documents/1");
  await instance.idle();
  const families = parseExposition((await app.inject({ url: "/metrics" })).body);
  const samplesOf = (name: string) => families.get(name)?.samples ?? new Map<string, number>();
  const labels = [`batch_uid="1",index="cups"`, `batch_uid="0",index="${INDEX}"`];
  const counts = samplesOf("meilisearch_last_indexed_documents_count");
  const named = (name: string, values: number[]) =>
    new Map(labels.map((label, i) => [`meilisearch_last_indexed_documents_${name}{${label}}`, values[i]]));
  deepEqual(counts, named("count", [3, 2]));
  const durations = samplesOf("meilisearch_last_indexed_documents_duration_ms");
  const took = [1, 0].map((uid) => {
    const { startedAt, finishedAt } = instance.batch(uid, null);
    return Date.parse(finishedAt!) - Date.parse(startedAt);
  });
  deepEqual(durations, named("duration_ms", took));
});

test("where no documents were indexed, no figures of that are told", async () => {
  const { app, code, instance } = await startFixture();
  await code("PATCH /experimental-features", { metrics: true });
  await code("DELETE /tasks?statuses=succeeded");
  await instance.idle();
  const { body } = await app.inject({ url: "/metrics" });
  ok(!/^meilisearch_last_indexed_documents_(count|duration_ms)\{/m.test(body), body);
});

test("a scraper can read segments, merges, caches, answers, threads and syncs", async () => {
  const storage = new MemoryStorage();
  const engine = openLocalEngine(storage, {
    threads: 0,
    indexingBytes: 16 * MEBIBYTE,
    searchBytes: 64 * MEBIBYTE,
  });
  const { app, instance } = await startFixture({}, "{}", { storage, engine });
  try {
    const send = async (method: "POST" | "PATCH", url: string, payload: object) => {
      const response = await app.inject({ method, url, payload });
      await instance.idle();
      return response.json();
    };
    const read = async (...names: string[]) => {
      const families = parseExposition((await app.inject({ url: "/metrics" })).body);
      const samples = new Map([...families.values()].flatMap((family) => [...family.samples]));
      return names.map((name) => samples.get(name));
    };
    const segments = `tarsier_index_segments{index="${INDEX}"}`;
    await send("PATCH", "/experimental-features", { metrics: true });
    deepEqual(await read(segments), [1]);
    await send("POST", `/indexes/${INDEX}/documents`, [{ id: 3 }]);
    await engine.settled();
    deepEqual(await read(segments), [readManifest(storage, folderOf(instance), 0).segments.length]);
    const [written] = await read("tarsier_merge_written_bytes_total");
    await send("POST", `/indexes/${INDEX}/documents`, [{ id: 4 }]);
    await send("POST", `/indexes/${INDEX}/compact`, {});
    const names = [
      segments,
      "tarsier_merges_running",
      "tarsier_merges_waiting",
      "tarsier_merges_failed_total",
    ];
    deepEqual(await read(...names), [1, 0, 0, 0]);
    const [done, bytes] = await read("tarsier_merges_done_total", "tarsier_merge_written_bytes_total");
    ok(done! > 0 && bytes! > written!);

    const answers = ["entries", "hits_total", "misses_total"].map((name) => `tarsier_answer_cache_${name}`);
    const before = await read(...answers);
    for (let i = 0; i < 3; i++) await send("POST", `/indexes/${INDEX}/search`, { q: "words" });
    const queries = ["words", "other"].map((q) => ({ indexUid: INDEX, q }));
    for (let i = 0; i < 2; i++) await send("POST", "/multi-search", { queries });
    deepEqual(
      await read(...answers),
      [2, 5, 2].map((more, i) => before[i]! + more),
    );
    const [kept, most] = await read(
      'tarsier_segment_cache_bytes{thread="0"}',
      'tarsier_segment_cache_max_bytes{thread="0"}',
    );
    deepEqual([kept! > 0, kept! <= most!], [true, true], `${kept} of ${most}`);
    deepEqual(
      await read('tarsier_engine_threads{role="search"}', 'tarsier_engine_calls{role="search"}'),
      [1, 0],
    );
    const [syncs] = await read("tarsier_journal_sync_seconds_count");
    await send("POST", `/indexes/${INDEX}/documents`, [{ id: 5 }]);
    ok((await read("tarsier_journal_sync_seconds_count"))[0]! > syncs!);
  } finally {
    await app.close();
    await instance.close();
    await engine.close();
  }
});

test("searches whose time ran out are counted, alone and in federations", async () => {
  const storage = new MemoryStorage();
  const engine = openLocalEngine(storage, {
    threads: 0,
    indexingBytes: 16 * MEBIBYTE,
    searchBytes: 16 * MEBIBYTE,
  });
  const { app, instance, code } = await startFixture({}, "{}", { storage, engine });
  try {
    const degraded = async () => {
      const { body } = await app.inject({ url: "/metrics" });
      return parseExposition(body)
        .get("meilisearch_degraded_search_requests")
        ?.samples.get("meilisearch_degraded_search_requests");
    };
    await code("PATCH /experimental-features", { metrics: true });
    await code(`POST /indexes/${INDEX}/search`, {});
    equal(await degraded(), 0);
    await code(`PATCH /indexes/${INDEX}/settings`, { searchCutoffMs: 0 });
    await code(`POST /indexes/${INDEX}/documents`, [
      { id: 3, text: "green tea" },
      { id: 4, text: "tea" },
    ]);
    await instance.idle();
    await code(`POST /indexes/${INDEX}/search`, { q: "tea" });
    equal(await degraded(), 1);
    await code("POST /multi-search", { federation: {}, queries: [{ indexUid: INDEX, q: "tea" }] });
    equal(await degraded(), 2);
  } finally {
    await app.close();
    await instance.close();
    await engine.close();
  }
});

const folderOf = (instance: Instance): string => instance.handle(INDEX).folder;

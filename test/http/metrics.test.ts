// GET /metrics: its feature, and what it tells of requests, indexes and tasks.
import { deepEqual, equal, match } from "node:assert/strict";
import { test } from "node:test";
import { INDEX, startFixture } from "./harness.ts";

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

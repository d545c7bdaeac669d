// Compares a server at rest with the model: tasks, documents, counts, settings and searches.
import assert from "node:assert/strict";
import { type Document, fieldDistribution, type IndexModel, idsWith, type Model } from "./model.ts";
import type { Random } from "./random.ts";
import type { Requests, TaskView } from "./requests.ts";
import { pause, type Server } from "./server.ts";
import { WORDS } from "./workload.ts";

const IDLE_MS_MAX = 120_000;
const POLL_MS = 20;
const PAGE = 1000;
const DOCUMENTS_MOST = 10_000;

/** Waits until no task waits or runs. */
export async function waitUntilIdle(server: Server): Promise<void> {
  for (const end = Date.now() + IDLE_MS_MAX; Date.now() < end; await pause(POLL_MS)) {
    const path = "/tasks?statuses=enqueued,processing&limit=1";
    const { total } = await server.get<{ total: number }>(path);
    if (total === 0) return;
  }
  throw new Error(`tasks still wait:\n${server.errors}`);
}

/**
 * Takes the tasks from uid `from` on into the model, in order, and checks their ends. Returns the uid behind
 * the last one. Every acknowledged task must be there.
 */
export async function verifyTasks(
  server: Server,
  requests: Requests,
  model: Model,
  from: number,
): Promise<number> {
  const tasks = await tasksFrom(server, from);
  tasks.forEach((task, i) => {
    assert.equal(task.uid, from + i, "the tasks follow each other without a gap");
    const write = requests.writeOf(task);
    const ends: string[] = model.apply(write);
    const end = `task ${task.uid}, ${write.kind}, is ${task.status}: ${task.error?.message}`;
    assert.ok(ends.includes(task.status), end);
  });
  const next = from + tasks.length;
  assert.ok(next > requests.newest, `task ${requests.newest} was acknowledged, the last one is ${next - 1}`);
  requests.forgetUnknown();
  return next;
}

/** Ascending. */
export async function tasksFrom(server: Server, from: number): Promise<TaskView[]> {
  const tasks: TaskView[] = [];
  for (;;) {
    const path = `/tasks?reverse=true&limit=${PAGE}&from=${from + tasks.length}`;
    const { results } = await server.get<{ results: TaskView[] }>(path);
    tasks.push(...results);
    if (results.length < PAGE) return tasks;
  }
}

export async function verifyIndexes(server: Server, model: Model, random: Random): Promise<void> {
  const { results } = await server.get<{ results: { uid: string }[] }>("/indexes?limit=1000");
  const uids = [...model.indexes.keys()].sort();
  assert.deepEqual(results.map(({ uid }) => uid).sort(), uids);
  type Stats = Record<string, { numberOfDocuments: number; fieldDistribution: object; isIndexing: boolean }>;
  const { indexes: stats } = await server.get<{ indexes: Stats }>("/stats");
  assert.deepEqual(Object.keys(stats).sort(), uids);
  for (const [uid, index] of model.indexes) {
    const { numberOfDocuments, isIndexing, fieldDistribution: found } = stats[uid];
    assert.deepEqual(
      { uid, numberOfDocuments, isIndexing },
      {
        uid,
        numberOfDocuments: index.documents.size,
        isIndexing: false,
      },
    );
    assert.deepEqual(found, fieldDistribution(index), `fields of ${uid}`);
    await verifyDocuments(server, uid, index);
    await verifySettings(server, uid, index);
    await verifySearches(server, uid, index, random);
  }
}

async function verifyDocuments(server: Server, uid: string, { documents }: IndexModel): Promise<void> {
  type Page = { results: Document[]; total: number };
  const page = await server.get<Page>(`/indexes/${uid}/documents?limit=${DOCUMENTS_MOST}`);
  assert.equal(page.total, documents.size);
  assert.equal(page.results.length, documents.size);
  for (const document of page.results) assert.deepEqual(document, documents.get(document.id), uid);
  assert.equal(new Set(page.results.map(({ id }) => id)).size, documents.size);
}

async function verifySettings(server: Server, uid: string, { settings }: IndexModel): Promise<void> {
  const found = await server.get<Record<string, unknown>>(`/indexes/${uid}/settings`);
  for (const [name, value] of Object.entries(settings))
    assert.deepEqual(found[name], value, `${name} of ${uid}`);
}

/** All documents with a word; and one document by the word that it alone has. */
async function verifySearches(server: Server, uid: string, index: IndexModel, random: Random): Promise<void> {
  type Hits = { hits: Document[]; estimatedTotalHits: number };
  const search = (q: string) => server.post<Hits>(`/indexes/${uid}/search`, { q, limit: DOCUMENTS_MOST });
  const word = random.of(WORDS);
  const { hits, estimatedTotalHits } = await search(word);
  const ids = hits.map(({ id }) => id).sort((a, b) => a - b);
  assert.deepEqual(ids, idsWith(index, word), `${word} in ${uid}`);
  assert.equal(estimatedTotalHits, ids.length);
  const titled = [...index.documents.values()].filter(({ title }) => title !== undefined);
  if (titled.length === 0) return;
  const document = random.of(titled);
  const token = String(document.title).split(" ")[1];
  const [first] = (await search(token)).hits;
  assert.deepEqual(first, document, `${token} in ${uid}`);
}

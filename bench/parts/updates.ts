// What do writes of documents cost that the index already has, beside their first addition? In an index of
// its own, each way of writing over the outcome of the one before. Called by serverfigures.ts.
import { type Dataset, linesOf, piecesOf } from "../datasets.ts";
import type { Measurement } from "../figures.ts";
import type { Plan } from "../plan.ts";
import type { Questions } from "../questions.ts";
import type { BenchServer } from "../server.ts";

const REST_MS_MAX = 60_000;
const PIECE_BYTES = 40 * 2 ** 20;
const FIELD = "benchRank";
/** Every document of so many has changed where only some have. */
const CHANGED_APART = 10;

/** @throws OverdueError */
export async function measureUpdates(
  server: BenchServer,
  dataset: Dataset,
  { settings }: Questions,
  { serverSeconds, calmMs }: Plan,
): Promise<Measurement[]> {
  const { primaryKey, lines, count, documents } = dataset;
  const path = `/indexes/${dataset.name}-updates`;
  const deadline = performance.now() + serverSeconds * 1000;
  const filterable = { ...settings, filterableAttributes: [FIELD] };
  await server.wait(await server.ask("PATCH", `${path}/settings`, filterable));
  const measured: Measurement[] = [];

  const measure = async (name: string, written: number, write: () => Promise<void>) => {
    await server.rest(calmMs, REST_MS_MAX);
    const begin = performance.now();
    await write();
    const rate = (1000 * written) / (performance.now() - begin);
    measured.push({ name: `updates, ${name}`, unit: "documents/s", values: [rate] });
  };
  const send = async (method: string, bytes: Buffer) => {
    const asked: Record<string, unknown>[] = [];
    for (const piece of piecesOf(bytes, PIECE_BYTES))
      asked.push(await server.ask(method, `${path}/documents?primaryKey=${primaryKey}`, piece));
    for (const task of asked) await server.wait(task, deadline);
  };
  const remove = async (route: string, body: unknown) =>
    server.wait(await server.ask("POST", `${path}/documents/${route}`, body), deadline);

  const [wholes, some, partial] = [
    documents.map((document) => ({ ...document, [FIELD]: 1 })),
    documents.map((document, i) => ({ ...document, [FIELD]: i % CHANGED_APART === 0 ? 2 : 1 })),
    documents.map((document) => ({ [primaryKey]: document[primaryKey], [FIELD]: 3 })),
  ].map(linesOf);
  await measure("first addition", count, () => send("POST", lines));
  await measure("the same documents", count, () => send("POST", lines));
  await measure("the same as partial ones", count, () => send("PUT", lines));
  await measure("all with another field", count, () => send("POST", wholes));
  await measure("a tenth has changed", count, () => send("POST", some));
  await measure("one field of each", count, () => send("PUT", partial));
  const half = documents.filter((_, i) => i % 2 === 0).map((document) => document[primaryKey]);
  await measure("deletion of half by ids", half.length, () => remove("delete-batch", half));
  await measure("deletion of the others by filter", count - half.length, () =>
    remove("delete", { filter: `${FIELD} = 3` }),
  );
  return measured;
}

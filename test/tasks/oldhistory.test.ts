// What the tasks and settings of dumps before V6 tell after the import, where the old words say it otherwise
// than those of today.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { TaskView } from "../../src/tasks/views.ts";
import { type CopyHouse, Place } from "./copyhouse.ts";
import { importArchive } from "./oldlines.ts";
import { ALL } from "./setup.ts";

const place = new Place();
after(() => place.remove());

const DATE = "2022-10-07T11:38:54Z";
const LATER = "2022-10-07T11:38:55Z";

interface History {
  tasks: TaskView[];
  settings: Awaited<ReturnType<CopyHouse["engine"]["settings"]>>;
}

/** Of the one index `teas` in a dump of these files. */
async function historyOf(name: string, files: Record<string, unknown>): Promise<History> {
  const house = await importArchive(place, name, files);
  const { results: tasks } = house.instance.tasks({}, ALL, null);
  const settings = await house.engine.settings(house.instance.handle("teas"));
  await house.close();
  return { tasks, settings };
}

/** `ended`: fields of updates that are not the same for all. */
function first(name: string, ended: object[], settings: object = {}): Promise<History> {
  const update = { status: "processed", duration: 1, enqueuedAt: DATE, processedAt: LATER };
  return historyOf(name, {
    "metadata.json": { dumpVersion: "V1", indexes: [{ uid: "teas", primaryKey: "sku" }] },
    "teas/settings.json": settings,
    "teas/updates.jsonl": ended.map((fields) => ({ ...update, ...fields })),
  });
}

test("updates of V1 spell ranking rules in another way than its settings", async () => {
  const order = [{ Asc: "release_date" }, { Desc: "rank" }];
  const Update = ["Typo", "Words", "Proximity", "Attribute", "WordsPosition", "Exactness", ...order];
  const settings = { ranking_rules: { Update }, stop_words: "Nothing" };
  const { tasks } = await first("rules", [{ type: { name: "Settings", settings } }]);
  const rules = ["typo", "words", "proximity", "attribute", "exactness", "release_date:asc", "rank:desc"];
  assert.deepEqual(tasks[0].details, { rankingRules: rules });
});

// What a real engine refuses of a batch: one task, where the others can do without it, or all of them.
import { deepEqual, equal, match } from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { Instance } from "../../src/tasks/instance.ts";
import { type CopyFixture, openCopyFixture, Place } from "./copyfixture.ts";
import { add, batched, deleteFilter, deleteIds, settings } from "./setup.ts";

const place = new Place();
after(() => place.remove());

/** One more than an index may have, with the id. */
const FIELDS_TOO_MANY = 65_536;
const TOO_MANY = "max_fields_limit_exceeded";
const REFUSED_FILTER = "invalid_document_filter";

/** A document with very many fields. */
function wide(id: number, prefix = "f", fields = FIELDS_TOO_MANY): Record<string, unknown> {
  const names = Array.from({ length: fields }, (_, i): [string, number] => [`${prefix}${i}`, 0]);
  return { id, ...Object.fromEntries(names) };
}

let fixtures = 0;

/** Runs `first`, then what `write` registers as one batch. */
async function runTogether(
  write: (instance: Instance) => Promise<unknown>,
  first: (instance: Instance) => Promise<unknown> = async () => {},
): Promise<CopyFixture> {
  const name = `fixture-${fixtures++}`;
  const before = await openCopyFixture(place, name);
  await first(before.instance);
  await before.instance.idle();
  const batches = batched(before.instance).length;
  await before.close();
  const queue = await openCopyFixture(place, name, { batchTasksMax: 0 });
  await write(queue.instance);
  await queue.close();
  const fixture = await openCopyFixture(place, name);
  await fixture.instance.idle();
  equal(batched(fixture.instance).length, batches + 1);
  return fixture;
}

/** Of the tasks of the last batch: their errors, or null. */
const errors = ({ instance }: CopyFixture): (string | null)[] =>
  batched(instance)
    .at(-1)!
    .map((uid) => instance.task(uid, null).error?.code ?? null);

const idsOf = async (fixture: CopyFixture): Promise<unknown[]> =>
  (await fixture.documents("ferns")).map(({ id }) => id).sort();

async function fill(instance: Instance): Promise<void> {
  await instance.register(settings("ferns", { filterableAttributes: ["n"] }));
  await add(instance, "ferns", [
    { id: 1, n: 1 },
    { id: 2, n: 2 },
  ]);
}

describe("a deletion by a filter that is refused", () => {
  it("fails all tasks of its batch when there are additions among them, and nothing is written", async () => {
    const fixture = await runTogether(async (queue) => {
      await queue.register(deleteIds("ferns", "1"));
      await queue.register(deleteFilter("ferns", "unknown = 1"));
      await queue.register(deleteFilter("ferns", "n = 2"));
      await add(queue, "ferns", [{ id: 3 }]);
    }, fill);
    deepEqual(errors(fixture), Array(4).fill(REFUSED_FILTER));
    const { message } = fixture.instance.task(5, null).error!;
    match(message, /unknown/);
    deepEqual(await idsOf(fixture), [1, 2]);
    await fixture.close();
  });

  it("fails alone where servers share the documents: others have taken the additions", async () => {
    const shard = { self: "one", members: ["one"] };
    const fixture = await runTogether(async (queue) => {
      await queue.register(deleteFilter("ferns", "unknown = 1"));
      await add(queue, "ferns", [{ id: 3 }], { shard });
    }, fill);
    deepEqual(errors(fixture), [REFUSED_FILTER, null]);
    deepEqual(await idsOf(fixture), [1, 2, 3]);
    await fixture.close();
  });

  it("fails alone among other deletions", async () => {
    const fixture = await runTogether(async (queue) => {
      await queue.register(deleteIds("ferns", "1"));
      await queue.register(deleteFilter("ferns", "unknown = 1"));
      await queue.register(deleteFilter("ferns", "n = 2"));
    }, fill);
    deepEqual(errors(fixture), [null, REFUSED_FILTER, null]);
    deepEqual(await idsOf(fixture), []);
    await fixture.close();
  });
});

describe("an addition with more fields than an index may have", () => {
  for (const at of [0, 1, 2]) {
    it(`fails alone as number ${at} of three, and the others are indexed`, async () => {
      const fixture = await runTogether(async (queue) => {
        for (const id of [0, 1, 2]) await add(queue, "ferns", [id === at ? wide(id) : { id, a: 1 }]);
      });
      deepEqual(
        errors(fixture),
        [0, 1, 2].map((id) => (id === at ? TOO_MANY : null)),
      );
      deepEqual(
        await idsOf(fixture),
        [0, 1, 2].filter((id) => id !== at),
      );
      deepEqual(fixture.instance.batch(0, null).details, { receivedDocuments: 3, indexedDocuments: 2 });
      deepEqual(fixture.instance.task(at, null).details, { receivedDocuments: 1, indexedDocuments: 0 });
      await fixture.close();
    });
  }

  it("fails alone when another one updates its document", async () => {
    const fixture = await runTogether(async (queue) => {
      await add(queue, "ferns", [{ id: 1, a: 1 }]);
      await add(queue, "ferns", [wide(2)]);
      await add(queue, "ferns", [{ id: 2, b: 1 }], { method: "update" });
      await add(queue, "ferns", [{ id: 3 }]);
    });
    deepEqual(errors(fixture), [null, TOO_MANY, null, null]);
    deepEqual(await fixture.documents("ferns"), [{ id: 1, a: 1 }, { id: 2, b: 1 }, { id: 3 }]);
    await fixture.close();
  });

  it("fails alone when it updates the document of another one", async () => {
    const fixture = await runTogether(async (queue) => {
      await add(queue, "ferns", [{ id: 1, a: 1 }]);
      await add(queue, "ferns", [wide(1)], { method: "update" });
      await add(queue, "ferns", [{ id: 2 }]);
    });
    deepEqual(errors(fixture), [null, TOO_MANY, null]);
    deepEqual(await fixture.documents("ferns"), [{ id: 1, a: 1 }, { id: 2 }]);
    await fixture.close();
  });

  it("fails alone after very many documents", async () => {
    const many = Array.from({ length: 3000 }, (_, id) => ({ id, text: `word${id} `.repeat(20) }));
    const fixture = await runTogether(async (queue) => {
      await add(queue, "ferns", many);
      await add(queue, "ferns", [wide(5000)]);
    });
    deepEqual(errors(fixture), [null, TOO_MANY]);
    equal((await idsOf(fixture)).length, many.length);
    await fixture.close();
  });

  it("fails alone when the document that it updates has a longer text", async () => {
    const text = "12:34 ".repeat(100_000);
    const fixture = await runTogether(async (queue) => {
      await add(queue, "ferns", [wide(1)]);
      await add(queue, "ferns", [{ id: 1, text }], { method: "update" });
    });
    deepEqual(errors(fixture), [TOO_MANY, null]);
    deepEqual(await fixture.documents("ferns"), [{ id: 1, text }]);
    await fixture.close();
  });

  it("does not fail when another one replaces its document", async () => {
    const fixture = await runTogether(async (queue) => {
      await add(queue, "ferns", [wide(1)]);
      await add(queue, "ferns", [{ id: 1, a: 1 }]);
    });
    deepEqual(errors(fixture), [null, null]);
    deepEqual(await fixture.documents("ferns"), [{ id: 1, a: 1 }]);
    await fixture.close();
  });

  it("fails alone with those that bring the same", async () => {
    const fixture = await runTogether(async (queue) => {
      for (let id = 1; id <= 12; id++) await add(queue, "ferns", [wide(id)]);
      await add(queue, "ferns", [{ id: 0 }]);
    });
    deepEqual(errors(fixture), [...Array(12).fill(TOO_MANY), null]);
    deepEqual(await idsOf(fixture), [0]);
    await fixture.close();
  });

  it("fails alone when it is the only one", async () => {
    const fixture = await runTogether((queue) => add(queue, "ferns", [wide(1)]));
    deepEqual(errors(fixture), [TOO_MANY]);
    deepEqual(await idsOf(fixture), []);
    await fixture.close();
  });

  it("fails when there is no room for its few fields beside those of the tasks before it", async () => {
    const fixture = await runTogether(
      async (queue) => {
        for (let id = 2; id < 12; id++) await add(queue, "ferns", [{ id, [`g${id}`]: { h: [{ i: 1 }] } }]);
        await add(queue, "ferns", [{ id: 12, f1: 1 }]);
      },
      // Room for seven more: each of the others brings three.
      (instance) => add(instance, "ferns", [wide(1, "f", FIELDS_TOO_MANY - 9)]),
    );
    deepEqual(errors(fixture), [null, null, ...Array(8).fill(TOO_MANY), null]);
    await fixture.close();
  });

  it("fails when the index has the most fields already, but documents without new ones do not", async () => {
    const fixture = await runTogether(
      async (queue) => {
        await add(queue, "ferns", [{ id: 2, f1: 1 }]);
        await add(queue, "ferns", [{ id: 3, g: 1 }]);
        await add(queue, "ferns", [{ id: 4, f2: 1 }]);
      },
      (instance) => add(instance, "ferns", [wide(1, "f", FIELDS_TOO_MANY - 2)]),
    );
    deepEqual(errors(fixture), [null, TOO_MANY, null]);
    deepEqual(await idsOf(fixture), [1, 2, 4]);
    await fixture.close();
  });
});

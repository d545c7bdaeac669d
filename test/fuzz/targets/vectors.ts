// `_vectors` of documents, in batches over an index with embedders that take what is given: a batch
// succeeds or fails with an error of the table, and what it left can be read.
import assert from "node:assert/strict";
import { MemoryStorage } from "../../../src/storage/memory.ts";
import { closeFixture, type LocalFixture, openFixture, readAll, register } from "../../crash/localfixture.ts";
import type { Random } from "../../crash/random.ts";
import type { Input, Target } from "../fuzzing.ts";
import { anyValue, strangeText } from "../making.ts";

const EMBEDDERS = {
  e: { source: "userProvided", dimensions: 2 },
  b: { source: "userProvided", dimensions: 9, binaryQuantized: true },
};
const NAMES = ["e", "b", "embeddings", "regenerate", "x"];

export const vectorTargets: Target[] = [{ name: "vectors", slice: 60, open }];

/** A fixture remembers its tasks: another one after so many keeps them from looking like a leak. */
const FIXTURE_INPUTS = 1000;

async function open() {
  let fixture = await newFixture();
  let inputs = 0;
  return {
    make: (random: Random) =>
      JSON.stringify(
        Array.from({ length: random.between(1, 3) }, () => {
          return { id: random.between(0, 9), _vectors: given(random) };
        }),
      ),
    async take(input: Input) {
      if (++inputs % FIXTURE_INPUTS === 0) {
        await closeFixture(fixture);
        fixture = await newFixture();
      }
      const { instance } = fixture;
      const documents = JSON.parse(String(input)) as { id: number }[];
      const uid = await register(fixture, { kind: "add", index: "alpha", method: "update", documents });
      await instance.idle();
      const { status, error } = instance.task(uid, null);
      assert.notEqual(error?.type, "internal", error?.message);
      const left = new Set((await readAll(fixture, "alpha")).map(({ id }) => id));
      if (status === "succeeded") for (const { id } of documents) assert.ok(left.has(id), `${id} is there`);
      return status === "succeeded";
    },
    close: () => closeFixture(fixture),
  };
}

async function newFixture(): Promise<LocalFixture> {
  const fixture = await openFixture(new MemoryStorage());
  await register(fixture, { kind: "settings", index: "alpha", patch: { embedders: EMBEDDERS } });
  return fixture;
}

function given(random: Random): unknown {
  const vector = (length: number) =>
    Array.from({ length }, () =>
      random.chance(0.01) ? 1e39 : random.of([0, 1, -0.5, 1e-46, 3.4e38, 1 / 3, -0]),
    );
  const exact = (length: number) =>
    random.chance(0.7) ? [vector(length)] : [vector(length), vector(length)];
  const form = (length: number): unknown =>
    random.of<unknown>([
      vector(length),
      exact(length),
      { regenerate: random.chance(0.5), embeddings: exact(length) },
      null,
      [],
      { regenerate: true },
      vector(length + 1),
      [vector(length), vector(length + 1)],
      anyValue(random, NAMES),
    ]);
  if (random.chance(0.1)) return anyValue(random, NAMES);
  return {
    e: form(2),
    ...(random.chance(0.4) && { b: form(9) }),
    ...(random.chance(0.1) && { [strangeText(random)]: form(1) }),
  };
}

// What is answered when files are damaged: the right answer or an error that names the place, never anything
// else; and what is sound goes on. Every 29th byte takes its turn, every single one with TARSIER_FAULTS=all
// (`node tools/crash.mjs --faults`).
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { IndexHandle } from "../../src/engine/indexhandle.ts";
import type { PoolEngine } from "../../src/engine/pool.ts";
import { TarsierError } from "../../src/errors.ts";
import { TRAILER_BYTES } from "../../src/segment/format.ts";
import { ManifestLog } from "../../src/segment/manifest.ts";
import { bytesOf, filesOf, makeFolder, type SoundFolder, WORDS, withFlip } from "../crash/bitrot.ts";
import { copyOf } from "../crash/faultrun.ts";
import {
  closeFixture,
  documentsOf,
  hitsOf,
  openEngine,
  openFixture,
  register,
} from "../crash/localfixture.ts";

const WHOLE = { fields: null, retrieveVectors: false };

const BYTES_APART = process.env.TARSIER_FAULTS === "all" ? 1 : 29;
const DOCUMENTS = 200;
/** Their blocks fill chunks that hold nothing else. */
const DOCUMENTS_MANY = 3002;
const PLACE = /offset \d+/;

let sound: SoundFolder;
let expected: Map<string, string>;
before(async () => {
  sound = await makeFolder(DOCUMENTS);
  expected = await answers(sound.handles.alpha);
  for (const [, answer] of expected) assert.ok(!answer.startsWith("error"), answer);
});

/** Answers of an index by what was asked: JSON, or an error. A new engine: nothing is held from before. */
async function answers(handle: IndexHandle): Promise<Map<string, string>> {
  const engine = openEngine(sound.storage);
  try {
    return await answersOf(engine, handle);
  } finally {
    await engine.close();
  }
}

async function answersOf(engine: PoolEngine, handle: IndexHandle): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const ask = async (what: string, read: () => Promise<unknown>) => {
    found.set(what, JSON.stringify(await read().catch((error: Error) => errorText(error))));
  };
  await ask("all documents", () => documentsOf(engine, handle));
  for (const id of ["5", "16", "199"]) {
    await ask(`document ${id}`, async () =>
      String(Buffer.from((await engine.document(handle, id, WHOLE)) ?? [])),
    );
  }
  for (const word of [...WORDS, "alm", "brich", "daisy almond"]) {
    await ask(`search ${word}`, () => hitsOf(engine, handle, word));
  }
  await ask("beta", () => documentsOf(engine, sound.handles.beta));
  return found;
}

/** Only an error of the table that names the place will do. */
function errorText(error: Error): string {
  assert.ok(error instanceof TarsierError, error.stack);
  assert.equal(error.code, "invalid_store_file");
  assert.match(error.message, PLACE);
  return `error: ${error.message}`;
}

/** Flips bits of a file. Returns how many were told by some answer. */
async function flipThrough(name: string): Promise<{ flips: number; told: number }> {
  const { length } = bytesOf(sound.storage, name);
  let [flips, told] = [0, 0];
  // The bytes at the end guard all others.
  const step = (offset: number) => (offset < length - TRAILER_BYTES ? BYTES_APART : 1);
  for (let offset = 0; offset < length; offset += step(offset)) {
    const found = await withFlip(sound.storage, { name, offset }, () => answers(sound.handles.alpha));
    flips++;
    let isTold = false;
    for (const [what, answer] of found) {
      if (answer.startsWith('"error')) {
        isTold = true;
        assert.ok(answer.includes(name), `${answer} names ${name}`);
      } else assert.equal(answer, expected.get(what), `${what}, a bit at ${offset} of ${name}`);
    }
    assert.equal(found.get("beta"), expected.get("beta"));
    if (isTold) told++;
  }
  return { flips, told };
}

describe("a flipped bit gives the right answer or an error with its place", { timeout: 3_600_000 }, () => {
  test("in segments", async (context) => {
    for (const name of filesOf(sound.storage, sound.handles.alpha, /^segment-\d+$/)) {
      const { flips, told } = await flipThrough(name);
      context.diagnostic(`${flips} bits, ${told} met by the reads`);
      assert.ok(told > flips / 2);
    }
  });

  test("in manifests", async (context) => {
    for (const name of filesOf(sound.storage, sound.handles.alpha, /^manifest/)) {
      const { flips, told } = await flipThrough(name);
      context.diagnostic(`${flips} bits, ${told} met by the reads`);
      assert.equal(told, flips);
    }
  });

  test("in tombstones", async () => {
    const large = await makeFolder(40_000);
    const [name] = filesOf(large.storage, large.handles.alpha, /\.del$/);
    for (const offset of [0, 4, 5, 8, 900]) {
      await withFlip(large.storage, { name, offset }, async () => {
        const engine = openEngine(large.storage);
        // More than once: what failed to open must not pass for open.
        for (let attempt = 0; attempt < 3; attempt++) {
          await assert.rejects(hitsOf(engine, large.handles.alpha, "almond"), (error: Error) => {
            return errorText(error).includes(name);
          });
          assert.equal((await documentsOf(engine, large.handles.beta)).length, 20);
        }
        await engine.close();
      });
    }
  });

  test("in the journal: it does not open, or lacks no more than the last record", async () => {
    const name = "journal.log";
    const { length } = bytesOf(sound.storage, name);
    const last = await tasksIn(sound);
    for (let offset = 0; offset < length; offset += BYTES_APART) {
      await withFlip(sound.storage, { name, offset }, async () => {
        const before = bytesOf(sound.storage, name);
        try {
          const copy = { ...sound, storage: copyOf(sound.storage) };
          const found = await tasksIn(copy);
          assert.equal(found.total, last.total);
          assert.ok(found.waiting <= 1, "the last record is the end of the last task");
        } catch (error) {
          assert.match(errorText(error as Error), /journal\.log/);
          assert.deepEqual(bytesOf(sound.storage, name), before, "the file stays as it is");
        }
      });
    }
  });
});

async function tasksIn({ storage }: SoundFolder): Promise<{ total: number; waiting: number }> {
  const fixture = await openFixture(storage, { batchTasksMax: 0 });
  const page = { limit: 1000, from: null, reverse: true };
  const { results } = fixture.instance.tasks({}, page, null);
  await closeFixture(fixture);
  return { total: results.length, waiting: results.filter(({ status }) => status === "enqueued").length };
}

describe("writing to a damaged index", () => {
  test("a manifest that lacks what was acknowledged is not continued", async () => {
    const [name] = filesOf(sound.storage, sound.handles.alpha, /^manifest/);
    // In the last record, which looks like a torn one.
    const offset = bytesOf(sound.storage, name).length - 3;
    await withFlip(sound.storage, { name, offset }, async () => {
      const damaged = copyOf(sound.storage);
      const fixture = await openFixture(damaged);
      const uid = await register(fixture, {
        kind: "add",
        index: "alpha",
        method: "replace",
        documents: [{ id: 900 }],
      });
      await register(fixture, { kind: "add", index: "beta", method: "replace", documents: [{ id: 900 }] });
      await fixture.instance.idle();
      const [task, other] = [uid, uid + 1].map((uid) => fixture.instance.task(uid, null));
      assert.equal(task.status, "failed");
      assert.equal(task.error?.code, "invalid_store_file");
      assert.ok(task.error?.message.includes(name));
      assert.equal(other.status, "succeeded");
      await closeFixture(fixture);
      assert.deepEqual(bytesOf(damaged, name), bytesOf(sound.storage, name));
    });
  });

  test("a whole document replaces one that can no longer be read", async () => {
    const { storage, handles } = await makeFolder(DOCUMENTS_MANY);
    const [name] = filesOf(storage, handles.alpha, /^segment-\d+$/);
    await withFlip(storage, { name, offset: 200 }, async () => {
      const fixture = await openFixture(storage);
      const documents = [{ id: 1, title: "new" }];
      const uid = await register(fixture, { kind: "add", index: "alpha", method: "replace", documents });
      await fixture.instance.idle();
      assert.equal(fixture.instance.task(uid, null).status, "succeeded");
      const bytes = await fixture.engine.document(fixture.instance.handle("alpha"), "1", WHOLE);
      assert.deepEqual(JSON.parse(String(Buffer.from(bytes!))), documents[0]);
      await closeFixture(fixture);
    });
  });

  test("a batch that meets damage fails with its place and changes nothing", async () => {
    const { storage, handles } = await makeFolder(DOCUMENTS_MANY);
    const [name] = filesOf(storage, handles.alpha, /^segment-\d+$/);
    // The first block of documents: a partial update of a document in it reads it.
    await withFlip(storage, { name, offset: 200 }, async () => {
      const fixture = await openFixture(storage);
      const before = storage.list(handles.alpha.folder);
      const documents = [{ id: 1, extra: true }];
      const uid = await register(fixture, { kind: "add", index: "alpha", method: "update", documents });
      await fixture.instance.idle();
      const { status, error } = fixture.instance.task(uid, null);
      assert.equal(status, "failed");
      assert.equal(error?.code, "invalid_store_file");
      assert.ok(error?.message.includes(name) && PLACE.test(error.message));
      assert.deepEqual(storage.list(handles.alpha.folder), before);
      // It is only read from then on, whatever a write would touch; the other index takes writes.
      const whole = [{ id: 90_001, title: "almond" }];
      const next = await register(fixture, {
        kind: "add",
        index: "alpha",
        method: "replace",
        documents: whole,
      });
      const other = { kind: "add", index: "beta", method: "replace", documents: whole } as const;
      const elsewhere = await register(fixture, other);
      await fixture.instance.idle();
      const refused = fixture.instance.task(next, null);
      assert.deepEqual([refused.status, refused.error?.code], ["failed", "invalid_store_file"]);
      assert.ok(refused.error?.message.includes(name) && PLACE.test(refused.error.message));
      assert.match(refused.error!.message, /only read/);
      assert.equal(fixture.instance.task(elsewhere, null).status, "succeeded");
      assert.ok(fixture.instance.stats("alpha").damage?.includes(name));
      assert.equal(fixture.instance.stats("beta").damage, null);
      assert.equal((await hitsOf(fixture.engine, handles.alpha, String(DOCUMENTS_MANY - 1))).length, 1);
      assert.deepEqual(storage.list(handles.alpha.folder), before);
      await closeFixture(fixture);
    });
  });

  test("an index that lacks a file is only read from then on, and its stats tell which", async () => {
    const { storage, handles } = await makeFolder(DOCUMENTS);
    const [name] = filesOf(storage, handles.alpha, /^segment-\d+$/);
    storage.remove(name);
    const fixture = await openFixture(storage);
    const lost = {
      code: "invalid_store_file",
      message: new RegExp(`${name}.*expected the file, found no file`),
    };
    await assert.rejects(hitsOf(fixture.engine, handles.alpha, "almond"), lost);
    assert.ok(fixture.instance.stats("alpha").damage?.includes(name));
    const uid = await register(fixture, {
      kind: "add",
      index: "alpha",
      method: "replace",
      documents: [{ id: 1 }],
    });
    await fixture.instance.idle();
    assert.match(String(fixture.instance.task(uid, null).error?.message), /only read/);
    await closeFixture(fixture);
  });

  test("an index whose damage a search met is only read; it can be renamed and deleted", async () => {
    const { storage, handles } = await makeFolder(DOCUMENTS_MANY);
    const [name] = filesOf(storage, handles.alpha, /^segment-\d+$/);
    await withFlip(storage, { name, offset: 200 }, async () => {
      // A copy: the folder of the deleted index is removed.
      const fixture = await openFixture(copyOf(storage));
      await assert.rejects(fixture.engine.document(handles.alpha, "1", WHOLE), {
        code: "invalid_store_file",
      });
      const refused = [
        await register(fixture, { kind: "clear", index: "alpha" }),
        await register(fixture, { kind: "settings", index: "alpha", patch: { stopWords: ["a"] } }),
        (await fixture.instance.register({ type: "indexCompaction", indexUid: "alpha" })).taskUid,
        (
          await fixture.instance.register({
            type: "indexUpdate",
            indexUid: "alpha",
            primaryKey: "key",
            newIndexUid: null,
          })
        ).taskUid,
      ];
      const renamed = await fixture.instance.register({
        type: "indexUpdate",
        indexUid: "alpha",
        primaryKey: null,
        newIndexUid: "gamma",
      });
      await fixture.instance.idle();
      for (const uid of refused) {
        const { type, error } = fixture.instance.task(uid, null);
        assert.equal(error?.code, "invalid_store_file", type);
      }
      assert.equal(fixture.instance.task(renamed.taskUid, null).status, "succeeded");
      assert.ok(fixture.instance.stats("gamma").damage);
      const deleted = await register(fixture, { kind: "drop", index: "gamma" });
      await fixture.instance.idle();
      assert.equal(fixture.instance.task(deleted, null).status, "succeeded");
      assert.equal(fixture.engine.damageOf(handles.alpha.folder), null);
      await closeFixture(fixture);
    });
  });
});

test("damage in one place leaves the others readable", async () => {
  const { storage, handles } = await makeFolder(DOCUMENTS_MANY);
  const [name] = filesOf(storage, handles.alpha, /^segment-\d+$/);
  await withFlip(storage, { name, offset: 200 }, async () => {
    const engine = openEngine(storage);
    const read = async (id: number) => String(await engine.document(handles.alpha, String(id), WHOLE));
    for (let attempt = 0; attempt < 3; attempt++) {
      await assert.rejects(read(1), (error: Error) => errorText(error).includes(name));
      assert.notEqual(await read(DOCUMENTS_MANY - 1), "null");
      assert.equal((await hitsOf(engine, handles.alpha, String(DOCUMENTS_MANY - 1))).length, 1);
    }
    await engine.close();
  });
});

test("a manifest that says otherwise than its segment is damage, and reaches no memory", async () => {
  const { storage, handles } = await makeFolder(DOCUMENTS);
  const { folder } = handles.alpha;
  const log = ManifestLog.open(storage, folder);
  const { segments } = log.state;
  const [first, ...others] = segments;
  const lastDocid = first.lastDocid + 1000;
  for (const change of [{ lastDocid }, { firstDocid: 1, lastDocid }]) {
    const { version } = log.commit({ ...log.state, segments: [{ ...first, ...change }, ...others] });
    const engine = openEngine(storage);
    const read = documentsOf(engine, { ...handles.alpha, version });
    await assert.rejects(read, { code: "invalid_store_file", message: /meta.*in the manifest/ });
    await engine.close();
  }
});

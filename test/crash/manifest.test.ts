// A run of commits with tombstones, removals and new log files, crashed at every step of its trace in every
// way, and with every operation failing in turn. What is found afterwards must be the last acknowledged state
// or the one that was on its way, with all the files it names.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ManifestLog } from "../../src/segment/manifest.ts";
import { segmentName } from "../../src/segment/manifestfiles.ts";
import { readManifest } from "../../src/segment/manifestreader.ts";
import { emptyState, type ManifestState, type SegmentEntry } from "../../src/segment/manifeststate.ts";
import { readTombstones, writeTombstones } from "../../src/segment/tombstones.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { content, write } from "../storage/cases.ts";
import { afterCrash, describe, FATES } from "../storage/disk.ts";
import { FaultyStorage } from "../storage/faulty.ts";

const FOLDER = "indexes/one";
const COMMITS = 14;
const DOCUMENTS = 100_000;

interface Run {
  storage: FaultyStorage;
  /** State of each version as it was meant to be, 0 included. */
  states: ManifestState[];
  /** Steps of the trace when each version was acknowledged. */
  acknowledgedAt: number[];
  error: unknown;
}

/** Runs commits until one fails. Small logs, so that several new files are begun. */
function run(storage: FaultyStorage): Run {
  const result: Run = { storage, states: [emptyState()], acknowledgedAt: [0], error: null };
  try {
    const log = ManifestLog.open(storage, FOLDER, 0);
    storage.makeFolder(FOLDER);
    for (let version = 1; version <= COMMITS; version++) {
      const next = { ...nextState(storage, log.state, version), version };
      result.states.push(next);
      log.commit(next);
      result.acknowledgedAt.push(storage.trace.length);
      if (version % 5 === 0) for (const name of log.obsoleteFiles(0)) storage.remove(`${FOLDER}/${name}`);
    }
    log.close();
  } catch (error) {
    result.error = error;
  }
  return result;
}

/** In turn: a new segment; a few deletions, inline; many, in a file; the oldest segment merged away. */
function nextState(
  storage: Storage,
  { segments, nextSegment, ...rest }: ManifestState,
  version: number,
): ManifestState {
  let changed = [...segments];
  if (version % 4 === 1) {
    const name = segmentName(nextSegment);
    write(storage, `${FOLDER}/${name}`, `content of ${name}`);
    changed.push(newSegment(name, nextSegment));
    nextSegment++;
  } else if (version % 4 === 0) changed = changed.slice(1);
  else {
    const last = changed[changed.length - 1];
    const count = version % 4 === 2 ? 3 : 6000;
    const docids = Array.from({ length: count }, (_, i) => last.firstDocid + ((i * 7) % DOCUMENTS));
    const tombstones = readTombstones(storage, FOLDER, last.tombstones).with(docids);
    changed[changed.length - 1] = {
      ...last,
      tombstones: writeTombstones(storage, FOLDER, last.name, version, tombstones),
    };
  }
  const numberOfDocuments = changed.reduce((sum, segment) => sum + liveIn(segment), 0);
  return { ...rest, segments: changed, nextSegment, numberOfDocuments, primaryKey: `key ${version}` };
}

function newSegment(name: string, number: number): SegmentEntry {
  const firstDocid = number * DOCUMENTS;
  return {
    name,
    documents: DOCUMENTS,
    bytes: `content of ${name}`.length,
    rawDocumentBytes: 0,
    settingsHash: "",
    firstDocid,
    lastDocid: firstDocid + DOCUMENTS - 1,
    tombstones: null,
  };
}

function liveIn({ documents, tombstones }: SegmentEntry): number {
  return documents - (tombstones?.count ?? 0);
}

/** Reopens a crashed storage: one of the allowed states, whole, and able to go on. */
function check(storage: Storage, states: ManifestState[], acknowledged: number): void {
  const seen = readManifest(storage, FOLDER, acknowledged);
  const log = ManifestLog.open(storage, FOLDER, 0);
  const { state } = log;
  assert.deepEqual(seen, state);
  assert.ok(state.version === acknowledged || state.version === acknowledged + 1, `version ${state.version}`);
  assert.deepEqual(state, states[state.version]);
  for (const { name, tombstones } of state.segments) {
    assert.equal(content(storage, `${FOLDER}/${name}`), `content of ${name}`);
    assert.equal(readTombstones(storage, FOLDER, tombstones).count, tombstones?.count ?? 0);
  }
  storage.makeFolder(FOLDER);
  for (const name of log.obsoleteFiles(0)) storage.remove(`${FOLDER}/${name}`);
  const next = log.commit(nextState(storage, state, state.version + 1));
  log.close();
  assert.deepEqual(readManifest(storage, FOLDER, next.version), next);
}

function lastIndex(numbers: number[], most: number): number {
  return numbers.findLastIndex((number) => number <= most);
}

test("a crash at any step leaves the acknowledged state or the next one", () => {
  const { storage, states, acknowledgedAt, error } = run(new FaultyStorage());
  assert.equal(error, null);
  assert.equal(states.length, COMMITS + 1);
  const logs = storage.trace.filter(({ kind }) => kind === "createIfAbsent");
  assert.ok(logs.length > 1, "the run begins new log files");
  assert.ok(
    storage.trace.some(({ name }) => name.endsWith(".del")),
    "the run writes tombstones to files",
  );
  for (let steps = 0; steps <= storage.trace.length; steps++) {
    for (const fate of FATES) {
      const acknowledged = lastIndex(acknowledgedAt, steps);
      try {
        check(afterCrash(storage.trace.slice(0, steps), fate), states, acknowledged);
      } catch (cause) {
        const place = `after step ${steps} (${describe(storage.trace[steps - 1])})`;
        throw new Error(`${place}, ${JSON.stringify(fate)}, version ${acknowledged} acknowledged`, { cause });
      }
    }
  }
});

for (const effect of ["none", "part", "done"] as const) {
  test(`any operation that fails (effect: ${effect}) leaves the acknowledged state or the next one`, () => {
    const clean = run(new FaultyStorage());
    for (let operation = 1; operation <= clean.storage.operations; operation++) {
      const storage = new FaultyStorage();
      storage.failAfter(operation, operation % 2 ? "EIO" : "ENOSPC", effect);
      const { states, acknowledgedAt, error } = run(storage);
      assert.equal(storage.failed.length, 1);
      assert.ok(error, `${storage.failed[0]} failed unnoticed`);
      const acknowledged = acknowledgedAt.length - 1;
      for (const fate of FATES) {
        try {
          check(afterCrash(storage.trace, fate), states, acknowledged);
        } catch (cause) {
          throw new Error(`${storage.failed[0]} (operation ${operation}), ${JSON.stringify(fate)}`, {
            cause,
          });
        }
      }
    }
  });
}

test("when the disk is full the old state holds, and commits work again once there is room", () => {
  for (let count = 1; ; count++) {
    const storage = new FaultyStorage();
    storage.makeFolder(FOLDER);
    const log = ManifestLog.open(storage, FOLDER, 0);
    for (let version = 1; version <= 8; version++) log.commit(emptyState());
    const before = log.state;
    storage.failAfter(count, "ENOSPC", "part");
    const attempt = () => log.commit({ ...emptyState(), primaryKey: "new" });
    try {
      attempt();
    } catch {
      assert.equal(log.state, before);
    }
    if (storage.failed.length === 0) break;
    if (storage.failed[0].startsWith("write")) {
      assert.equal(attempt().version, 9);
      assert.equal(readManifest(storage, FOLDER, 9).primaryKey, "new");
    }
  }
});

// Archives that come from elsewhere: tar files, dumps of every version, snapshots.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { packTar, type TarEntry } from "modern-tar";
import { unpackArchive } from "../../../src/storage/archivereader.ts";
import { FileStorage } from "../../../src/storage/file.ts";
import { MemoryStorage } from "../../../src/storage/memory.ts";
import type { Storage } from "../../../src/storage/storage.ts";
import { importDump } from "../../../src/tasks/dumps/import.ts";
import { closeFixture, openEngine, openFixture } from "../../crash/localfixture.ts";
import type { Random } from "../../crash/random.ts";
import { fill, Place } from "../../tasks/copyfixture.ts";
import { type Input, isAccepted, type Subject, type Target } from "../fuzzing.ts";
import { anyValue, changedBytes, changedText } from "../making.ts";
import { dumpSeeds, snapshotSeed } from "./archiveseeds.ts";

export const archiveTargets: Target[] = [
  { name: "archive", slice: 30, open: archive },
  { name: "dump", slice: 15, open: dump },
  { name: "snapshot", slice: 8, open: snapshot },
];

const IDLE_MS_MAX = 20_000;

type Files = Record<string, string | Uint8Array>;

function archive(): Subject {
  const place = new Place();
  const path = join(place.path, "a.gz");
  return {
    async make(random) {
      const tar = await tarOf({ "a/b.txt": "hello", empty: "", "c/d/e": "x".repeat(700) }, random);
      const changed = random.chance(0.8) ? changedBytes(random, tar) : tar;
      const packed = gzipSync(changed, { level: 1 });
      return random.chance(0.2) ? changedBytes(random, packed) : packed;
    },
    async take(input) {
      writeFileSync(path, input);
      const storage = new MemoryStorage();
      storage.makeFolder("into");
      const taken = await isAccepted(() =>
        unpackArchive(path, storage, "into", { files: 20, bytesMin: 1e5, ratio: 10 }),
      );
      assert.deepEqual([...storage.list(""), ...storage.listFolders("")], ["into"], "nothing leads out");
      return taken;
    },
    close: () => place.remove(),
  };
}

const ODD_NAMES = ["../x", "/etc/x", "a/../../x", "a\\..\\x", `${"d/".repeat(200)}x`, "", "a/b.txt", "."];

/** Names that lead elsewhere and links are among the entries now and then. */
async function tarOf(files: Files, random: Random): Promise<Uint8Array> {
  const entries = Object.entries(files).map(([usual, body]): TarEntry => {
    const name = random.chance(0.05) ? random.of(ODD_NAMES) : usual;
    if (random.chance(0.97)) return { header: { name, size: Buffer.byteLength(body) }, body };
    const type = random.of(["symlink", "link", "directory", "character-device"] as const);
    return { header: { name, size: 0, type, linkname: random.of(["/etc/passwd", "../../x", "a"]) } };
  });
  return packTar(entries);
}

async function dump(): Promise<Subject> {
  const place = new Place();
  const path = join(place.path, "a.dump");
  const seeds = await dumpSeeds();
  return {
    async make(random) {
      const files = { ...random.of(seeds) };
      for (let count = random.between(0, 3); count > 0; count--) {
        const name = random.of(Object.keys(files));
        files[name] = changedLines(random, String(files[name] ?? ""));
      }
      if (random.chance(0.1)) delete files[random.of(Object.keys(files))];
      return gzipSync(await packTar(plainEntries(files)), { level: 1 });
    },
    async take(input) {
      writeFileSync(path, input);
      const storage = new MemoryStorage();
      const engine = openEngine(storage);
      const taken = await isAccepted(() => importDump({ path, storage, engine, passing: storage })).finally(
        () => engine.close(),
      );
      if (taken) await opens(storage);
      return taken;
    },
    close: () => place.remove(),
  };
}

const plainEntries = (files: Files): TarEntry[] =>
  Object.entries(files).map(([name, body]) => ({ header: { name, size: Buffer.byteLength(body) }, body }));

/** Changes the text of a file, or a value in one of its lines. */
function changedLines(random: Random, text: string): string {
  if (random.chance(0.3)) return changedText(random, text);
  const lines = text.split("\n");
  const at = random.between(0, lines.length - 1);
  try {
    const value: unknown = JSON.parse(lines[at]);
    lines[at] = JSON.stringify(withOther(random, value));
  } catch {
    lines[at] = changedText(random, lines[at]);
  }
  return lines.join("\n");
}

const NAMES = ["id", "uid", "type", "status", "details", "V1", "V6", "processed", "teas", "*", "2022-10-07"];

/** The value with another one somewhere inside. */
function withOther(random: Random, value: unknown): unknown {
  if (typeof value !== "object" || value === null || random.chance(0.2)) return anyValue(random, NAMES);
  const [key, inner] = random.of(Object.entries(value).concat([["x", 1]]));
  const other = withOther(random, inner);
  return Array.isArray(value) ? value.with(Number(key) || 0, other) : { ...value, [key]: other };
}

/** What was imported is a database that opens, and whose tasks that waited run to an end. */
async function opens(storage: Storage): Promise<void> {
  const fixture = await openFixture(storage);
  const troubles: Error[] = [];
  fixture.instance.on("trouble", (error) => {
    troubles.push(error);
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("tasks still wait")), IDLE_MS_MAX);
  });
  await Promise.race([fixture.instance.idle(), late]).finally(() => clearTimeout(timer));
  await closeFixture(fixture);
  if (troubles.length > 0) throw troubles[0];
}

async function snapshot(): Promise<Subject> {
  const place = new Place();
  const path = join(place.path, "a.snapshot");
  const files = await snapshotSeed();
  return {
    async make(random) {
      const changed: Files = { ...files };
      const name = random.of(Object.keys(files));
      if (random.chance(0.9)) changed[name] = changedBytes(random, Buffer.from(files[name]));
      else delete changed[name];
      return gzipSync(await packTar(plainEntries(changed)), { level: 0 });
    },
    take: (input) => imported(place, path, input),
    close: () => place.remove(),
  };
}

/** A refusal leaves the folder empty; what is taken opens. */
async function imported(place: Place, path: string, input: Input): Promise<boolean> {
  writeFileSync(path, input);
  const folder = place.folder("data");
  const taken = await isAccepted(() => fill(place, "data", { importSnapshot: path }));
  if (taken) await isAccepted(() => opens(new FileStorage(folder, false)));
  else assert.deepEqual(readdirSync(folder), []);
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  return taken;
}

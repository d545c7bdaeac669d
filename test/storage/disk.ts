// A model of a disk behind a file system that keeps only what was synced: replays the trace of a
// FaultyStorage (faulty.ts) up to a point and gives what a crash there may leave behind, as a storage to
// reopen.
import { MemoryStorage } from "../../src/storage/memory.ts";
import { baseOf, folderOf } from "../../src/storage/storage.ts";

export type Step =
  | {
      kind: "create" | "sync" | "syncFolder" | "remove" | "makeFolder" | "removeFolder";
      name: string;
      inode: number;
    }
  | { kind: "write"; name: string; inode: number; offset: number; bytes: Uint8Array }
  | { kind: "truncate"; name: string; inode: number; size: number }
  | { kind: "rename"; name: string; inode: number; to: string }
  | { kind: "createIfAbsent"; name: string; inode: number; bytes: Uint8Array };

/**
 * What becomes of what was not synced. kept: all is there. lost: none of it. lostData and lostNames: only the
 * contents, or only creations, renames and removals are lost. torn: all is there but the end of the last
 * write; `keep` of its bytes remain (negative: all but so many). scrambled: every 512 bytes of new content
 * are there or not, as `seed` has it.
 */
export type Fate =
  | { kind: "kept" | "lost" | "lostData" | "lostNames" }
  | { kind: "torn"; keep: number }
  | { kind: "scrambled"; seed: number };

export const FATES: Fate[] = [
  { kind: "kept" },
  { kind: "lost" },
  { kind: "lostData" },
  { kind: "lostNames" },
  { kind: "torn", keep: 1 },
  { kind: "torn", keep: 0.5 },
  { kind: "torn", keep: -1 },
  ...[1, 2, 3, 4].map((seed): Fate => ({ kind: "scrambled", seed })),
];

const SECTOR_BYTES = 512;

export function afterCrash(trace: Step[], fate: Fate): MemoryStorage {
  const disk = new Disk();
  trace.forEach((step, i) => {
    disk.apply(fate.kind === "torn" && i === trace.length - 1 ? torn(step, fate.keep) : step);
  });
  return disk.leave(fate);
}

function torn(step: Step, keep: number): Step {
  if (step.kind !== "write") return step;
  const { length } = step.bytes;
  const kept = keep < 0 ? length + keep : keep < 1 ? Math.floor(length * keep) : Math.min(length, keep);
  return { ...step, bytes: step.bytes.subarray(0, kept) };
}

class Disk {
  readonly #contents = new Map<number, { live: Uint8Array; durable: Uint8Array }>();
  readonly #liveNames = new Map<string, number>();
  readonly #durableNames = new Map<string, number>();
  readonly #folders = new Set<string>();
  /** No name is ever used again. */
  readonly #removedFolders = new Set<string>();

  apply(step: Step): void {
    const file = this.#contents.get(step.inode);
    switch (step.kind) {
      case "create":
        if (file) file.live = new Uint8Array(0);
        else this.#contents.set(step.inode, { live: new Uint8Array(0), durable: new Uint8Array(0) });
        this.#liveNames.set(step.name, step.inode);
        break;
      case "write":
        file!.live = overwrite(file!.live, step.offset, step.bytes);
        break;
      case "truncate":
        file!.live = overwrite(file!.live.subarray(0, step.size), step.size, new Uint8Array(0));
        break;
      case "sync":
        file!.durable = file!.live.slice();
        break;
      case "rename":
        this.#liveNames.delete(step.name);
        this.#liveNames.set(step.to, step.inode);
        break;
      case "remove":
        this.#liveNames.delete(step.name);
        break;
      case "createIfAbsent":
        this.#contents.set(step.inode, { live: step.bytes, durable: step.bytes });
        this.#liveNames.set(step.name, step.inode);
        this.#syncNames(folderOf(step.name));
        break;
      case "makeFolder":
        for (let name = step.name; name !== ""; name = folderOf(name)) this.#folders.add(name);
        break;
      case "removeFolder":
        for (const name of this.#liveNames.keys())
          if (name.startsWith(`${step.name}/`)) this.#liveNames.delete(name);
        this.#removedFolders.add(step.name);
        break;
      case "syncFolder":
        this.#syncNames(step.name);
    }
  }

  leave(fate: Fate): MemoryStorage {
    const storage = new MemoryStorage();
    for (const folder of this.#folders) storage.makeFolder(folder);
    const names = fate.kind === "lost" || fate.kind === "lostNames" ? this.#durableNames : this.#liveNames;
    for (const [name, inode] of names) {
      const { live, durable } = this.#contents.get(inode)!;
      const file = storage.create(name);
      if (fate.kind === "lost" || fate.kind === "lostData") file.append(durable);
      else if (fate.kind === "scrambled") file.append(scrambled(live, durable, fate.seed * 7919 + inode));
      else file.append(live);
      file.close();
    }
    return storage;
  }

  #syncNames(folder: string): void {
    for (const name of this.#durableNames.keys()) {
      const isGone = folderOf(name) === folder && !this.#liveNames.has(name);
      // A folder goes with all that is in it, when the one around it is synced.
      const isInGone = this.#removedFolders.has(folderOf(name)) && folderOf(folderOf(name)) === folder;
      if (isGone || isInGone) this.#durableNames.delete(name);
    }
    for (const [name, inode] of this.#liveNames)
      if (folderOf(name) === folder) this.#durableNames.set(name, inode);
  }
}

function overwrite(old: Uint8Array, offset: number, bytes: Uint8Array): Uint8Array {
  const result = new Uint8Array(Math.max(old.length, offset + bytes.length));
  result.set(old);
  result.set(bytes, offset);
  return result;
}

/** New content in some sectors, old content or zeros in the others. */
function scrambled(live: Uint8Array, durable: Uint8Array, seed: number): Uint8Array {
  const result = live.slice();
  let random = seed;
  for (let at = 0; at < live.length; at += SECTOR_BYTES) {
    random = (Math.imul(random, 1103515245) + 12345) >>> 0;
    if (random & 0x10000) continue;
    const end = Math.min(at + SECTOR_BYTES, live.length);
    for (let i = at; i < end; i++) result[i] = i < durable.length ? durable[i] : 0;
  }
  return result;
}

/** For messages: where in a trace something happened. */
export function describe(step: Step | undefined): string {
  return step ? `${step.kind} ${baseOf(step.name)}` : "the start";
}

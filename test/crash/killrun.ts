// The crash test itself: a server under mixed load that is killed at random moments, started again, and
// compared with the model once it is at rest. Run by kill.test.ts (a few kills) and tools/crash.mjs (many).
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkStorage } from "../../src/segment/check.ts";
import { unpackArchive } from "../../src/storage/archivereader.ts";
import { FileStorage } from "../../src/storage/file.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import { checkCatalog } from "../../src/tasks/catalogcheck.ts";
import { Model } from "./model.ts";
import { Random } from "./random.ts";
import { isUnmarked, Requests } from "./requests.ts";
import { pause, Server } from "./server.ts";
import { verifyIndexes, verifyTasks, waitUntilIdle } from "./verification.ts";
import { Workload } from "./workload.ts";

export interface KillRun {
  kills: number;
  seed: number;
  /** It goes on until so many tasks were acknowledged. Default: 0. */
  acknowledgedMin?: number;
  /** Told of each round. */
  onRound?(report: KillReport): void;
}

export interface KillReport {
  kills: number;
  /** Tasks that were acknowledged and found again. */
  acknowledged: number;
  /** All tasks found, those included whose answer the kill swallowed. */
  tasks: number;
}

const FEATURES = { editDocumentsByFunction: true };
const CLIENTS = 3;
const LOAD_MS_MAX = 900;
const START_UP_MS_MAX = 600;
const RECOVERY_MS_MAX = 400;

/** @throws Error, with the seed, for the first thing that the model has otherwise; the folder stays then */
export async function runKills(options: KillRun): Promise<KillReport> {
  const { kills, seed, acknowledgedMin = 0, onRound } = options;
  const folder = mkdtempSync(join(tmpdir(), "tarsier-kill-"));
  const run = new Run(folder, seed);
  try {
    while (run.report.kills < kills || run.report.acknowledged < acknowledgedMin) {
      await run.round(kills);
      onRound?.({ ...run.report });
    }
    await run.finish();
  } catch (cause) {
    throw new Error(`seed ${seed}, after ${run.report.kills} kills, folder ${folder}`, { cause });
  } finally {
    await run.end();
  }
  rmSync(folder, { recursive: true, force: true });
  return run.report;
}

/** Finished dumps and snapshots; the server works in its data folder, and they are beside the data. */
function copiesIn(folder: string): string[] {
  return ["dumps", "snapshots"].flatMap((name) => {
    const inside = join(folder, name);
    const files = existsSync(inside) ? readdirSync(inside) : [];
    return files.filter((file) => /\.(dump|snapshot)$/.test(file)).map((file) => join(inside, file));
  });
}

class Run {
  readonly report: KillReport = { kills: 0, acknowledged: 0, tasks: 0 };
  readonly #folder: string;
  readonly #random: Random;
  readonly #workload: Workload;
  readonly #requests = new Requests();
  readonly #model = new Model();
  #server: Server | null = null;
  #verified = 0;
  #isPrepared = false;
  /** Fulfilled when no write without a mark is under way. */
  #unmarked: Promise<unknown> = Promise.resolve();

  constructor(folder: string, seed: number) {
    this.#folder = folder;
    this.#random = new Random(seed);
    this.#workload = new Workload(this.#random);
  }

  /** Load, one kill or more, and a look at what is left. */
  async round(killsMost: number): Promise<void> {
    const server = await this.#start();
    const stop = { now: false };
    const clients = Array.from({ length: CLIENTS }, () => this.#client(server, stop));
    await pause(this.#random.between(0, LOAD_MS_MAX));
    await this.#kill();
    stop.now = true;
    await Promise.all(clients);
    while (this.report.kills < killsMost && this.#random.chance(0.6)) await this.#killRecovering();
    await this.#verify();
  }

  /** Nothing of the folder is damaged, nor left over, and what dumps and snapshots there are are whole. */
  async finish(): Promise<void> {
    await this.#kill();
    this.report.kills--;
    const storage = new FileStorage(this.#folder);
    const findings = [...checkStorage(storage), ...checkCatalog(storage)];
    if (findings.length > 0) throw new Error(JSON.stringify(findings));
    for (const path of copiesIn(this.#folder)) {
      const unpacked = new MemoryStorage();
      unpacked.makeFolder("into");
      await unpackArchive(path, unpacked, "into");
    }
  }

  async end(): Promise<void> {
    await this.#server?.kill().catch(() => null);
  }

  async #start(): Promise<Server> {
    if (this.#server) return this.#server;
    this.#server = await Server.start(this.#folder);
    await this.#server.ready();
    if (!this.#isPrepared) await this.#server.send("PATCH", "/experimental-features", FEATURES);
    this.#isPrepared = true;
    return this.#server;
  }

  async #kill(): Promise<void> {
    const server = this.#server!;
    this.#server = null;
    await server.kill();
    this.report.kills++;
  }

  /** Kills a server that starts, or that has just begun to work off what waits. */
  async #killRecovering(): Promise<void> {
    if (this.#random.chance(0.5)) {
      this.#server = await Server.start(this.#folder);
      await pause(this.#random.between(0, START_UP_MS_MAX));
    } else {
      await this.#start();
      await pause(this.#random.between(0, RECOVERY_MS_MAX));
    }
    await this.#kill();
  }

  async #client(server: Server, stop: { now: boolean }): Promise<void> {
    while (!stop.now) {
      const write = this.#workload.next();
      const send = () => this.#requests.send(server, write);
      let sent: Promise<boolean>;
      if (isUnmarked(write)) {
        sent = this.#unmarked.then(() => !stop.now && send());
        this.#unmarked = sent;
      } else sent = send();
      if (!(await sent)) return;
    }
  }

  async #verify(): Promise<void> {
    const server = await this.#start();
    await waitUntilIdle(server);
    this.#verified = await verifyTasks(server, this.#requests, this.#model, this.#verified);
    await verifyIndexes(server, this.#model, this.#random);
    this.report.acknowledged = this.#requests.acknowledged;
    this.report.tasks = this.#verified;
  }
}

// The progress of an import, in a small file of the temp folder, so that a second run can continue instead of
// starting over. The name of the file comes from what is imported and where to; its content is valid only for
// the unchanged file, and while the server still has what it was sent (see resumption.ts).
import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { messageOf } from "../errors.ts";
import { renamePatiently } from "../storage/patientrename.ts";
import type { AcceptedTask } from "./server-client.ts";

interface ImportDescription {
  path: string;
  format: string;
  delimiter: string;
  bytes: number;
  modifiedAt: number;
  /** Server, index and the way documents are added. */
  target: string;
}

interface Reached {
  /** Size and time of the imported file: if they differ, the state is void. */
  bytes: number;
  modifiedAt: number;
  sentBytes: number;
  documents: number;
  tasks: number[];
  /** The tasks of the first and the last chunk; null before anything was sent. */
  first: AcceptedTask | null;
  last: AcceptedTask | null;
}

/** Before anything was sent. */
const nothing = () => ({ sentBytes: 0, documents: 0, tasks: [], first: null, last: null });

export class ImportState {
  /** Null: it is not kept. */
  readonly #file: string | null;
  readonly #reached: Reached;
  readonly #tell: (remark: string) => void;
  #isTold = false;

  private constructor(file: string | null, reached: Reached, tell: (remark: string) => void) {
    this.#file = file;
    this.#reached = reached;
    this.#tell = tell;
  }

  /**
   * The state of an interrupted import of the same file to the same place, or a fresh one. `tell`: takes a
   * remark when it cannot be written or removed; the import goes on.
   */
  static open(
    description: ImportDescription,
    tell: (remark: string) => void,
    folder: string = tmpdir(),
  ): ImportState {
    const { path, format, delimiter, target, bytes, modifiedAt } = description;
    const key = createHash("sha256")
      .update(JSON.stringify([resolve(path), format, delimiter, target]))
      .digest("hex");
    const file = join(folder, `tarsier-import-${key.slice(0, 32)}.json`);
    const fresh = { bytes, modifiedAt, ...nothing() };
    const former = readReached(file);
    const holds = former !== null && former.bytes === bytes && former.modifiedAt === modifiedAt;
    return new ImportState(file, holds ? former : fresh, tell);
  }

  /** For what can be read only once. */
  static unkept(): ImportState {
    return new ImportState(null, { bytes: 0, modifiedAt: 0, ...nothing() }, () => {});
  }

  /** Bytes of the lines that were acknowledged. */
  get sentBytes(): number {
    return this.#reached.sentBytes;
  }

  /** Documents that were acknowledged. */
  get documents(): number {
    return this.#reached.documents;
  }

  /** Tasks not known to have ended, oldest first. */
  get tasks(): readonly number[] {
    return this.#reached.tasks;
  }

  /** The tasks of the first and the last acknowledged chunk; null when there is none. */
  get span(): { first: AcceptedTask; last: AcceptedTask } | null {
    const { first, last } = this.#reached;
    return first && last && { first, last };
  }

  acknowledged(bytes: number, documents: number, task: AcceptedTask): void {
    this.#reached.sentBytes += bytes;
    this.#reached.documents += documents;
    this.#reached.tasks.push(task.uid);
    this.#reached.first ??= task;
    this.#reached.last = task;
    this.#write();
  }

  taskEnded(task: number): void {
    this.#reached.tasks = this.#reached.tasks.filter((uid) => uid !== task);
    this.#write();
  }

  /** Forgets everything that was sent: the import starts over. */
  beginAnew(): void {
    Object.assign(this.#reached, nothing());
    this.remove();
  }

  remove(): void {
    if (this.#file === null) return;
    try {
      for (const file of [this.#file, `${this.#file}.new`]) rmSync(file, { force: true });
    } catch (error) {
      this.#tellOnce(`How far the import got cannot be removed (${messageOf(error)})`);
    }
  }

  #write(): void {
    if (this.#file === null) return;
    try {
      writeFileSync(`${this.#file}.new`, JSON.stringify(this.#reached), { mode: 0o600 });
      renamePatiently(`${this.#file}.new`, this.#file);
    } catch (error) {
      const what = `How far the import got cannot be written (${messageOf(error)})`;
      this.#tellOnce(
        `${what}: after an interruption more is sent again; TMPDIR may name a folder where it can`,
      );
    }
  }

  #tellOnce(remark: string): void {
    if (!this.#isTold) this.#tell(remark);
    this.#isTold = true;
  }
}

function readReached(file: string): Reached | null {
  try {
    const content: Partial<Reached> = JSON.parse(readFileSync(file, "utf8"));
    const numbers = [content.bytes, content.modifiedAt, content.sentBytes, content.documents];
    if (!numbers.every(Number.isFinite) || !content.tasks?.every(Number.isInteger)) return null;
    return [content.first, content.last].every(isAcceptedTask) ? (content as Reached) : null;
  } catch {
    return null;
  }
}

/** Files of older versions have none. */
function isAcceptedTask(task: Partial<AcceptedTask> | null | undefined): boolean {
  return Number.isInteger(task?.uid) && typeof task?.enqueuedAt === "string";
}

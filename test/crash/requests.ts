// Writes as requests, and the memory of which were acknowledged: uid by uid, or not known.
import type { Write } from "./model.ts";
import type { Server } from "./server.ts";

/** A task as GET /tasks shows it, as far as the checks look. */
export interface TaskView {
  uid: number;
  type: string;
  status: string;
  customMetadata?: string;
  error: { message: string } | null;
  details: Record<string, unknown> | null;
}

interface Sent {
  write: Write;
  /** Goes with the request where the routes take it; the others are sent one at a time. */
  mark: string;
}

export class Requests {
  readonly #acknowledged = new Map<number, Sent>();
  #unknown: Sent[] = [];
  #sent = 0;

  /** Highest uid that was answered, or -1. */
  newest = -1;

  get acknowledged(): number {
    return this.#acknowledged.size;
  }

  /** Sends a write. False when no answer came. @throws Error when it was refused */
  async send(server: Server, write: Write): Promise<boolean> {
    const sent = { write, mark: `m${this.#sent++}` };
    this.#unknown.push(sent);
    const answer = await request(server, sent).catch(() => null);
    if (!answer) return false;
    const { taskUid } = answer.body as { taskUid: number };
    if (answer.status !== 202) throw new Error(`${write.kind}: ${JSON.stringify(answer)}`);
    if (this.#acknowledged.has(taskUid)) throw new Error(`task ${taskUid} was acknowledged twice`);
    this.#unknown = this.#unknown.filter((other) => other !== sent);
    this.#acknowledged.set(taskUid, sent);
    this.newest = Math.max(this.newest, taskUid);
    return true;
  }

  /** The write behind a task, acknowledged or not. @throws Error for a task that nobody asked for */
  writeOf(task: TaskView): Write {
    const known = this.#acknowledged.get(task.uid);
    const sent = known ?? this.#unknown.find((candidate) => isFrom(task, candidate));
    if (!sent || TYPES[sent.write.kind] !== task.type) {
      throw new Error(`nobody asked for task ${JSON.stringify(task)}`);
    }
    this.#unknown = this.#unknown.filter((other) => other !== sent);
    return sent.write;
  }

  /** Forgets what never was answered: called when the tasks of the time are known. */
  forgetUnknown(): void {
    this.#unknown = [];
  }
}

/** Is this a write without a mark, of which there is one at a time? */
export function isUnmarked({ kind }: Write): boolean {
  return UNMARKED.has(kind);
}

const UNMARKED = new Set<Write["kind"]>(["create", "drop", "swap", "edit", "dump", "snapshot"]);
/** What an edit does, as the model does it. */
const EDIT = { function: "doc.edits = (doc.edits || 0) + 1" };

const TYPES: Record<Write["kind"], string> = {
  add: "documentAdditionOrUpdate",
  addInvalid: "documentAdditionOrUpdate",
  delete: "documentDeletion",
  clear: "documentDeletion",
  settings: "settingsUpdate",
  create: "indexCreation",
  drop: "indexDeletion",
  swap: "indexSwap",
  edit: "documentEdition",
  dump: "dumpCreation",
  snapshot: "snapshotCreation",
};

function isFrom(task: TaskView, { write, mark }: Sent): boolean {
  if (TYPES[write.kind] !== task.type) return false;
  if (write.kind === "settings") {
    return JSON.stringify(task.details?.pagination) === JSON.stringify(write.patch.pagination);
  }
  return isUnmarked(write) || task.customMetadata === mark;
}

function request(server: Server, { write, mark }: Sent) {
  if (write.kind === "swap") return server.send("POST", "/swap-indexes", [{ indexes: write.pair }]);
  if (write.kind === "dump" || write.kind === "snapshot") return server.send("POST", `/${write.kind}s`);
  const index = `/indexes/${write.index}`;
  const documents = `${index}/documents`;
  const metadata = `?customMetadata=${mark}`;
  switch (write.kind) {
    case "add":
      return server.send(write.method === "replace" ? "POST" : "PUT", documents + metadata, write.documents);
    case "addInvalid":
      return server.send("POST", documents + metadata, [{ id: "not an id" }]);
    case "delete":
      return write.ids.length === 1
        ? server.send("DELETE", `${documents}/${write.ids[0]}${metadata}`)
        : server.send("POST", `${documents}/delete-batch${metadata}`, write.ids);
    case "edit":
      return server.send("POST", `${documents}/edit`, EDIT);
    case "clear":
      return server.send("DELETE", documents + metadata);
    case "settings":
      return server.send("PATCH", `${index}/settings`, write.patch);
    case "create":
      return server.send("POST", "/indexes", { uid: write.index, primaryKey: write.primaryKey });
    case "drop":
      return server.send("DELETE", index);
  }
}

// The task `networkTopologyChange`: moves documents to the servers that own them, after the set of servers
// has changed. Each server gives away what is not its own. A document is sent, the new owner is asked until
// it has it, and only then is it deleted here (by an ordinary task): none is lost if a process dies, though
// for a moment both may have it. The task is postponed again and again so that others run.
//
//   index -> pieces of documents -> by owner -> sent -> found there -> deleted here
import { ownerOf } from "../engine/shard.ts";
import { TarsierError } from "../errors.ts";
import type { OutboundClient } from "../outbound/client.ts";
import type { BatchContext, Executor, Postponement } from "../tasks/execution.ts";
import { failed, succeeded } from "../tasks/execution.ts";
import type { InstanceInterface } from "../tasks/instanceinterface.ts";
import { type NetworkTopologyChange, TASK_TYPES } from "../tasks/kinds.ts";
import { Patience } from "../tasks/patience.ts";
import type { Task } from "../tasks/task.ts";
import { idIn } from "./jsonparts.ts";
import { MemberAway, MoveTarget } from "./movetarget.ts";
import { isCurrent } from "./spread.ts";
import { networkOf } from "./topology.ts";

interface MovingParts {
  instance: Pick<InstanceInterface, "value" | "outgoing" | "register" | "handle">;
  outbound: OutboundClient;
}

/** Documents are read and sent in pieces of this size. */
const PIECE_BYTES = 2 ** 20;
/** After this time, other tasks have their turn. */
const TURN_MS_MAX = 500;
const TURN_WAIT_MS = 50;
/** Pause between two checks whether documents have arrived. */
const ARRIVAL_WAIT_MS = 200;
const ADDITION = TASK_TYPES.indexOf("documentAdditionOrUpdate");

/** Documents that were sent. */
interface Sent {
  owner: string;
  ids: string[];
}

/** Progress of a task; a restart starts over with what is left. */
interface Move {
  taskUid: number;
  moved: number;
  /** Folders of the indexes that are done. */
  done: Set<string>;
  /** The current index, with the number of the document to continue with. */
  index: { uid: string; folder: string; from: number | null } | null;
  sent: Sent[];
  patience: Patience;
}

export function movingExecutor(parts: MovingParts): Executor {
  let move: Move | null = null;
  return async (tasks, context) => {
    const task = tasks[tasks.length - 1];
    const { members } = task.kind as NetworkTopologyChange;
    if (!members) return { ends: tasks.map((each) => failed(each, unknownMembers())) };
    // The network has changed again: documents given away now might not come back with the next task.
    if (!isCurrent(parts.instance, members))
      return { ends: tasks.map((each) => succeeded(each, { movedDocuments: 0 })) };
    if (move?.taskUid !== task.uid) move = newMove(task.uid);
    const run = new MoveRun(parts, context, { move, members, task });
    try {
      const postponement = await run.go();
      if (postponement) return postponement;
    } catch (error) {
      if (!(error instanceof MemberAway)) throw error;
      const waitMs = move.patience.waitMs();
      if (waitMs !== null) return { waitMs };
      const message = `documents could not be moved, and stay here: ${error.message}`;
      return { ends: tasks.map((each) => failed(each, new TarsierError("internal", { message }))) };
    }
    const { moved } = move;
    return { ends: tasks.map((each) => succeeded(each, { movedDocuments: each === task ? moved : 0 })) };
  };
}

function newMove(taskUid: number): Move {
  return { taskUid, moved: 0, done: new Set(), index: null, sent: [], patience: new Patience() };
}

const unknownMembers = (): TarsierError =>
  new TarsierError("internal", { message: "the task does not say which servers keep documents" });

class MoveRun {
  readonly #parts: MovingParts;
  readonly #context: BatchContext;
  readonly #move: Move;
  readonly #members: readonly string[];
  readonly #task: Task;
  readonly #self: string;
  readonly #ownerOf: (id: Uint8Array) => string;
  readonly #end = performance.now() + TURN_MS_MAX;

  constructor(
    parts: MovingParts,
    context: BatchContext,
    { move, members, task }: { move: Move; members: readonly string[]; task: Task },
  ) {
    this.#parts = parts;
    this.#context = context;
    this.#move = move;
    this.#members = members;
    this.#task = task;
    this.#self = networkOf(parts.instance).self!;
    this.#ownerOf = ownerOf(members);
  }

  /** Null: everything is done. @throws MemberAway */
  async go(): Promise<Postponement | null> {
    if (this.#hasEarlierAdditions()) return { waitMs: ARRIVAL_WAIT_MS };
    const { catalog } = this.#context.state;
    for (const uid of catalog.uids()) {
      // Noted by folder: a swap may give the uid to other documents.
      const { folder } = catalog.get(uid)!;
      if (this.#move.done.has(folder)) continue;
      const postponement = await this.#moveIndex(uid);
      if (postponement) return postponement;
      this.#move.done.add(folder);
      this.#move.index = null;
    }
    return null;
  }

  /**
   * Whether additions from before the change of the network still wait: they would leave documents behind.
   */
  #hasEarlierAdditions(): boolean {
    const { tasks } = this.#context.state;
    for (const uid of tasks.waiting) {
      if (uid >= this.#task.uid) return false;
      if (tasks.columns.types[tasks.rows.rowOf(uid)] === ADDITION) return true;
    }
    return false;
  }

  async #moveIndex(uid: string): Promise<Postponement | null> {
    const { folder, description } = this.#context.state.catalog.get(uid)!;
    const { primaryKey } = description;
    const move = this.#move;
    if (move.index?.uid !== uid || move.index.folder !== folder) {
      await this.#ensureIndex(uid, primaryKey);
      move.index = { uid, folder, from: 0 };
      move.sent = [];
    }
    this.#report(uid);
    if (primaryKey === null) return null;
    for (;;) {
      if (!(await this.#confirm(uid, primaryKey))) return { waitMs: ARRIVAL_WAIT_MS };
      if (move.index.from === null) return null;
      if (performance.now() > this.#end) return { waitMs: TURN_WAIT_MS };
      move.index.from = await this.#sendPiece(uid, primaryKey, move.index.from);
    }
  }

  async #ensureIndex(uid: string, primaryKey: string | null): Promise<void> {
    const settings = await this.#context.engine.settings(this.#parts.instance.handle(uid));
    for (const name of this.#members)
      if (name !== this.#self) await this.#target(name).ensureIndex(uid, primaryKey, settings);
  }

  /** Returns where the next piece begins; null: there is none. */
  async #sendPiece(uid: string, primaryKey: string, from: number): Promise<number | null> {
    const query = { from, filter: null, bytesMax: PIECE_BYTES };
    const { lines, next } = await this.#context.engine.lines(this.#parts.instance.handle(uid), query);
    const groups = new Map<string, { lines: string[]; ids: string[] }>();
    for (const line of Buffer.from(lines).toString().split("\n")) {
      if (line === "") continue;
      const id = idIn(line, primaryKey);
      const owner = this.#ownerOf(Buffer.from(id));
      if (owner === this.#self) continue;
      const group = groups.get(owner) ?? { lines: [], ids: [] };
      groups.set(owner, group);
      group.lines.push(`${line}\n`);
      group.ids.push(id);
    }
    for (const [owner, group] of groups) {
      await this.#target(owner).send(uid, primaryKey, Buffer.from(group.lines.join("")));
      this.#move.sent.push({ owner, ids: group.ids });
    }
    return next;
  }

  /** Deletes here what has arrived. False: some of it is still on its way. */
  async #confirm(uid: string, primaryKey: string): Promise<boolean> {
    const left: Sent[] = [];
    for (const { owner, ids } of this.#move.sent) {
      const found = await this.#target(owner).found(uid, primaryKey, ids);
      const arrived = ids.filter((id) => found.has(id));
      if (arrived.length > 0) {
        await this.#parts.instance.register({
          type: "documentDeletion",
          indexUid: uid,
          by: "ids",
          ids: arrived,
          customMetadata: `moved to ${owner} by task ${this.#task.uid}`,
        });
        this.#move.moved += arrived.length;
        this.#move.patience.restore();
      }
      const missing = await this.#stillHere(
        uid,
        ids.filter((id) => !found.has(id)),
      );
      if (missing.length > 0) left.push({ owner, ids: missing });
    }
    this.#move.sent = left;
    if (left.length === 0) return true;
    const waitMs = this.#move.patience.waitMs();
    if (waitMs === null) throw new MemberAway(`the remote \`${left[0].owner}\` does not index them`);
    return false;
  }

  /** Documents that were deleted meanwhile, here and there, are not waited for. */
  async #stillHere(uid: string, ids: readonly string[]): Promise<string[]> {
    const handle = this.#parts.instance.handle(uid);
    const parts = { fields: [], retrieveVectors: false };
    const here: string[] = [];
    for (const id of ids)
      if ((await this.#context.engine.document(handle, id, parts)) !== null) here.push(id);
    return here;
  }

  /** @throws MemberAway while older writes wait for the member: moved documents would overtake them */
  #target(name: string): MoveTarget {
    const { instance, outbound } = this.#parts;
    const { remotes } = networkOf(instance);
    if (!Object.hasOwn(remotes, name)) throw new MemberAway(`the remote \`${name}\` is not known any more`);
    if (instance.outgoing().nextFor(name)) throw new MemberAway(`writes wait for the remote \`${name}\``);
    const shard = { self: name, members: this.#members };
    const origin = { remoteName: this.#self, taskUid: this.#task.uid, shard };
    const { signal } = this.#context;
    return new MoveTarget({ outbound, name, remote: remotes[name], origin, signal });
  }

  #report(uid: string): void {
    const { catalog } = this.#context.state;
    const indexes = { finished: this.#move.done.size, total: catalog.uids().length };
    const index = { currentStep: `moving documents of index \`${uid}\``, ...indexes };
    const total = Math.max(catalog.get(uid)!.description.numberOfDocuments, this.#move.moved);
    const documents = { currentStep: "document", finished: this.#move.moved, total };
    this.#context.progress.enter("processing tasks", [index, documents]);
  }
}

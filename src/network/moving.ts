// The task `networkTopologyChange`: moves documents to the servers that own them, after the set of servers
// has changed. Each server gives away what is not its own. A document is sent, the new owner is asked until
// it has it, and only then is it deleted here (by an ordinary task): none is lost if a process dies, though
// for a moment both may have it. The task is postponed again and again so that others run.
//
// A document that is read here before a write has reached it, and arrives where that write has been, would
// undo the write. So all members are asked first. From then on they hold new writes (tasks/heldwrites.ts),
// and they refuse as long as they see other members, or older writes are not sent and done everywhere.
//
//   members: sent? done? -> index -> pieces of documents -> by owner -> sent -> found there -> deleted here
import { areSameMembers, ownerOf } from "../engine/shard.ts";
import { TarsierError } from "../errors.ts";
import type { OutboundClient } from "../outbound/client.ts";
import type { Settings } from "../schemas/settings.ts";
import type { BatchContext, BatchEffects, Executor, Postponement } from "../tasks/execution.ts";
import { failed, succeeded } from "../tasks/execution.ts";
import type { InstanceInterface } from "../tasks/instanceinterface.ts";
import type { NetworkTopologyChange } from "../tasks/kinds.ts";
import { Patience } from "../tasks/patience.ts";
import type { Task } from "../tasks/task.ts";
import { idIn } from "./jsonparts.ts";
import { MemberAway, MoveTarget } from "./movetarget.ts";
import { hasFormerFor } from "./sharedwrites.ts";
import { isCurrent } from "./spread.ts";
import { standstillOf } from "./standstill.ts";
import { networkOf } from "./topology.ts";

interface MovingParts {
  instance: Pick<InstanceInterface, "value" | "outgoing" | "held" | "register" | "handle" | "hold">;
  outbound: OutboundClient;
}

/** Documents are read and sent in pieces of this size. */
const PIECE_BYTES = 2 ** 20;
/** After this time, other tasks have their turn. */
const TURN_MS_MAX = 500;
const TURN_WAIT_MS = 50;
/** Pause between two checks whether documents have arrived. */
const ARRIVAL_WAIT_MS = 200;
/** Longest pause until a member that is away, or was not ready, is asked again: writes wait for it. */
const MEMBER_WAIT_MS_MAX = 2_000;
/** After this time, doubled each time, what has not arrived is sent again. */
const LATE_MS = 10_000;

/** Documents that were sent. */
interface Sent {
  owner: string;
  ids: string[];
}

/** Progress of a task; a restart starts over with what is left. */
interface Move {
  taskUid: number;
  members: readonly string[];
  moved: number;
  /** Whether all writes from before the change of the network are done everywhere. */
  isReady: boolean;
  /** Whether that was ever so. */
  hasBegun: boolean;
  /** Folders of the indexes that are done. */
  done: Set<string>;
  /** The current index, with the number of the document to continue with. */
  index: { uid: string; folder: string; from: number | null } | null;
  sent: Sent[];
  /** Since when documents that were sent have not arrived, by performance.now(). */
  lateSince: number | null;
  /** How often the current index was begun again because of them. */
  repetitions: number;
  patience: Patience;
}

export function movingExecutor(parts: MovingParts): Executor {
  let move: Move | null = null;
  return async (tasks, context) => {
    const task = tasks[tasks.length - 1];
    const { members } = task.kind as NetworkTopologyChange;
    if (!members) return { ends: tasks.map((each) => failed(each, unknownMembers())) };
    // The network has changed again: documents given away now might not come back with the next task.
    if (!isCurrent(parts.instance, members)) return ended(tasks, isBegun(move, tasks) ? move.moved : 0);
    if (!isBegun(move, tasks) || !areSameMembers(move.members, members)) move = newMove(task.uid, members);
    const run = new MoveRun(parts, context, move);
    const standstill = standstillOf(parts.instance);
    try {
      const postponement = await run.go();
      if (move.patience.stalledMs === 0) standstill.noteMove();
      if (postponement) return postponement;
    } catch (error) {
      if (!(error instanceof MemberAway)) throw error;
      move.isReady = false;
      const waitMs = move.patience.waitMs();
      if (waitMs !== null) return { waitMs };
      const message = `documents could not be moved, and stay here: ${error.message}`;
      return { ends: tasks.map((each) => failed(each, new TarsierError("internal", { message }))) };
    }
    const { moved } = move;
    if (move.taskUid !== task.uid) {
      // What came meanwhile from a server that sees other members may lie where this pass has been.
      move = { ...newMove(task.uid, members), moved };
      return { waitMs: TURN_WAIT_MS };
    }
    return ended(tasks, moved);
  };
}

/** The last task tells what all have moved. */
function ended(tasks: readonly Task[], movedDocuments: number): BatchEffects {
  const last = tasks.length - 1;
  return {
    ends: tasks.map((each, i) => succeeded(each, { movedDocuments: i === last ? movedDocuments : 0 })),
  };
}

/** Whether the pass belongs to one of the tasks: a newer one need not start from the beginning. */
function isBegun(move: Move | null, tasks: readonly Task[]): move is Move {
  return move !== null && tasks.some(({ uid }) => uid === move.taskUid);
}

function newMove(taskUid: number, members: readonly string[]): Move {
  const done = new Set<string>();
  const patience = new Patience({ waitMsMax: MEMBER_WAIT_MS_MAX });
  const late = { lateSince: null, repetitions: 0 };
  return {
    taskUid,
    members,
    moved: 0,
    isReady: false,
    hasBegun: false,
    done,
    index: null,
    sent: [],
    ...late,
    patience,
  };
}

const unknownMembers = (): TarsierError =>
  new TarsierError("internal", { message: "the task does not say which servers keep documents" });

class MoveRun {
  readonly #parts: MovingParts;
  readonly #context: BatchContext;
  readonly #move: Move;
  readonly #members: readonly string[];
  readonly #self: string;
  readonly #ownerOf: (id: Uint8Array) => string;
  readonly #end = performance.now() + TURN_MS_MAX;

  constructor(parts: MovingParts, context: BatchContext, move: Move) {
    this.#parts = parts;
    this.#context = context;
    this.#move = move;
    this.#members = move.members;
    this.#self = networkOf(parts.instance).self!;
    this.#ownerOf = ownerOf(move.members);
  }

  /** Null: everything is done. @throws MemberAway */
  async go(): Promise<Postponement | null> {
    const { catalog } = this.#context.state;
    if (!(await this.#isReady())) return { waitMs: TURN_WAIT_MS };
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

  async #moveIndex(uid: string): Promise<Postponement | null> {
    const { folder, description } = this.#context.state.catalog.get(uid)!;
    const { primaryKey } = description;
    const move = this.#move;
    if (move.index?.uid !== uid || move.index.folder !== folder) {
      await this.#ensureIndex(uid, primaryKey);
      await this.#alignSettings(uid);
      move.index = { uid, folder, from: 0 };
      move.sent = [];
    }
    this.#report(uid);
    if (primaryKey === null) return null;
    for (;;) {
      if (!(await this.#confirm(uid, primaryKey))) return { waitMs: ARRIVAL_WAIT_MS };
      if (move.index.from === null) return null;
      if (performance.now() > this.#end) return { waitMs: TURN_WAIT_MS };
      // All members again, not only the next owners: where one is away or sees other members by now, the
      // others stop waiting, and a piece that is sent then could undo a write that runs.
      await this.#ensureIndex(uid, primaryKey);
      move.index.from = await this.#sendPiece(uid, primaryKey, move.index.from);
    }
  }

  /**
   * Whether all writes from before the change of the network are done, here and everywhere. Each member is
   * asked twice: once all have sent theirs, none has more to do than it knows of.
   * @throws MemberAway
   */
  async #isReady(): Promise<boolean> {
    const { held, catalog } = this.#context.state;
    await this.#parts.instance.hold(this.#members);
    if (held.hasFormer()) return false;
    const [uid] = catalog.uids();
    if (uid === undefined || this.#move.isReady) return true;
    // Also those that writes wait for: a server that leaves is refused its writes until it has asked.
    await Promise.all(this.#others().map(async (name) => this.#member(name).ask(uid, "delivery")));
    if (held.hasFormer()) return false;
    await Promise.all(this.#others().map(async (name) => this.#target(name).ask(uid, "ready")));
    this.#move.isReady = true;
    const standstill = standstillOf(this.#parts.instance);
    if (!this.#move.hasBegun) standstill.noteMove();
    this.#move.hasBegun = true;
    standstill.isStuck = false;
    return true;
  }

  /** @throws MemberAway */
  async #ensureIndex(uid: string, primaryKey: string | null): Promise<void> {
    for (const name of this.#others())
      await this.#target(name).ensureIndex(uid, primaryKey, () => this.#settings(uid));
  }

  /** A write that came to a member before the index did has made one there, without the settings. */
  async #alignSettings(uid: string): Promise<void> {
    // A server that has left the network has no say any more.
    if (!this.#members.includes(this.#self)) return;
    const settings = await this.#settings(uid);
    for (const name of this.#others()) await this.#target(name).alignSettings(uid, settings);
  }

  #settings(uid: string): Promise<Settings> {
    return this.#context.engine.settings(this.#parts.instance.handle(uid));
  }

  #others(): string[] {
    return this.#members.filter((name) => name !== this.#self);
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
          isMove: true,
          customMetadata: `moved to ${owner} by task ${this.#move.taskUid}`,
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
    if (left.length === 0) {
      this.#move.lateSince = null;
      return true;
    }
    this.#sendLateAgain();
    const waitMs = this.#move.patience.waitMs();
    if (waitMs === null) throw new MemberAway(`the remote \`${left[0].owner}\` does not index them`);
    return false;
  }

  /**
   * The new owner may have had documents and given them up: for a write by a server that took another one for
   * the owner.
   */
  #sendLateAgain(): void {
    const move = this.#move;
    move.lateSince ??= performance.now();
    if (performance.now() - move.lateSince < LATE_MS * 2 ** move.repetitions) return;
    move.lateSince = null;
    move.repetitions++;
    move.sent = [];
    move.index!.from = 0;
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

  /**
   * @throws MemberAway while older writes wait for the member: moved documents would overtake them
   */
  #target(name: string): MoveTarget {
    if (hasFormerFor(this.#parts.instance, [name]))
      throw new MemberAway(`writes wait for the remote \`${name}\``);
    return this.#member(name);
  }

  /** @throws MemberAway */
  #member(name: string): MoveTarget {
    const { instance, outbound } = this.#parts;
    const { remotes } = networkOf(instance);
    if (!Object.hasOwn(remotes, name)) throw new MemberAway(`the remote \`${name}\` is not known any more`);
    const shard = { self: name, members: this.#members };
    const origin = { remoteName: this.#self, taskUid: this.#move.taskUid, shard };
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

// Writes that wait because documents move between the servers that share them: a document that is read there
// before a write, and arrives here after it, would undo the write. Held are the writes of servers that know
// the present members; those from before a change of the network run, and so do the moves themselves. Part
// of the state; src/network decides when writes are held.
import { codesOf, WRITE_CODES } from "./kinds.ts";
import type { TaskTable } from "./tasktable.ts";

/** Where the journal keeps the members whose writes are held. */
export const HOLD = { kind: "network", key: "hold" } as const;

const MOVES = codesOf(["networkTopologyChange"]);

/** What is known of a waiting write. */
interface Mark {
  /** Among whom its documents are spread, as one text; null: it runs in any case. */
  sharers: string | null;
  isMove: boolean;
  /** The other server that sent it. */
  origin: string | null;
}

export class HeldWrites {
  readonly #tasks: TaskTable;
  readonly #value: () => unknown;
  readonly #marks = new Map<number, Mark>();
  /** Server -> its last write that runs in any case: those before it run, too, as they did there. */
  readonly #passed = new Map<string, number>();
  #markedUid = -1;
  #isEnabled = false;
  #since = performance.now();
  #text: { members: readonly string[]; text: string } | null = null;

  /** `value`: the members that the journal holds. */
  constructor(tasks: TaskTable, value: () => unknown) {
    this.#tasks = tasks;
    this.#value = value;
  }

  /** From now on writes are held. */
  enable(): void {
    this.#isEnabled = true;
  }

  /** The members whose writes are held, sorted; null: none is held. */
  get members(): readonly string[] | null {
    const members = this.#isEnabled ? this.#value() : undefined;
    return (members as readonly string[] | undefined) ?? null;
  }

  /** Since when writes of these members are held, by performance.now(). */
  get since(): number {
    return this.#since;
  }

  /** Call it when these members' writes are about to be held. */
  begin(members: readonly string[]): void {
    if (this.#text?.text !== textOf(members)) this.#since = performance.now();
    this.#text = { members, text: textOf(members) };
  }

  /** Whether this task is held. */
  has(uid: number): boolean {
    const { members } = this;
    if (members === null || !this.#tasks.waiting.has(uid)) return false;
    this.#markNew();
    const mark = this.#marks.get(uid);
    if (mark === undefined || mark.sharers !== this.#textOf(members)) return false;
    return mark.origin === null || uid > (this.#passed.get(mark.origin) ?? -1);
  }

  isAny(): boolean {
    return this.members !== null && this.#some((uid) => this.has(uid));
  }

  /** Whether a write waits that is to run before documents move. */
  hasFormer(): boolean {
    this.#markNew();
    return this.#some((uid) => this.#marks.get(uid)?.isMove === false && !this.has(uid));
  }

  /** Whether documents are still to move from here. */
  areMovesWaiting(): boolean {
    const { rows, columns } = this.#tasks;
    return this.#some((uid) => MOVES.has(columns.types[rows.rowOf(uid)]));
  }

  /** Made once for a hold: a list of tasks asks for each of them. */
  #textOf(members: readonly string[]): string {
    if (this.#text?.members !== members) this.#text = { members, text: textOf(members) };
    return this.#text.text;
  }

  #some(test: (uid: number) => boolean): boolean {
    for (const uid of this.#tasks.waiting) if (test(uid)) return true;
    return false;
  }

  /** Reads the writes that have come since the last time. */
  #markNew(): void {
    const { rows, columns, waiting, size } = this.#tasks;
    for (let row = rows.firstRowFrom(this.#markedUid + 1); row < size; row++) {
      const uid = columns.uids[row];
      this.#markedUid = uid;
      if (!WRITE_CODES.has(columns.types[row]) || !waiting.has(uid)) continue;
      const { sharers, isMove = false, network } = this.#tasks.brief(uid)!;
      const origin = network && "origin" in network ? network.origin.remoteName : null;
      this.#marks.set(uid, { sharers: sharers ? textOf(sharers) : null, isMove, origin });
      if (origin !== null && !sharers && !isMove) this.#passed.set(origin, uid);
    }
    if (this.#marks.size <= 2 * waiting.size) return;
    for (const uid of this.#marks.keys()) if (!waiting.has(uid)) this.#marks.delete(uid);
  }
}

/** A name may hold any character but the one between them. */
const textOf = (members: readonly string[]): string => members.join("\0");

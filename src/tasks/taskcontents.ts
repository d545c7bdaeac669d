// What tasks hold besides their columns: bodies, outcomes and small payloads, packed. Short ones lie in two
// arenas: `lasting` for what stays for good, `passing` for what goes when its task ends, that is payloads,
// and bodies that are long until then (lists of ids, settings). Long ones are "placed": they stay in a record
// of the journal and are read from there on demand. Changing a task never reads them. Part of the table of
// tasks (tasktable.ts).
//
//   bodies, inlines | reference into an arena; 0: none, or placed
//   outcomes        | reference into `lasting`; 0: none
//   places          | place in the journal of the record with what is placed
//   bodyBytes       | of a placed body, about, once its task ended; 0: it is not placed
//   inlineBytes     | of a placed payload; 0: it is not placed
import { isDamage } from "../storage/failure.ts";
import { ByteArena } from "./arena.ts";
import { BriefBodies } from "./briefbodies.ts";
import { pack, unpack } from "./codec.ts";
import { withoutBulk } from "./kinds.ts";
import { KEPT_BYTES_MAX, type RecordSource } from "./recordsource.ts";
import type { Rows } from "./rows.ts";
import type { Outcome, TaskBody, TaskNetwork, TaskRecord } from "./task.ts";
import {
  changesSettings,
  hasBulk,
  holdsNames,
  isWaiting,
  type TASK_COLUMNS,
  type TaskColumns,
} from "./taskcolumns.ts";
import { joined, ToldNetworks } from "./toldnetworks.ts";

/** The packed parts of a task, as a record of the journal has them. */
export type PackedContent = Pick<TaskRecord, "body" | "outcome" | "inline">;

/** Place of a task in the rewritten journal, and which of its parts are placed there. */
export interface NewPlace {
  place: number;
  isEnded: boolean;
  bodyBytes: number;
  /** The body, if it has become short. */
  body: Uint8Array | null;
}

export class TaskContents {
  readonly #rows: Rows<typeof TASK_COLUMNS>;
  /** Null: everything is kept in memory. */
  readonly #source: RecordSource | null;
  readonly #told = new ToldNetworks();
  readonly #briefs = new BriefBodies();
  #lasting = new ByteArena();
  #passing = new ByteArena();
  #placedBytes = 0;

  constructor(rows: Rows<typeof TASK_COLUMNS>, source: RecordSource | null) {
    this.#rows = rows;
    this.#source = source;
  }

  /** Roughly the bytes that a journal needs for all of it. */
  get bytes(): number {
    return this.#placedBytes + usedBytes(this.#lasting) + usedBytes(this.#passing);
  }

  /** Bytes that the arenas hold, and how many of them are garbage. For tests. */
  get arenas(): Record<"lasting" | "passing", Readonly<Pick<ByteArena, "length" | "garbage">>> {
    return { lasting: this.#lasting, passing: this.#passing };
  }

  /**
   * Adds the content of a new row whose other columns are set. `place`: its record in the journal; 0: none.
   */
  add(row: number, { body, outcome, inline }: PackedContent, place: number): void {
    const { columns } = this.#rows;
    const mayBePlaced = this.#source !== null && place > 0;
    const placedLength = (part: Uint8Array | null) =>
      mayBePlaced && part !== null && part.length > KEPT_BYTES_MAX ? part.length : 0;
    // A body that a swap may rewrite is kept in memory.
    const bodyBytes = holdsNames(columns, row) ? 0 : placedLength(body);
    const inlineBytes = placedLength(inline);
    columns.bodies[row] = bodyBytes > 0 ? 0 : this.#bodyArena(row).add(body);
    columns.inlines[row] = inline === null || inlineBytes > 0 ? 0 : this.#passing.add(inline);
    columns.outcomes[row] = outcome ? this.#lasting.add(outcome) : 0;
    columns.places[row] = place;
    columns.bodyBytes[row] = 0;
    columns.inlineBytes[row] = 0;
    this.#setPlaced(row, bodyBytes, inlineBytes);
  }

  body(row: number): TaskBody {
    const { uids, bodies, bodyBytes } = this.#rows.columns;
    if (bodyBytes[row] > 0) return this.#placedBody(row);
    return this.#told.in(uids[row], unpack<TaskBody>(this.#bodyArena(row).read(bodies[row])));
  }

  /** The same without its bulk, for views of the task. */
  brief(row: number): TaskBody {
    const { columns } = this.#rows;
    const [uid, bytes] = [columns.uids[row], columns.bodyBytes[row]];
    const known = bytes > 0 && this.#briefs.get(uid);
    if (known) return known;
    const brief = withoutBulkOf(this.body(row), hasBulk(columns, row));
    if (bytes > 0) this.#briefs.set(uid, brief, bytes);
    return brief;
  }

  /** Remembers the body, so that the first `brief` of a new task need not read it. */
  keepBrief(row: number, body: TaskBody): void {
    const { columns } = this.#rows;
    const bytes = columns.bodyBytes[row];
    if (bytes > 0) this.#briefs.set(columns.uids[row], withoutBulkOf(body, hasBulk(columns, row)), bytes);
  }

  outcome(row: number): Outcome | null {
    const packed = this.#lasting.readIfAny(this.#rows.columns.outcomes[row]);
    return packed && unpack<Outcome>(packed);
  }

  /** A copy of the small payload of a waiting task; null when it has none. */
  inline(row: number): Uint8Array | null {
    const { uids, inlines, places, inlineBytes } = this.#rows.columns;
    if (inlineBytes[row] > 0) return this.#source!.task(places[row], uids[row]).inline;
    return this.#passing.readIfAny(inlines[row])?.slice() ?? null;
  }

  /** The task ends. `status`: place in TASK_STATUSES. */
  end(row: number, status: number, outcome: Uint8Array | null): void {
    const { columns } = this.#rows;
    const short = this.#shortBody(row);
    if (short) this.#forgetBody(row);
    columns.statuses[row] = status;
    this.#lasting.forget(columns.outcomes[row]);
    columns.outcomes[row] = outcome ? this.#lasting.add(outcome) : 0;
    this.#passing.forget(columns.inlines[row]);
    columns.inlines[row] = 0;
    if (short) columns.bodies[row] = this.#bodyArena(row).add(short);
    this.#setPlaced(row, short ? 0 : this.#bytesLeft(row), 0);
  }

  /** Sets the outcomes of the task on all other servers. */
  setNetwork(row: number, network: TaskNetwork): void {
    const { uids, bodyBytes } = this.#rows.columns;
    this.#briefs.delete(uids[row]);
    if (bodyBytes[row] > 0) this.#told.set(uids[row], network);
    else this.rewrite(row, (body) => ({ ...body, network }));
  }

  /** Adds outcomes of the task on some servers. */
  addNetwork(row: number, network: TaskNetwork): void {
    const { uids, bodyBytes } = this.#rows.columns;
    this.#briefs.delete(uids[row]);
    if (bodyBytes[row] > 0) this.#told.add(uids[row], network);
    else this.rewrite(row, (body) => ({ ...body, network: joined(body.network, network) }));
  }

  /** Only for bodies that are not placed. */
  rewrite(row: number, change: (body: TaskBody) => TaskBody): void {
    const packed = pack(change(this.body(row)));
    this.#forgetBody(row);
    this.#rows.columns.bodies[row] = this.#bodyArena(row).add(packed);
  }

  /** Forgets the content of a row that is about to be removed. */
  remove(row: number): void {
    const { inlines, outcomes } = this.#rows.columns;
    this.#forgetBody(row);
    this.#passing.forget(inlines[row]);
    this.#lasting.forget(outcomes[row]);
    this.#setPlaced(row, 0, 0);
  }

  /** Roughly the memory that placed parts take while the task runs. */
  memoryBytes(row: number): number {
    const { bodyBytes, inlineBytes } = this.#rows.columns;
    return bodyBytes[row] * UNPACKED_FACTOR + inlineBytes[row];
  }

  isPlaced(row: number): boolean {
    return isPlaced(this.#rows.columns, row);
  }

  /** The journal was rewritten. `places`: the tasks that have a placed part in the new file. */
  move(places: ReadonlyMap<number, NewPlace>): void {
    const { columns, length } = this.#rows;
    for (let row = 0; row < length; row++) {
      if (!this.isPlaced(row)) continue;
      const found = places.get(columns.uids[row]);
      if (!found) throw new Error(`the new journal lacks task ${columns.uids[row]}`);
      columns.places[row] = found.place;
      // A task that ended after its record was written there is still read from the whole body.
      if (!found.isEnded || columns.bodyBytes[row] === 0) continue;
      if (found.body) columns.bodies[row] = this.#bodyArena(row).add(found.body);
      this.#setPlaced(row, found.body ? 0 : found.bodyBytes, columns.inlineBytes[row]);
    }
  }

  /**
   * Returns a function that packs the content of a copy of the rows as it is now, even if the table has
   * changed by then. `outlineAt`: the body of an ended task whose own is damaged on disk.
   */
  packer(columns: TaskColumns, outlineAt: (row: number) => TaskBody): (row: number) => PackedContent {
    const then = { columns, lasting: this.#lasting, passing: this.#passing, told: this.#told.copy() };
    const generation = this.#source?.generation;
    return (row) => {
      try {
        if (!isPlaced(columns, row) || this.#source!.generation === generation)
          return this.#packed(row, then);
        // If the journal was rewritten since, the record is at another place.
        const moved = this.#rows.rowOf(columns.uids[row]);
        if (moved < 0) throw new Error(`task ${columns.uids[row]} is gone`);
        const { columns: live } = this.#rows;
        const now = { columns: live, lasting: this.#lasting, passing: this.#passing, told: this.#told };
        return this.#packed(moved, now);
      } catch (error) {
        if (!isDamage(error) || isWaiting(columns, row)) throw error;
        const outcome = then.lasting.readIfAny(columns.outcomes[row]);
        return { body: pack(outlineAt(row)), outcome, inline: null };
      }
    };
  }

  /** Copies what is still needed out of any arena that is mostly garbage. `waiting`: uids. */
  collectGarbage(waiting: Iterable<number>): void {
    const { columns, length } = this.#rows;
    const { bodies, outcomes, inlines } = columns;
    if (this.#lasting.isMostlyGarbage) {
      const kept = new ByteArena();
      for (let row = 0; row < length; row++) {
        if (!isBulky(columns, row)) bodies[row] = kept.copyOf(this.#lasting, bodies[row]);
        outcomes[row] = kept.copyOf(this.#lasting, outcomes[row]);
      }
      this.#lasting = kept;
    }
    if (this.#passing.isMostlyGarbage) {
      const kept = new ByteArena();
      for (const uid of waiting) {
        const row = this.#rows.rowOf(uid);
        if (isBulky(columns, row)) bodies[row] = kept.copyOf(this.#passing, bodies[row]);
        inlines[row] = kept.copyOf(this.#passing, inlines[row]);
      }
      this.#passing = kept;
    }
  }

  #packed(row: number, { columns, lasting, passing, told }: Contents): PackedContent {
    const { uids, bodies, inlines, outcomes, places, bodyBytes, inlineBytes } = columns;
    const record = isPlaced(columns, row) ? this.#source!.task(places[row], uids[row]) : null;
    const arena = isBulky(columns, row) ? passing : lasting;
    const packed = bodyBytes[row] > 0 ? record!.body : arena.read(bodies[row]);
    const isLonger = bodyBytes[row] > 0 && isBrief(columns, row) && record!.status === "enqueued";
    const isSame = !isLonger && !told.has(uids[row]);
    const body = () => told.in(uids[row], withoutBulkOf(unpack<TaskBody>(packed), isLonger));
    return {
      body: isSame ? packed : pack(body()),
      outcome: lasting.readIfAny(outcomes[row]),
      inline: inlineBytes[row] > 0 ? record!.inline : passing.readIfAny(inlines[row]),
    };
  }

  #placedBody(row: number): TaskBody {
    const { columns } = this.#rows;
    const { body } = this.#source!.task(columns.places[row], columns.uids[row]);
    return this.#told.in(columns.uids[row], withoutBulkOf(unpack<TaskBody>(body), isBrief(columns, row)));
  }

  /** The body of the task after its end, if it differs and can be made without reading the journal. */
  #shortBody(row: number): Uint8Array | null {
    const { columns } = this.#rows;
    if (!hasBulk(columns, row)) return null;
    if (columns.bodyBytes[row] === 0) return pack(this.brief(row));
    // The body of a settings task is as long as the settings that it shows.
    const known = changesSettings(columns, row) ? null : this.#briefs.get(columns.uids[row]);
    const packed = known && pack(known);
    return packed && packed.length <= KEPT_BYTES_MAX ? packed : null;
  }

  /**
   * Estimated bytes of a placed body after its end. Rather too low, so that the journal is not rewritten
   * twice in vain.
   */
  #bytesLeft(row: number): number {
    const { columns } = this.#rows;
    const bytes = columns.bodyBytes[row];
    if (changesSettings(columns, row)) return Math.ceil(bytes / 2);
    return hasBulk(columns, row) ? Math.min(bytes, KEPT_BYTES_MAX) : bytes;
  }

  #forgetBody(row: number): void {
    const { bodies, uids } = this.#rows.columns;
    this.#briefs.delete(uids[row]);
    this.#told.delete(uids[row]);
    this.#bodyArena(row).forget(bodies[row]);
    bodies[row] = 0;
  }

  #bodyArena(row: number): ByteArena {
    return isBulky(this.#rows.columns, row) ? this.#passing : this.#lasting;
  }

  #setPlaced(row: number, body: number, inline: number): void {
    const { bodyBytes, inlineBytes } = this.#rows.columns;
    this.#placedBytes += body + inline - bodyBytes[row] - inlineBytes[row];
    bodyBytes[row] = body;
    inlineBytes[row] = inline;
  }
}

/** A consistent view of everything at one moment. */
interface Contents {
  columns: TaskColumns;
  lasting: ByteArena;
  passing: ByteArena;
  told: ToldNetworks;
}

const isPlaced = ({ bodyBytes, inlineBytes }: TaskColumns, row: number): boolean =>
  bodyBytes[row] + inlineBytes[row] > 0;

/** Whether the task waits and its body will become shorter. */
const isBulky = (columns: TaskColumns, row: number): boolean =>
  hasBulk(columns, row) && isWaiting(columns, row);

/** Whether the task has ended and its body has become shorter. */
const isBrief = (columns: TaskColumns, row: number): boolean =>
  hasBulk(columns, row) && !isWaiting(columns, row);

function withoutBulkOf(body: TaskBody, hasAny: boolean): TaskBody {
  return hasAny ? { ...body, kind: withoutBulk(body.kind) } : body;
}

const usedBytes = ({ length, garbage }: ByteArena): number => length - garbage;

/** How many times as much memory an unpacked body takes. */
const UNPACKED_FACTOR = 5;

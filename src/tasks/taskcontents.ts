// What tasks hold beside their columns: bodies, outcomes and small payloads, packed. Short ones lie in two
// arenas: `lasting`, for what stays for good, or `passing`, for what goes when its task ends: payloads, and
// bodies that are long until then (lists of ids, settings). Long ones are not kept: they stand in a record of
// the journal and are read again from there. Part of the table of tasks (tasktable.ts).
//
//   bodies, inlines | reference into an arena; 0: none; ON_DISK: in the record at `places`
//   outcomes        | reference into `lasting`; 0: none
//   places          | place of that record in the journal; 0: nothing of the task is on disk alone
//   placedBytes     | what of it a journal needs, about
import { ByteArena } from "./arena.ts";
import { BriefBodies } from "./briefbodies.ts";
import { pack, unpack } from "./codec.ts";
import { withoutBulk } from "./kinds.ts";
import { KEPT_BYTES_MAX, ON_DISK, type RecordSource } from "./recordsource.ts";
import type { Rows } from "./rows.ts";
import type { Outcome, TaskBody, TaskNetwork, TaskRecord } from "./task.ts";
import { changesSettings, hasBulk, isWaiting, type TASK_COLUMNS, type TaskColumns } from "./taskcolumns.ts";

/** The packed parts of a task, as a record of the journal has them. */
export type PackedContent = Pick<TaskRecord, "body" | "outcome" | "inline">;

export class TaskContents {
  readonly #rows: Rows<typeof TASK_COLUMNS>;
  /** Null: everything is kept in memory. */
  readonly #source: RecordSource | null;
  /** Of long bodies, what became of their tasks on other servers since they were written. */
  readonly #networks = new Map<number, TaskNetwork>();
  readonly #briefs = new BriefBodies();
  #lasting = new ByteArena();
  #passing = new ByteArena();
  #placedBytes = 0;

  constructor(rows: Rows<typeof TASK_COLUMNS>, source: RecordSource | null) {
    this.#rows = rows;
    this.#source = source;
  }

  /** Bytes that a journal needs for all of it, about. */
  get bytes(): number {
    return (
      this.#placedBytes + [this.#lasting, this.#passing].reduce((sum, arena) => sum + usedBytes(arena), 0)
    );
  }

  /** What the arenas hold, and how much of it was forgotten. For tests. */
  get arenas(): Record<"lasting" | "passing", Readonly<Pick<ByteArena, "length" | "garbage">>> {
    return { lasting: this.#lasting, passing: this.#passing };
  }

  /** The content of a new row whose other columns are set. `place`: of its record in the journal; 0: none. */
  add(row: number, { body, outcome, inline }: PackedContent, place: number): void {
    const { columns } = this.#rows;
    const isLong = (part: Uint8Array | null) => this.#isLong(part, place);
    columns.bodies[row] = isLong(body) ? ON_DISK : this.#bodyArena(row).add(body);
    columns.inlines[row] = isLong(inline) ? ON_DISK : inline ? this.#passing.add(inline) : 0;
    columns.outcomes[row] = outcome ? this.#lasting.add(outcome) : 0;
    columns.places[row] = place;
    this.#place(row, lengthOf(body, isLong) + lengthOf(inline, isLong));
  }

  body(row: number): TaskBody {
    const { columns } = this.#rows;
    if (columns.bodies[row] === ON_DISK) return this.#placedBody(row);
    return unpack<TaskBody>(this.#bodyArena(row).read(columns.bodies[row]));
  }

  /** The same without the bulk of its work, for those who tell of the task. */
  brief(row: number): TaskBody {
    const { columns } = this.#rows;
    if (columns.bodies[row] !== ON_DISK) return withoutBulkOf(this.body(row), hasBulk(columns, row));
    const uid = columns.uids[row];
    const known = this.#briefs.get(uid);
    if (known) return known;
    const brief = withoutBulkOf(this.#placedBody(row), hasBulk(columns, row));
    this.#briefs.set(uid, brief, this.#briefBytes(row));
    return brief;
  }

  /** Spares the first `brief` of a new task the reading. */
  keepBrief(row: number, body: TaskBody): void {
    const { columns } = this.#rows;
    if (columns.bodies[row] !== ON_DISK) return;
    this.#briefs.set(columns.uids[row], withoutBulkOf(body, hasBulk(columns, row)), this.#briefBytes(row));
  }

  outcome(row: number): Outcome | null {
    const packed = this.#lasting.readIfAny(this.#rows.columns.outcomes[row]);
    return packed && unpack<Outcome>(packed);
  }

  /** A copy of the small payload of a waiting task; null when it has none. */
  inline(row: number): Uint8Array | null {
    const { inlines, places } = this.#rows.columns;
    if (inlines[row] === ON_DISK) return this.#source!.task(places[row]).inline;
    return this.#passing.readIfAny(inlines[row])?.slice() ?? null;
  }

  /** The task ends: `setStatus` says so in its row. */
  end(row: number, outcome: Uint8Array | null, setStatus: () => void): void {
    const { columns } = this.#rows;
    const isPlaced = columns.bodies[row] === ON_DISK;
    const brief = this.#shortens(row) ? pack(this.brief(row)) : null;
    const isKept = brief !== null && !(isPlaced && brief.length > KEPT_BYTES_MAX);
    if (isKept) this.#forgetBody(row);
    setStatus();
    this.#lasting.forget(columns.outcomes[row]);
    columns.outcomes[row] = outcome ? this.#lasting.add(outcome) : 0;
    this.#forgetInline(row);
    if (isKept) columns.bodies[row] = this.#bodyArena(row).add(brief);
    this.#place(row, columns.bodies[row] === ON_DISK ? (brief?.length ?? this.#bytesLeft(row)) : 0);
  }

  /** Tells what became of the task on other servers. */
  setNetwork(row: number, networkAfter: (before: TaskNetwork | undefined) => TaskNetwork): void {
    const { bodies, uids } = this.#rows.columns;
    const { network } = this.brief(row);
    const after = networkAfter(network);
    if (bodies[row] === ON_DISK) {
      this.#networks.set(uids[row], after);
      this.#briefs.delete(uids[row]);
    } else this.rewrite(row, (body) => ({ ...body, network: after }));
  }

  rewrite(row: number, change: (body: TaskBody) => TaskBody): void {
    const { columns } = this.#rows;
    const packed = pack(change(this.body(row)));
    this.#forgetBody(row);
    columns.bodies[row] = this.#bodyArena(row).add(packed);
    if (columns.inlines[row] !== ON_DISK) this.#place(row, 0);
  }

  /** Forgets the content of a row that is to be removed. */
  remove(row: number): void {
    this.#forgetBody(row);
    this.#forgetInline(row);
    this.#lasting.forget(this.#rows.columns.outcomes[row]);
    this.#place(row, 0);
  }

  /** What is long takes so many bytes in memory while its task runs, about. */
  memoryBytes(row: number): number {
    const { bodies, placedBytes } = this.#rows.columns;
    return placedBytes[row] * (bodies[row] === ON_DISK ? UNPACKED_FACTOR : 1);
  }

  /** Is a part of the task on disk alone? */
  isPlaced(row: number): boolean {
    return this.#rows.columns.placedBytes[row] > 0;
  }

  /** The journal has another file, with records of tasks at these places. */
  move(places: ReadonlyMap<number, number>): void {
    const { columns, length } = this.#rows;
    for (let row = 0; row < length; row++) {
      if (this.isPlaced(row)) columns.places[row] = places.get(columns.uids[row])!;
    }
  }

  /**
   * Packs the content of a copy of the rows as it is now; may be used later, until the journal has another
   * file.
   */
  packer(columns: TaskColumns): (row: number) => PackedContent {
    const [lasting, passing, networks] = [this.#lasting, this.#passing, new Map(this.#networks)];
    return (row) => {
      const { bodies, inlines, outcomes } = columns;
      const isPlaced = bodies[row] === ON_DISK || inlines[row] === ON_DISK;
      const record = isPlaced ? this.#source!.task(columns.places[row]) : null;
      const arena = isBulky(columns, row) ? passing : lasting;
      return {
        body:
          bodies[row] === ON_DISK
            ? packPlaced(record!, isBrief(columns, row), networks.get(columns.uids[row]))
            : arena.read(bodies[row]),
        outcome: lasting.readIfAny(outcomes[row]),
        inline: inlines[row] === ON_DISK ? record!.inline : passing.readIfAny(inlines[row]),
      };
    };
  }

  /** Copies what is still needed out of an arena of which that is less than half. `waiting`: uids. */
  collectGarbage(waiting: Iterable<number>): void {
    const { columns, length } = this.#rows;
    const { bodies, outcomes, inlines } = columns;
    if (this.#lasting.isMostlyGarbage) {
      const kept = new ByteArena();
      for (let row = 0; row < length; row++) {
        if (!isBulky(columns, row)) bodies[row] = copied(this.#lasting, bodies[row], kept);
        outcomes[row] = kept.copyOf(this.#lasting, outcomes[row]);
      }
      this.#lasting = kept;
    }
    if (this.#passing.isMostlyGarbage) {
      const kept = new ByteArena();
      for (const uid of waiting) {
        const row = this.#rows.rowOf(uid);
        if (isBulky(columns, row)) bodies[row] = copied(this.#passing, bodies[row], kept);
        inlines[row] = copied(this.#passing, inlines[row], kept);
      }
      this.#passing = kept;
    }
  }

  #isLong(part: Uint8Array | null, place: number): boolean {
    return this.#source !== null && place > 0 && part !== null && part.length > KEPT_BYTES_MAX;
  }

  /**
   * Is it worth while to make the brief body when the task ends? That of long settings is long, too: it is
   * made when somebody asks.
   */
  #shortens(row: number): boolean {
    const { columns } = this.#rows;
    const isLong = columns.bodies[row] === ON_DISK && columns.placedBytes[row] > SHORTENED_BYTES_MAX;
    return hasBulk(columns, row) && !(isLong && changesSettings(columns, row));
  }

  /** Of a long body that is not made shorter: half of what settings hold is told of them. */
  #bytesLeft(row: number): number {
    const { columns } = this.#rows;
    return Math.ceil(columns.placedBytes[row] / (changesSettings(columns, row) ? 2 : 1));
  }

  #placedBody(row: number): TaskBody {
    const { columns } = this.#rows;
    const body = unpack<TaskBody>(this.#source!.task(columns.places[row]).body);
    const network = this.#networks.get(columns.uids[row]);
    return { ...withoutBulkOf(body, isBrief(columns, row)), ...(network && { network }) };
  }

  /** What the brief body of a long one takes, about: that of settings alone is long, too. */
  #briefBytes(row: number): number {
    const { columns } = this.#rows;
    return changesSettings(columns, row) ? columns.placedBytes[row] : KEPT_BYTES_MAX;
  }

  #forgetBody(row: number): void {
    const { bodies, uids } = this.#rows.columns;
    this.#briefs.delete(uids[row]);
    this.#networks.delete(uids[row]);
    if (bodies[row] !== ON_DISK) this.#bodyArena(row).forget(bodies[row]);
  }

  #forgetInline(row: number): void {
    const { inlines } = this.#rows.columns;
    if (inlines[row] !== ON_DISK) this.#passing.forget(inlines[row]);
    inlines[row] = 0;
  }

  #bodyArena(row: number): ByteArena {
    return isBulky(this.#rows.columns, row) ? this.#passing : this.#lasting;
  }

  /** Sets the bytes that the row has on disk alone. */
  #place(row: number, bytes: number): void {
    const { placedBytes, places } = this.#rows.columns;
    this.#placedBytes += bytes - placedBytes[row];
    placedBytes[row] = bytes;
    if (bytes === 0) places[row] = 0;
  }
}

/** Does the task wait with a body that will be shorter? */
const isBulky = (columns: TaskColumns, row: number): boolean =>
  hasBulk(columns, row) && isWaiting(columns, row);

/** Did it end with one? */
const isBrief = (columns: TaskColumns, row: number): boolean =>
  hasBulk(columns, row) && !isWaiting(columns, row);

function withoutBulkOf(body: TaskBody, hasAny: boolean): TaskBody {
  return hasAny ? { ...body, kind: withoutBulk(body.kind) } : body;
}

/** The body of a record, as a task has it that may have ended since, and been told of by other servers. */
function packPlaced({ body, status }: TaskRecord, isShort: boolean, network?: TaskNetwork): Uint8Array {
  const isShortened = isShort && status === "enqueued";
  if (!isShortened && !network) return body;
  return pack({ ...withoutBulkOf(unpack<TaskBody>(body), isShortened), ...(network && { network }) });
}

const lengthOf = (part: Uint8Array | null, isLong: (part: Uint8Array | null) => boolean): number =>
  isLong(part) ? part!.length : 0;

const copied = (from: ByteArena, reference: number, to: ByteArena): number =>
  reference === ON_DISK ? ON_DISK : to.copyOf(from, reference);

const usedBytes = ({ length, garbage }: ByteArena): number => length - garbage;

/** How much more memory an unpacked body takes. */
const UNPACKED_FACTOR = 5;
/** Of settings that are shortened when their task ends. */
const SHORTENED_BYTES_MAX = 64 * 1024;

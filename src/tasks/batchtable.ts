// Ended batches in columns, like the tasks: dates are plain numbers, for filters; the rest is packed in an
// arena or, when it is long, read again from the journal.
import { isDamage } from "../storage/failure.ts";
import { ByteArena } from "./arena.ts";
import type { BatchBody, BatchRecord, BatchStats } from "./batch.ts";
import { pack, unpack } from "./codec.ts";
import type { NameTable } from "./nametable.ts";
import type { RecordSource } from "./recordsource.ts";
import { type Columns, Rows } from "./rows.ts";

const COLUMNS = {
  uids: Uint32Array,
  startedAt: Float64Array,
  finishedAt: Float64Array,
  oldest: Float64Array,
  newest: Float64Array,
  /** Reference into the arena; 0: the body is in the journal, in the record at `places`. */
  bodies: Uint32Array,
  places: Float64Array,
  /** Bytes of a body that is in the journal; otherwise 0. */
  placedBytes: Uint32Array,
  /** Number of the index that its tasks touched; 0: none, or several. */
  indexes: Uint32Array,
};

export class BatchTable {
  readonly rows = new Rows(COLUMNS);
  readonly #names: NameTable;
  /** Indexes of batches that touched several: uid -> numbers. */
  readonly #several = new Map<number, readonly number[]>();
  readonly #source: RecordSource | null;
  #arena = new ByteArena();
  #placedBytes = 0;

  /** `names`: the numbers of index names. `source`: reads long bodies; null: everything is kept in memory. */
  constructor(names: NameTable, source: RecordSource | null) {
    this.#names = names;
    this.#source = source;
  }

  get size(): number {
    return this.rows.length;
  }

  get columns(): Columns<typeof COLUMNS> {
    return this.rows.columns;
  }

  /** Bytes that a journal needs for the bodies of all batches. */
  get bytes(): number {
    return this.#placedBytes + this.#arena.length - this.#arena.garbage;
  }

  /**
   * Adds a batch whose uid is above all others. `place`: that of its record in the journal; 0: it has none.
   * `indexes`: numbers of the indexes that its tasks touched.
   */
  add(record: BatchRecord, place: number, indexes: readonly number[] = this.#numbersIn(record)): void {
    const row = this.rows.push(record.uid);
    const { columns } = this;
    columns.startedAt[row] = record.startedAt;
    columns.finishedAt[row] = record.finishedAt;
    columns.oldest[row] = record.oldest;
    columns.newest[row] = record.newest;
    const isLong = this.#source !== null && place > 0 && record.body.length > BODY_BYTES_MAX;
    columns.bodies[row] = isLong ? 0 : this.#arena.add(record.body);
    columns.places[row] = place;
    columns.placedBytes[row] = isLong ? record.body.length : 0;
    this.#placedBytes += columns.placedBytes[row];
    columns.indexes[row] = indexes.length === 1 ? indexes[0] : 0;
    if (indexes.length > 1) this.#several.set(record.uid, indexes);
  }

  /**
   * Numbers of the indexes that tasks of the batch touched, by the names of that time: swaps change nothing
   * here.
   */
  indexesAt(row: number): readonly number[] {
    return indexesIn(this.columns, this.#several, row);
  }

  body(row: number): BatchBody {
    return unpackBatchBody(this.#packer(this.columns)(row));
  }

  /** Whether the body is only in the journal. */
  isPlaced(uid: number): boolean {
    const row = this.rows.rowOf(uid);
    return row >= 0 && this.columns.bodies[row] === 0;
  }

  /** The journal was rewritten: the records of such batches are now at these places. */
  move(places: ReadonlyMap<number, number>): void {
    const { columns } = this;
    for (let row = 0; row < this.size; row++) {
      if (columns.bodies[row] !== 0) continue;
      const place = places.get(columns.uids[row]);
      if (place === undefined) throw new Error(`the new journal lacks batch ${columns.uids[row]}`);
      columns.places[row] = place;
    }
  }

  remove(uids: ReadonlySet<number>): void {
    const { columns } = this;
    this.rows.removeRows((row) => {
      const doomed = uids.has(columns.uids[row]);
      if (!doomed) return false;
      this.#placedBytes -= columns.placedBytes[row];
      this.#arena.forget(columns.bodies[row]);
      return true;
    });
    for (const uid of uids) this.#several.delete(uid);
    if (this.#arena.isMostlyGarbage) this.#collectGarbage();
  }

  /** All batches as they are now; may be consumed later, while the table changes. */
  snapshot(): Iterable<BatchRecord> {
    const names = this.#names;
    const { columns, length } = this.rows.clone();
    const bodyAt = this.#packer(columns);
    const several = new Map(this.#several);
    return {
      *[Symbol.iterator]() {
        for (let row = 0; row < length; row++) {
          yield {
            uid: columns.uids[row],
            startedAt: columns.startedAt[row],
            finishedAt: columns.finishedAt[row],
            oldest: columns.oldest[row],
            newest: columns.newest[row],
            body: bodyAt(row),
            indexes: indexesIn(columns, several, row).map((number) => names.name(number)),
          };
        }
      },
    };
  }

  /** Packed bodies of the rows as they are now. */
  #packer({ uids, bodies, places }: Columns<typeof COLUMNS>): (row: number) => Uint8Array {
    const arena = this.#arena;
    const generation = this.#source?.generation;
    return (row) => {
      if (bodies[row] !== 0) return arena.read(bodies[row]);
      // If the journal was rewritten since, the record is at another place.
      const isMoved = this.#source!.generation !== generation;
      const place = isMoved ? this.columns.places[this.rows.rowOf(uids[row])] : places[row];
      try {
        return this.#source!.batch(place, uids[row]).body;
      } catch (error) {
        if (!isDamage(error)) throw error;
        return packBatchBody(UNREADABLE);
      }
    };
  }

  #numbersIn({ indexes, body }: BatchRecord): number[] {
    const names = indexes ?? Object.keys(unpackBatchBody(body).stats.indexUids);
    return names.map((name) => this.#names.number(name));
  }

  #collectGarbage(): void {
    const { bodies } = this.columns;
    const old = this.#arena;
    this.#arena = new ByteArena();
    for (let row = 0; row < this.size; row++) bodies[row] = this.#arena.copyOf(old, bodies[row]);
  }
}

function indexesIn(
  { uids, indexes }: Columns<typeof COLUMNS>,
  several: ReadonlyMap<number, readonly number[]>,
  row: number,
): readonly number[] {
  return indexes[row] === 0 ? (several.get(uids[row]) ?? []) : [indexes[row]];
}

/** Fields by position instead of by name: a queue may hold as many batches as tasks. */
export function packBatchBody({ details, stats, strategy }: BatchBody): Uint8Array {
  const { totalNbTasks, status, types, indexUids, progressTrace, writeChannelCongestion } = stats;
  const sizes = stats.internalDatabaseSizes ?? null;
  const counts = [totalNbTasks, status, types, indexUids];
  return pack([
    details,
    strategy,
    counts,
    progressTrace ?? null,
    writeChannelCongestion !== undefined,
    sizes,
    stats.embedderRequests ?? null,
  ]);
}

function unpackBatchBody(bytes: Uint8Array): BatchBody {
  const [details, strategy, counts, progressTrace, hasWritten, sizes, requests] = unpack<PackedBody>(bytes);
  const [totalNbTasks, status, types, indexUids] = counts;
  const stats: BatchStats = { totalNbTasks, status, types, indexUids };
  if (progressTrace !== null) stats.progressTrace = progressTrace;
  if (hasWritten) stats.writeChannelCongestion = { ...NO_CONGESTION };
  if (sizes !== null) stats.internalDatabaseSizes = sizes;
  if (requests) stats.embedderRequests = requests;
  return { details, stats, strategy };
}

/** Segments are written without a channel between threads, so nothing can congest. */
export const NO_CONGESTION = { attempts: 0, blocking_attempts: 0, blocking_ratio: 0 } as const;

/** Stands for a body that is damaged on disk. */
const UNREADABLE: BatchBody = {
  details: {},
  stats: { totalNbTasks: 0, status: {}, types: {}, indexUids: {} },
  strategy: "unspecified",
};
/**
 * Longest body kept in memory. More than for a task: its record also holds the ends of all tasks and takes
 * long to read.
 */
const BODY_BYTES_MAX = 4096;

type PackedBody = [
  details: BatchBody["details"],
  strategy: string,
  counts: [number, BatchStats["status"], BatchStats["types"], BatchStats["indexUids"]],
  progressTrace: Record<string, string> | null,
  hasWritten: boolean,
  sizes: Record<string, string> | null,
  requests: BatchStats["embedderRequests"] | null,
];

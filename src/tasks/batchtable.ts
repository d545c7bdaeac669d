// Ended batches in columns, like the tasks: dates lie open for filters, the rest is packed in an arena.
import { ByteArena } from "./arena.ts";
import { pack, unpack } from "./codec.ts";
import type { NameTable } from "./nametable.ts";
import { type Columns, Rows } from "./rows.ts";
import type { Moment } from "./time.ts";
import type { BatchStats } from "./views.ts";

/** What only a view needs. */
export interface BatchBody {
  details: Record<string, unknown>;
  stats: BatchStats;
  strategy: string;
}

/** An ended batch, as the journal keeps it. */
export interface BatchRecord {
  uid: number;
  startedAt: Moment;
  finishedAt: Moment;
  /** Enqueue dates of its oldest and its newest task. */
  oldest: Moment;
  newest: Moment;
  /** See packBatchBody. */
  body: Uint8Array;
  /**
   * Indexes that its tasks touched, by their names when it ended. Absent in finish records, whose tasks have
   * them, and in logs of older versions.
   */
  indexes?: string[];
}

const COLUMNS = {
  uids: Uint32Array,
  startedAt: Float64Array,
  finishedAt: Float64Array,
  oldest: Float64Array,
  newest: Float64Array,
  bodies: Uint32Array,
  /** Number of the index that its tasks touched; 0: none, or several. */
  indexes: Uint32Array,
};

export class BatchTable {
  readonly rows = new Rows(COLUMNS);
  readonly #names: NameTable;
  /** Indexes of batches that touched several: uid -> numbers. */
  readonly #several = new Map<number, readonly number[]>();
  #arena = new ByteArena();

  /** `names`: numbers of the indexes. */
  constructor(names: NameTable) {
    this.#names = names;
  }

  get size(): number {
    return this.rows.length;
  }

  get columns(): Columns<typeof COLUMNS> {
    return this.rows.columns;
  }

  /** Bytes that the bodies of all batches take. */
  get bytes(): number {
    return this.#arena.length - this.#arena.garbage;
  }

  /** Adds a batch whose uid is above all others. `indexes`: numbers of those that its tasks touched. */
  add(record: BatchRecord, indexes: readonly number[] = this.#numbersIn(record)): void {
    const row = this.rows.push(record.uid);
    const { columns } = this;
    columns.startedAt[row] = record.startedAt;
    columns.finishedAt[row] = record.finishedAt;
    columns.oldest[row] = record.oldest;
    columns.newest[row] = record.newest;
    columns.bodies[row] = this.#arena.add(record.body);
    columns.indexes[row] = indexes.length === 1 ? indexes[0] : 0;
    if (indexes.length > 1) this.#several.set(record.uid, indexes);
  }

  /** Numbers of the indexes that tasks of the batch touched, by the names of then: swaps change none here. */
  indexesAt(row: number): readonly number[] {
    return indexesIn(this.columns, this.#several, row);
  }

  body(row: number): BatchBody {
    return unpackBatchBody(this.#arena.read(this.columns.bodies[row]));
  }

  remove(uids: ReadonlySet<number>): void {
    const { columns } = this;
    this.rows.removeRows((row) => {
      const doomed = uids.has(columns.uids[row]);
      if (doomed) this.#arena.forget(columns.bodies[row]);
      return doomed;
    });
    for (const uid of uids) this.#several.delete(uid);
    if (this.#arena.isMostlyGarbage) this.#collectGarbage();
  }

  /** All batches as of now; may be consumed later, while the table changes. */
  snapshot(): Iterable<BatchRecord> {
    const [arena, names] = [this.#arena, this.#names];
    const { columns, length } = this.rows.clone();
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
            body: arena.read(columns.bodies[row]),
            indexes: indexesIn(columns, several, row).map((number) => names.name(number)),
          };
        }
      },
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

/** By position instead of by name: a queue may hold as many batches as tasks. */
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

/** Segments are written without a channel between threads that could congest. */
export const NO_CONGESTION = { attempts: 0, blocking_attempts: 0, blocking_ratio: 0 } as const;

type PackedBody = [
  details: BatchBody["details"],
  strategy: string,
  counts: [number, BatchStats["status"], BatchStats["types"], BatchStats["indexUids"]],
  progressTrace: Record<string, string> | null,
  hasWritten: boolean,
  sizes: Record<string, string> | null,
  requests: BatchStats["embedderRequests"] | null,
];

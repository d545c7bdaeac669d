// The one log of the instance, `journal.log`: every task, batch, index and small value. A write is appended,
// made durable together with its neighbours (group commit), and only then applied to the state, in the order
// of the log. Long parts of a record are not kept in memory: the state knows the place of the record.
import { messageOf, type TarsierError } from "../errors.ts";
import { JOURNAL_GARBAGE_BYTES_MIN, SPACE_RESERVE_BYTES } from "../limits.ts";
import { JOURNAL_KIND, JOURNAL_NAME, lostJournal } from "../segment/journalfile.ts";
import { damagedFile, isFull } from "../storage/failure.ts";
import { RecordLog } from "../storage/recordlog.ts";
import type { Storage } from "../storage/storage.ts";
import { pack } from "./codec.ts";
import { type DurationFigures, Durations } from "./durations.ts";
import { JournalMove } from "./journalmove.ts";
import { ROOM_MAKING_TYPES } from "./kinds.ts";
import { rowsOf } from "./queries.ts";
import { type JournalRecord, packRecord, unpackRecord } from "./records.ts";
import { RecordSource } from "./recordsource.ts";
import type { SpaceReserve } from "./spacereserve.ts";
import { State } from "./state.ts";

/**
 * What a record needs: `room` beside the space that is set aside, or that space where no other is left. Tasks
 * that make room may take of it what their ends, and those of others like them that wait, will not need.
 */
export type Need = "room" | "task" | "end";

/** About what the end of a task takes. */
const END_BYTES = 512;

export class Journal {
  readonly state: State;
  readonly #log: RecordLog;
  readonly #source: RecordSource;
  readonly #reserve: SpaceReserve | null;
  /** Called when the reserve has been taken, with the error that made it necessary. */
  onReserveTaken: (shortage: TarsierError) => void = () => {};
  /** Appended, not yet durable and applied. */
  #pending: { record: JournalRecord; place: number }[] = [];
  #applied = 0;
  /**
   * Bytes that may have been taken of the space that is set aside, while it is not known to be whole; what
   * those before the start have taken is a guess.
   */
  #spent: number;
  #rewriting: Promise<void> | null = null;
  #move: JournalMove | null = null;
  /** How much the last rewrite exceeded the estimate of the content. */
  #underestimate = 0;
  readonly #syncs = new Durations(SYNC_SECONDS);

  /**
   * `reserve`: space for urgent records.
   * @throws TarsierError `invalid_store_file` when the log is damaged, or lost beside indexes
   */
  static open(storage: Storage, reserve: SpaceReserve | null = null): Journal {
    const lost = lostJournal(storage);
    if (lost) throw damagedFile(lost);
    const source = new RecordSource(storage);
    const state = new State(source);
    storage.makeFolder("");
    const onRecord = (payload: Uint8Array, offset: number) => {
      try {
        state.apply(unpackRecord(payload), offset);
      } catch (cause) {
        // The record has a valid checksum, so somebody made it like that.
        throw damagedFile({
          file: JOURNAL_NAME,
          offset,
          expected: "records that fit together",
          found: messageOf(cause),
        });
      }
    };
    try {
      const log = RecordLog.open(storage, JOURNAL_NAME, JOURNAL_KIND, onRecord);
      return new Journal(state, source, log, reserve);
    } catch (error) {
      source.close();
      throw error;
    }
  }

  private constructor(state: State, source: RecordSource, log: RecordLog, reserve: SpaceReserve | null) {
    this.state = state;
    this.#source = source;
    this.#log = log;
    this.#reserve = reserve;
    this.#spent = reserve?.isWhole ? 0 : SPACE_RESERVE_BYTES / 2;
    log.onSync = (milliseconds) => this.#syncs.note(milliseconds / 1000);
  }

  get bytes(): number {
    return this.#log.size;
  }

  /** How long making records durable took. */
  get syncs(): DurationFigures {
    return this.#syncs;
  }

  /** Why the journal takes no more records until the next start; null while all is well. */
  get failure(): Error | null {
    return this.#log.failure;
  }

  /**
   * Fulfilled when the record is durable and applied. Throws at once when it could not be written (then
   * nothing happened); rejects when it could not be made durable: from then on the journal takes no more
   * records.
   */
  write(record: JournalRecord, need: Need = "room"): Promise<void> {
    const payload = packRecord(record);
    if (need === "room") this.#makeRoom(payload.length);
    else if (need === "task") this.#leaveEnds(payload.length);
    const place = this.#append(payload, need !== "room");
    if (!this.#reserve?.isWhole) this.#spent += this.#log.size - place;
    this.#pending.push({ record, place });
    this.#move?.expect(payload, record);
    const upTo = this.#applied + this.#pending.length;
    return this.#log.commit().then(() => this.#apply(upTo));
  }

  /**
   * Sets space aside where that was taken. Returns why it cannot: then nothing that takes space should be
   * begun; null otherwise.
   */
  restoreReserve(): TarsierError | null {
    try {
      this.#makeRoom(0);
      return null;
    } catch (error) {
      if (!isFull(error)) throw error;
      return error;
    }
  }

  /** Rewrites the log if it is mostly garbage; writes go on meanwhile. */
  async compact(): Promise<void> {
    if (!this.#rewriting && this.#isWorthwhile()) await this.#rewrite();
  }

  /** Rewrites the log even when little is gained. */
  async compactNow(): Promise<void> {
    while (this.#rewriting) await this.#rewriting.catch(() => undefined);
    await this.#rewrite();
  }

  async close(): Promise<void> {
    while (this.#rewriting) await this.#rewriting.catch(() => undefined);
    this.#log.close();
    this.#source.close();
  }

  async #rewrite(): Promise<void> {
    // Records that are not applied yet belong to the current state as well.
    const records = [this.state.snapshot(), this.#pending.map(({ record }) => record)];
    const move = new JournalMove(this.state);
    this.#move = move;
    this.#rewriting = this.#log.replaceLater(packAll(records, move), {
      onPlaced: (payload, place) => move.note(payload, place),
      onReplacing: () => this.#source.reopen(),
      onReplaced: () => {
        move.finish();
        this.#pending = this.#pending.map(({ record }) => ({ record, place: move.placeOf(record) }));
      },
    });
    try {
      await this.#rewriting;
      // A file of a browser keeps space of its own, and the log is in another one now.
      this.restoreReserve();
      this.#underestimate = Math.max(0, this.#log.size - this.#estimate());
    } finally {
      this.#rewriting = null;
      this.#move = null;
    }
  }

  /** For a record of so many bytes beside the space that is set aside. */
  #makeRoom(bytes: number): void {
    this.#reserve?.restore();
    this.#log.reserve(bytes + SPACE_RESERVE_BYTES);
    this.#spent = 0;
  }

  /**
   * Sees to it that so many bytes are not taken from the ends of the tasks that wait to make room: these
   * would wait forever then.
   */
  #leaveEnds(bytes: number): void {
    const areTaken = (tasks: number) =>
      this.#spent + bytes + END_BYTES * (tasks + this.#pending.length + 1) > SPACE_RESERVE_BYTES;
    if (!areTaken(this.state.tasks.waiting.size)) return;
    try {
      this.#makeRoom(bytes);
    } catch (error) {
      const alike = rowsOf(this.state.tasks, { statuses: ["enqueued"], types: [...ROOM_MAKING_TYPES] });
      if (!isFull(error) || areTaken(alike.length)) throw error;
    }
  }

  #append(payload: Uint8Array, isUrgent: boolean): number {
    try {
      return this.#log.append(payload);
    } catch (error) {
      if (!isUrgent || !isFull(error) || !this.#reserve?.giveUp()) throw error;
      const place = this.#log.append(payload);
      this.onReserveTaken(error);
      return place;
    }
  }

  #apply(upTo: number): void {
    const count = upTo - this.#applied;
    if (count <= 0) return;
    const records = this.#pending.splice(0, count);
    this.#applied = upTo;
    try {
      for (const { record, place } of records) this.state.apply(record, place);
    } catch (error) {
      // The log is ahead of the state now: only a start reconciles them.
      this.#log.fail(error);
      throw error;
    }
  }

  /** Estimate of its content, in bytes. */
  #estimate(): number {
    const { tasks, batches, outgoing } = this.state;
    return tasks.bytes + batches.bytes + (tasks.size + batches.size) * ROW_BYTES + outgoing.inlineBytes;
  }

  #isWorthwhile(): boolean {
    let content = this.#estimate() + this.#underestimate;
    const isGarbage = () => this.bytes - content > Math.max(content, JOURNAL_GARBAGE_BYTES_MIN);
    if (!isGarbage()) return false;
    for (const change of this.state.catalog.changes()) content += pack(change).length;
    return isGarbage();
  }
}

function* packAll(records: Iterable<JournalRecord>[], move: JournalMove): Iterable<Uint8Array> {
  for (const group of records) {
    for (const record of group) {
      const payload = packRecord(record);
      move.expect(payload, record);
      yield payload;
    }
  }
}

/** From SSDs whose cache needs no flush to disks that are overloaded. */
const SYNC_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
/** Estimate of what a record holds besides packed bodies: field names, dates, header. */
const ROW_BYTES = 100;

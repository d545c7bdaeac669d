// The value table of an indexing run (assembly/values*.ts) as builder.ts uses it: the walker fills it
// alongside the inverter, and when the documents of a segment are complete it becomes the segment's columns.
import { ENTRY_BYTES, VALUE_ROW_FIELDS } from "../core/columns.ts";
import type { Core } from "../core/core.ts";
import { DICTIONARY_WRITER_BYTES, dictionaryCapacity } from "../core/dictionary.ts";
import { Region } from "../core/region.ts";
import { codesOf } from "./columnformat.ts";
import type { ColumnWriter } from "./columnwriter.ts";

/**
 * Columns whose entries fit into this are made together in one pass over all values; a single column may take
 * more.
 */
const ENTRIES_ROOM_BYTES = 16 * 1024 * 1024;
const ROWS_MOST = 1024;

/** Names of the columns, and which of them get posting lists: by column number. */
export interface ColumnNames {
  name(column: number): string;
  isListed(column: number): boolean;
}

interface Row {
  column: number;
  first: number;
  numbers: number;
  texts: number;
  kinds: number;
  entries: number;
  /** Bytes of all keys together. */
  bytes: number;
}

export class ValueTable {
  readonly pointer: number;
  /** Memory for values. */
  readonly bytes: number;
  readonly #core: Core;

  /** `pointer`: address of a region with `valuesOverhead` bytes in addition to those for values. */
  constructor(core: Core, pointer: number, bytes: number) {
    this.#core = core;
    this.pointer = pointer;
    this.bytes = bytes;
  }

  /** Empties the table. */
  start(): void {
    const { valuesStart, valuesOverhead } = this.#core.exports;
    valuesStart(this.pointer, this.bytes + valuesOverhead());
  }

  /** Free bytes. */
  get free(): number {
    return this.#core.exports.valuesFree(this.pointer) >>> 0;
  }

  /** Writes the columns of all documents. No document may follow. */
  writeTo(writer: ColumnWriter, names: ColumnNames): void {
    this.#core.exports.valuesSort(this.pointer);
    const entries = new Region(this.#core);
    const dictionary = new Region(this.#core);
    const rows = this.#rows();
    for (let from = 0; from < rows.length; ) {
      const to = groupEnd(rows, from);
      const group = rows.slice(from, to);
      let at = entries.ensure(group.reduce((sum, row) => sum + row.entries * ENTRY_BYTES, 0));
      this.#fill(group, at);
      for (const row of group) {
        const { numbers, texts, kinds, column, entries: count } = row;
        const facts = { name: names.name(column), isListed: names.isListed(column), numbers, texts, kinds };
        writer.write({ ...facts, dictionary: this.#dictionary(row, dictionary), entries: at, count });
        at += count * ENTRY_BYTES;
      }
      from = to;
    }
    entries.free();
    dictionary.free();
  }

  #rows(): Row[] {
    const region = new Region(this.#core, ROWS_MOST * VALUE_ROW_FIELDS * 4);
    const rows: Row[] = [];
    for (let from = 0; ; ) {
      const found = this.#core.exports.valuesRows(this.pointer, from, region.pointer, ROWS_MOST);
      for (let i = 0; i < found; i++) {
        const at = region.pointer / 4 + i * VALUE_ROW_FIELDS;
        const fields = this.#core.u32.subarray(at, at + VALUE_ROW_FIELDS);
        const [column, first, numbers, texts, kinds, entries, bytes] = fields;
        rows.push({ column, first, numbers, texts, kinds, entries, bytes });
      }
      if (found < ROWS_MOST) break;
      const last = rows[rows.length - 1];
      from = last.first + codesOf(last);
    }
    region.free();
    return rows;
  }

  /** Writes the entries of some columns, one after another. */
  #fill(rows: readonly Row[], address: number): void {
    const { valuesTargetNone, valuesTarget, valuesEntries } = this.#core.exports;
    valuesTargetNone(this.pointer);
    let at = address;
    for (const { column, entries } of rows) {
      valuesTarget(this.pointer, column, at);
      at += entries * ENTRY_BYTES;
    }
    valuesEntries(this.pointer);
  }

  #dictionary(row: Row, region: Region): { pointer: number; length: number } {
    const { dictionaryWriterStart, dictionaryWriterFinish, valuesDictionary } = this.#core.exports;
    const count = codesOf(row);
    const capacity = dictionaryCapacity(count, row.bytes);
    const state = this.#core.take(DICTIONARY_WRITER_BYTES);
    const pointer = region.ensure(capacity);
    dictionaryWriterStart(state, pointer, capacity);
    const failed = valuesDictionary(this.pointer, row.first, count, state);
    const length = failed < 0 ? failed : dictionaryWriterFinish(state);
    this.#core.give(state, DICTIONARY_WRITER_BYTES);
    if (length < 0) throw new Error(`dictionary of ${count} values: writer error ${length}`);
    return { pointer, length };
  }
}

/** End of the rows, starting with `from`, whose entries fit into the room; at least one. */
function groupEnd(rows: readonly Row[], from: number): number {
  let bytes = 0;
  let to = from;
  do bytes += rows[to++].entries * ENTRY_BYTES;
  while (to < rows.length && bytes + rows[to].entries * ENTRY_BYTES <= ENTRIES_ROOM_BYTES);
  return to;
}

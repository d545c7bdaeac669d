// The columns and points of several segments merged into those of a new one, without the documents that are dead. Called by
// merge.ts. One column at a time is in memory, with all its sources.
import { compareBytes } from "../core/bytes.ts";
import type { Core } from "../core/core.ts";
import { Region } from "../core/region.ts";
import { Column } from "./column.ts";
import { type ColumnValues, columnLayout, type Point, SET_EMPTY, SET_EXISTS, SET_NULL } from "./columns.ts";
import type { MergeShare, MergeSource } from "./merge.ts";

/** Columns ascending by name. One that no living document has stays, so that its field is known. */
export function* mergeColumns(
  { core }: MergeShare,
  sources: readonly MergeSource[],
  interrupt: () => void,
): Generator<ColumnValues> {
  const names = new Set(sources.flatMap(({ meta }) => meta.columns.map(({ name }) => name)));
  for (const name of [...names].sort(compareBytes)) {
    interrupt();
    const cursors = sources.flatMap((source) => {
      const meta = source.meta.columns.find((column) => column.name === name);
      return meta ? [new ColumnCursor(core, source, meta)] : [];
    });
    yield mergeColumn(name, cursors);
    for (const cursor of cursors) cursor.free();
  }
}

/** Locations of living documents, ascending by docid. */
export function mergePoints({ core }: MergeShare, sources: readonly MergeSource[]): Point[] {
  const points: Point[] = [];
  const room = new Region(core);
  for (const source of sources) {
    const { file, meta } = source;
    if (!meta.points) continue;
    const at = file.readSection(core, "points", (bytes) => room.ensure(bytes));
    for (const point of pointsAt(core, at, meta.points)) if (!isDead(core, source, point.docid)) points.push(point);
  }
  room.free();
  return points.sort((a, b) => a.docid - b.docid);
}

/** The rows of section `points`. */
export function* pointsAt(core: Core, address: number, count: number): Generator<Point> {
  const degrees = new Float64Array(core.memory.buffer, address, 2 * count);
  const docids = new Uint32Array(core.memory.buffer, address + 16 * count, count);
  for (let i = 0; i < count; i++) yield { docid: docids[i], lat: degrees[i], lng: degrees[count + i] };
}

function mergeColumn(name: string, cursors: readonly ColumnCursor[]): ColumnValues {
  const numbers: ColumnValues["numbers"] = [];
  const strings: ColumnValues["strings"] = [];
  for (;;) {
    const values = cursors.map((cursor) => cursor.number).filter((value) => value !== null);
    if (values.length === 0) break;
    const value = Math.min(...values);
    const docids = union(cursors.flatMap((cursor) => (cursor.number === value ? [cursor.takeNumber()] : [])));
    if (docids.length) numbers.push({ value, docids });
  }
  for (;;) {
    let least: string | null = null;
    for (const { text } of cursors) {
      if (text !== null && (least === null || compareBytes(text, least) < 0)) least = text;
    }
    if (least === null) break;
    const parts = cursors.flatMap((cursor) => (cursor.text === least ? [cursor.takeText()] : []));
    const alive = parts.filter(({ docids }) => docids.length);
    if (!alive.length) continue;
    const { original } = alive.reduce((first, part) => (part.docids[0] < first.docids[0] ? part : first));
    strings.push({ text: least, original, docids: union(alive.map(({ docids }) => docids)) });
  }
  const set = (distance: number) => union(cursors.map((cursor) => cursor.set(distance)));
  return { name, numbers, strings, exists: set(SET_EXISTS), nulls: set(SET_NULL), empties: set(SET_EMPTY) };
}

/** A living document is in one source only. */
function union(parts: readonly (readonly number[])[]): readonly number[] {
  return parts.length === 1 ? parts[0] : parts.flat().sort((a, b) => a - b);
}

/** Walks over the values of a column of one source. */
class ColumnCursor {
  readonly #core: Core;
  readonly #source: MergeSource;
  readonly #column: Column;
  readonly #bytes: Region;
  readonly #room: Region;
  readonly #numbers: Float64Array;
  #number = 0;
  #string = 0;
  /** The string at hand; null behind the last. */
  text: string | null = null;

  constructor(core: Core, source: MergeSource, meta: Column["meta"]) {
    this.#core = core;
    this.#source = source;
    this.#bytes = new Region(core);
    this.#room = new Region(core);
    const { file } = source;
    const { documents } = source.meta;
    const { offset } = file.section("columns");
    const { end } = columnLayout(meta, documents);
    const start = file.readRange(core, offset + meta.at, end, (bytes) => this.#bytes.ensure(bytes));
    this.#column = new Column(core, meta, documents, (at) => start + at - meta.at);
    this.#numbers = this.#column.numbers.slice();
    this.#load();
  }

  /** The number at hand; null behind the last. */
  get number(): number | null {
    return this.#number < this.#numbers.length ? this.#numbers[this.#number] : null;
  }

  takeNumber(): number[] {
    return this.#living(this.#number++);
  }

  takeText(): { original: string; docids: number[] } {
    const original = this.#column.original(this.#string);
    const docids = this.#living(this.#numbers.length + this.#string++);
    this.#load();
    return { original, docids };
  }

  set(distance: number): number[] {
    return this.#living(this.#column.values + distance);
  }

  free(): void {
    this.#bytes.free();
    this.#room.free();
  }

  #load(): void {
    this.text = this.#string < this.#column.meta.strings ? this.#column.text(this.#string) : null;
  }

  #living(place: number): number[] {
    const docids = this.#column.docids(place, (bytes) => this.#room.ensure(bytes));
    return Array.from(docids).filter((docid) => !isDead(this.#core, this.#source, docid));
  }
}

const isDead = (core: Core, { tombstones }: MergeSource, docid: number): boolean =>
  tombstones !== 0 && ((core.u8[tombstones + (docid >>> 3)] >> (docid & 7)) & 1) === 1;

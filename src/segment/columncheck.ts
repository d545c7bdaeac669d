// Checks that the columns and points of a segment fit together: dictionaries are in order, codes of documents
// and lists of codes agree, points belong to documents. Called by segmentcheck.ts when all chunks are sound.
import { KIND_EMPTY, KIND_NUMBER, KIND_TEXT } from "../core/columns.ts";
import type { Core } from "../core/core.ts";
import { Region } from "../core/region.ts";
import { damagedFile } from "../storage/failure.ts";
import type { Column } from "./column.ts";
import { columnLayout } from "./columnformat.ts";
import { POINT_BYTES, PointArrays } from "./points.ts";
import type { Segment } from "./segment.ts";

const SLACK_BYTES = 64;

export class ColumnCheck {
  readonly #core: Core;
  readonly #list: Region;

  constructor(core: Core) {
    this.#core = core;
    this.#list = new Region(core);
  }

  /** @throws DamageError for the first column that does not fit */
  checkColumns(segment: Segment): void {
    const { file, meta, cache } = segment;
    const section = file.section("columns");
    let end = 0;
    for (const column of meta.columns) {
      const place = section.offset + column.at;
      if (column.at !== end)
        throw damage(segment, "columns", place, `a column at ${end}`, `one at ${column.at}`);
      end += columnLayout(column, meta.documents).end;
      cache.beginTurn();
      const fault =
        end > section.length ? "no room for it" : this.#faultOf(segment, segment.column(column.name)!);
      if (fault) throw damage(segment, "columns", place, `column ${column.name}`, fault);
    }
    if (end !== section.length) {
      throw damage(segment, "columns", section.offset, `${end} bytes`, `${section.length} bytes`);
    }
  }

  /** Points must name documents of the segment, in order. `held`: docids of the segment. */
  checkPoints(segment: Segment, held: ReadonlySet<number>): void {
    const { offset, length } = segment.file.section("points");
    const { points } = segment.meta;
    if (length !== points * POINT_BYTES) {
      throw damage(segment, "points", offset, `${points} points`, `${length} bytes`);
    }
    if (points === 0) return;
    const { docids } = new PointArrays(this.#core.u8.buffer, segment.load("points"), points);
    docids.forEach((docid, i) => {
      if (held.has(docid) && (i === 0 || docid > docids[i - 1])) return;
      throw damage(segment, "points", offset, "points of documents in order", `document ${docid}`);
    });
  }

  /** What is wrong with a column, or null. */
  #faultOf(segment: Segment, column: Column): string | null {
    const { dictionaryCheck, dictionaryCount } = this.#core.exports;
    const { dictionary, meta, count } = column;
    if (!dictionaryCheck(dictionary, meta.dictionaryBytes)) return "another dictionary";
    if (dictionaryCount(dictionary) !== count) return `${dictionaryCount(dictionary)} values`;
    let before: Uint8Array = new Uint8Array(0);
    for (let code = 0; code < count; code++) {
      const key = column.term(code);
      if (Buffer.compare(before, key) >= 0 || !isKindAt(column, code, key[0]))
        return `value ${code} out of place`;
      before = key;
    }
    return this.#faultOfCodes(segment, column);
  }

  #faultOfCodes(segment: Segment, column: Column): string | null {
    const { documents } = segment.meta;
    const holders: number[][] = Array.from({ length: column.count }, () => []);
    let entries = 0;
    for (let ordinal = 0; ordinal < documents; ordinal++) {
      let before = -1;
      for (const code of column.codes(ordinal)) {
        if (code <= before || code >= column.count) return `code ${code} in document ${ordinal}`;
        holders[code].push(segment.docidOf(ordinal));
        entries++;
        before = code;
      }
    }
    if (entries !== column.meta.entries) return `${entries} entries`;
    const strange = holders.findIndex(
      (docids, code) => docids.length === 0 || !this.#isListed(column, code, docids),
    );
    return strange < 0 ? null : `another list of value ${strange}`;
  }

  /** True when the list of a code, if there are lists, contains exactly these documents. */
  #isListed(column: Column, code: number, docids: readonly number[]): boolean {
    if (!column.meta.isListed) return true;
    const { pointer, length } = column.list(code);
    const out = this.#list.ensure(4 * docids.length + SLACK_BYTES);
    if (this.#core.exports.postingsCount(pointer, length) !== docids.length) return false;
    this.#core.exports.postingsDecode(pointer, length, out, docids.length);
    return docids.every((docid, i) => this.#core.u32[out / 4 + i] === docid);
  }
}

/** True when the key of a code is of the kind that belongs at this code. */
function isKindAt({ numbers, values }: Column, code: number, kind: number): boolean {
  if (code < numbers) return kind === KIND_NUMBER;
  return code < values ? kind === KIND_TEXT : kind > KIND_TEXT && kind <= KIND_EMPTY;
}

function damage(segment: Segment, section: string, offset: number, expected: string, found: string) {
  return damagedFile({ file: segment.file.path, offset, section, expected, found });
}

// The values of the columns of one segment while it is built, in the memory of the host. Fed by what reads documents
// (engine/ingest/columnvalues.ts), written out by builder.ts.
import { compareBytes } from "../core/bytes.ts";
import type { ColumnValues, Point } from "./columns.ts";

/** About what a new value, and a document of a value, take. */
const VALUE_BYTES = 160;
const POSTING_BYTES = 12;

interface Gathered {
  numbers: Map<number, number[]>;
  strings: Map<string, { original: string; docids: number[] }>;
  exists: number[];
  nulls: number[];
  empties: number[];
}

export class ColumnBuilder {
  readonly #columns = new Map<string, Gathered>();
  readonly points: Point[] = [];
  /** Estimate of the memory in use. */
  bytes = 0;

  /** Documents come in ascending order; what is told twice of one counts once. */
  exists(name: string, docid: number): void {
    this.#note(this.#column(name).exists, docid);
  }

  isNull(name: string, docid: number): void {
    this.#note(this.#column(name).nulls, docid);
  }

  isEmpty(name: string, docid: number): void {
    this.#note(this.#column(name).empties, docid);
  }

  /** A finite number. */
  number(name: string, docid: number, value: number): void {
    const { numbers } = this.#column(name);
    // Minus zero is zero.
    const key = value + 0;
    const docids = numbers.get(key);
    if (docids) return this.#note(docids, docid);
    numbers.set(key, [docid]);
    this.bytes += VALUE_BYTES;
  }

  /** `text`: the normal form of `original`. */
  string(name: string, docid: number, text: string, original: string): void {
    const { strings } = this.#column(name);
    const known = strings.get(text);
    if (known) return this.#note(known.docids, docid);
    strings.set(text, { original, docids: [docid] });
    this.bytes += VALUE_BYTES + 2 * (text.length + original.length);
  }

  point(point: Point): void {
    this.points.push(point);
    this.bytes += VALUE_BYTES;
  }

  /** Columns ascending by name. */
  *columns(): Generator<ColumnValues> {
    for (const name of [...this.#columns.keys()].sort(compareBytes)) {
      const { numbers, strings, ...sets } = this.#columns.get(name)!;
      yield {
        name,
        numbers: [...numbers].map(([value, docids]) => ({ value, docids })).sort((a, b) => a.value - b.value),
        strings: [...strings]
          .map(([text, rest]) => ({ text, ...rest }))
          .sort((a, b) => compareBytes(a.text, b.text)),
        ...sets,
      };
    }
  }

  #column(name: string): Gathered {
    let column = this.#columns.get(name);
    if (!column) {
      column = { numbers: new Map(), strings: new Map(), exists: [], nulls: [], empties: [] };
      this.#columns.set(name, column);
    }
    return column;
  }

  #note(docids: number[], docid: number): void {
    if (docids[docids.length - 1] === docid) return;
    docids.push(docid);
    this.bytes += POSTING_BYTES;
  }
}

// Gathers, in memory, the geometries of the documents of a segment that is being made, and the arrays that
// precede them. Used by builder.ts, columnchange.ts and geometrymerge.ts.
import {
  type Box,
  boxAround,
  encodeGeometry,
  type Geometry,
  GeometryHeads,
  headBytes,
  unitsOf,
} from "./geometryformat.ts";
import type { SegmentWriter } from "./writer.ts";

/** Bytes of geometries that are gathered for one segment; beyond that, another one begins. */
const GATHERED_BYTES_MAX = 64 * 1024 * 1024;

export class GeometryList {
  readonly #table = new GeometryTable();
  readonly #geometries: Uint8Array[] = [];
  #bytes = 0;

  /** True when the segment should take no more geometries. */
  get isFull(): boolean {
    return this.#bytes + headBytes(this.#table.count) > GATHERED_BYTES_MAX;
  }

  /** Docids must ascend. */
  add(docid: number, geometry: Geometry): void {
    const bytes = encodeGeometry(geometry);
    this.#table.add(docid, boxAround(geometry.positions), bytes.length);
    this.#geometries.push(bytes);
    this.#bytes += bytes.length;
  }

  /** Writes the section if there are any geometries. Returns their number. */
  writeTo(writer: SegmentWriter): number {
    if (this.#table.count === 0) return 0;
    writer.beginSection("geometries");
    writer.append(this.#table.encode());
    for (const bytes of this.#geometries) writer.append(bytes);
    writer.endSection();
    return this.#table.count;
  }
}

/** The arrays that precede the geometries. */
export class GeometryTable {
  readonly #docids: number[] = [];
  readonly #boxes: number[] = [];
  readonly #starts = [0];

  get count(): number {
    return this.#docids.length;
  }

  /** `bytes`: those of the geometry. */
  add(docid: number, box: Box, bytes: number): void {
    this.#docids.push(docid);
    this.#boxes.push(box.west, box.south, box.east, box.north);
    this.#starts.push(this.#starts[this.#docids.length - 1] + unitsOf(bytes));
  }

  encode(): Uint8Array {
    const { count } = this;
    const bytes = new Uint8Array(headBytes(count));
    const heads = new GeometryHeads(bytes.buffer, 0, count);
    heads.docids.set(this.#docids);
    heads.starts.set(this.#starts);
    for (let i = 0; i < count; i++) {
      const [west, south, east, north] = this.#boxes.slice(4 * i, 4 * i + 4);
      heads.west[i] = west;
      heads.south[i] = south;
      heads.east[i] = east;
      heads.north[i] = north;
    }
    return bytes;
  }
}

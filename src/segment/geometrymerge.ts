// Unites the geometries of several segments: those of live documents, in the order of their docids. Called by
// merge.ts. Each geometry is read once.
import type { Core } from "../core/core.ts";
import { GeometryHeads, headBytes } from "./geometryformat.ts";
import { GeometryTable } from "./geometrylist.ts";
import type { MergeOutput, MergeSource } from "./mergeparts.ts";
import { SectionStream } from "./stream.ts";

/** Number of geometries after which a merge checks whether it is to stop. */
const INTERRUPT_GEOMETRIES = 4096;

/** Writes section `geometries` if any live document has one. Returns their number. */
export function mergeGeometries(core: Core, sources: readonly MergeSource[], output: MergeOutput): number {
  const { writer, workspace, interrupt } = output;
  const readers = sources
    .filter(({ meta }) => meta.geometries > 0)
    .map((source) => workspace.own(new GeometryReader(core, source)));
  // Twice in order: the preceding arrays must be known before the first geometry is written.
  const table = new GeometryTable();
  for (const reader of inOrder(readers)) {
    const { west, south, east, north } = reader.heads;
    const { at } = reader;
    const box = { west: west[at], south: south[at], east: east[at], north: north[at] };
    table.add(reader.docid, box, reader.heads.place(at).length);
  }
  if (table.count === 0) return 0;
  writer.beginSection("geometries");
  writer.append(table.encode());
  let done = 0;
  for (const reader of inOrder(readers)) {
    if (done++ % INTERRUPT_GEOMETRIES === 0) interrupt();
    const { offset, length } = reader.heads.place(reader.at);
    writer.appendFrom(reader.view(offset, length), length);
  }
  writer.endSection();
  for (const reader of readers) reader.free();
  return table.count;
}

/** Yields the readers in order of docids, once for each geometry, with the reader positioned at it. */
function* inOrder(readers: readonly GeometryReader[]): Generator<GeometryReader> {
  for (const reader of readers) reader.restart();
  if (readers.length === 0) return;
  for (;;) {
    let [first] = readers;
    for (const reader of readers) if (reader.docid < first.docid) first = reader;
    if (first.docid === Number.POSITIVE_INFINITY) return;
    yield first;
    first.advance();
  }
}

/** The live geometries of one source. */
class GeometryReader {
  readonly #core: Core;
  readonly #source: MergeSource;
  readonly #stream: SectionStream;
  readonly heads: GeometryHeads;
  at = -1;
  /** Infinity after the last. */
  docid = -1;

  constructor(core: Core, source: MergeSource) {
    this.#core = core;
    this.#source = source;
    this.#stream = new SectionStream(core, source.file, "geometries");
    const length = headBytes(source.meta.geometries);
    const copy = core.read(this.#stream.view(0, length), length);
    this.heads = new GeometryHeads(copy.buffer, 0, source.meta.geometries);
  }

  restart(): void {
    this.at = -1;
    this.advance();
  }

  advance(): void {
    const { docids, count } = this.heads;
    const { tombstones, words } = this.#source;
    const { bitmapHas } = this.#core.exports;
    do {
      this.at++;
      this.docid = this.at < count ? docids[this.at] : Number.POSITIVE_INFINITY;
    } while (this.at < count && tombstones && bitmapHas(tombstones, words, this.docid));
  }

  /** Address of a part of the section, valid until the next call. */
  view(offset: number, length: number): number {
    return this.#stream.view(offset, length);
  }

  free(): void {
    this.#stream.free();
  }
}

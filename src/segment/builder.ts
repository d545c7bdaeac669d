// Builds one segment from documents that come in ascending order of their numbers: blocks of documents go
// straight to the file, words into the inverter, and when the inverter is full the caller finishes this
// segment and begins another. Used by engine/ingest.
import type { Core } from "../core/core.ts";
import { Region } from "../core/region.ts";
import { Table } from "../core/table.ts";
import type { Storage } from "../storage/storage.ts";
import type { ColumnMeta } from "./columnformat.ts";
import { ColumnWriter } from "./columnwriter.ts";
import { BlockBuffers, DocumentBlockWriter } from "./documentblocks.ts";
import type { Geometry } from "./geometryformat.ts";
import { GeometryList } from "./geometrylist.ts";
import { IdTexts } from "./idsection.ts";
import type { Inverter, Outcome } from "./inverter.ts";
import type { Located } from "./locateddocument.ts";
import type { SegmentEntry } from "./manifeststate.ts";
import { type Location, PointList } from "./points.ts";
import { Spool, SpoolBuffer, spoolOf } from "./spool.ts";
import type { GraphLimits } from "./storegraph.ts";
import { TermOffsets } from "./termoffsets.ts";
import type { ColumnNames } from "./valuetable.ts";
import type { DocumentVectors } from "./vectorformat.ts";
import { VectorList } from "./vectorlist.ts";
import { reserveWriteBuffer, SegmentWriter } from "./writer.ts";

/**
 * A segment is full when its documents have this many bytes: their section must stay below SECTION_BYTES_MAX.
 */
const DOCUMENTS_BYTES_MAX = 2 ** 31;
/** The same for their vectors. */
const VECTORS_BYTES_MAX = 2 ** 30;

/** What a thread may use for each segment that it writes. */
export interface BuildingLimits {
  /** Memory for posting lists that wait for their turn in a segment; further ones go to a file. */
  spoolBytes: number;
  graphs: GraphLimits;
  /** Whether a thread may be started that compresses documents. */
  blockHelper: boolean;
}

/** Buffers that the segments built in a thread use one after another. */
export class BuildBuffers {
  readonly core: Core;
  readonly write: number;
  readonly spool: SpoolBuffer;
  readonly blocks: BlockBuffers;
  readonly graphs: GraphLimits;

  constructor(core: Core, { spoolBytes, graphs, blockHelper }: BuildingLimits) {
    this.graphs = graphs;
    this.core = core;
    this.write = reserveWriteBuffer(core);
    this.spool = new SpoolBuffer(core, spoolBytes);
    this.blocks = new BlockBuffers(core, blockHelper);
  }
}

/** The means by which documents become words and values. */
export interface Analysis {
  inverter: Inverter;
  /** Null when no field has a column. */
  columns: ColumnNames | null;
  /** The location that a JSON value is, or null. */
  locationOf(json: string): Location | null;
  /** The same for a geometry. */
  geometryOf(json: string): Geometry | null;
  /** Top-level names of each shape that the walker has reported so far. */
  shapes: string[][];
  settingsHash: string;
  /** Kinds of ids in the documents: bits (idkinds.ts). */
  idKinds: number;
  /** Called now and then while a segment is completed; throws to end the work. */
  interrupt: () => void;
}

export class SegmentBuilder {
  readonly #buffers: BuildBuffers;
  readonly #analysis: Analysis;
  readonly #writer: SegmentWriter;
  readonly #documents: DocumentBlockWriter;
  readonly #spool: Spool;
  readonly #name: string;
  readonly #docids: Table;
  readonly #shapes: Table;
  readonly #ids: IdTexts;
  readonly #offsets: TermOffsets;
  readonly #points = new PointList();
  readonly #geometries = new GeometryList();
  readonly #vectors: VectorList;

  constructor(buffers: BuildBuffers, analysis: Analysis, storage: Storage, folder: string, name: string) {
    this.#buffers = buffers;
    this.#analysis = analysis;
    this.#name = name;
    this.#writer = new SegmentWriter(storage, `${folder}/${name}`, buffers.core, buffers.write);
    this.#spool = new Spool(storage, `${folder}/${spoolOf(name)}`, buffers.spool);
    this.#documents = new DocumentBlockWriter(buffers.blocks, this.#writer);
    this.#vectors = new VectorList(buffers.core, storage, `${folder}/${name}`, buffers.graphs);
    this.#docids = new Table(buffers.core, 1);
    this.#shapes = new Table(buffers.core, 1);
    this.#ids = new IdTexts(buffers.core);
    this.#offsets = new TermOffsets(buffers.core);
    analysis.inverter.start(analysis.columns !== null);
  }

  /** Number of documents added so far. */
  get count(): number {
    return this.#docids.length;
  }

  /**
   * Adds a document that is, like its id, in the core's memory; unless the outcome is `done`, it was not
   * added. Docids must ascend.
   */
  add(
    docid: number,
    id: Located,
    { pointer, length }: Located,
    vectors: readonly DocumentVectors[] = [],
  ): Outcome {
    const { inverter } = this.#analysis;
    if (this.count > 0 && (this.#isLarge || !inverter.fits(length))) return "full";
    const outcome = inverter.add(docid, pointer, length);
    if (outcome !== "done") return outcome;
    this.#documents.add(pointer, length);
    this.#docids.append(docid);
    this.#shapes.append(inverter.shape);
    this.#ids.add(id.pointer, id.length);
    this.#addPlaces(docid);
    this.#vectors.add(docid, vectors);
    return "done";
  }

  /** Writes the rest, syncs the file, and returns what the manifest must know. */
  finish(): SegmentEntry {
    const { core } = this.#buffers;
    const { inverter, shapes, settingsHash, idKinds, interrupt } = this.#analysis;
    this.#documents.finish();
    const vectors = this.#vectors.writeTo(this.#writer, interrupt);
    const terms = this.#writeTerms();
    const columns = this.#writeColumns();
    const points = this.#points.writeTo(this.#writer);
    const geometries = this.#geometries.writeTo(this.#writer);
    // Words and values are written: their memory can be used for the ids.
    this.#ids.writeTo(this.#writer, (bytes) => inverter.lend(bytes));
    const range = writeOrder(core, this.#writer, this.#docids);
    const shapeBytes = writeShapes(core, this.#writer, this.#shapes);
    this.#free();
    const facts = { ...range, rawDocumentBytes: this.#documents.rawBytes, settingsHash };
    const words = { idKinds, terms, packsStarts: true, shapes, shapeBytes };
    const bytes = this.#writer.finish({ ...facts, ...words, columns, points, geometries, vectors });
    return { name: this.#name, bytes, ...facts, tombstones: null };
  }

  /** Gives up; the unfinished file is left for the caller to remove. */
  abandon(): void {
    this.#free();
    this.#spool.discard();
    this.#writer.abandon();
  }

  get #isLarge(): boolean {
    const { bytes, isFull } = this.#vectors;
    if (this.#geometries.isFull || isFull) return true;
    return this.#documents.rawBytes > DOCUMENTS_BYTES_MAX || bytes > VECTORS_BYTES_MAX;
  }

  #free(): void {
    const parts = [this.#docids, this.#shapes, this.#ids, this.#offsets, this.#documents, this.#vectors];
    for (const part of parts) part.free();
  }

  /** Adds the places of the inverter's last document. */
  #addPlaces(docid: number): void {
    const { inverter, locationOf, geometryOf } = this.#analysis;
    const { point, geometry } = inverter;
    const { core } = this.#buffers;
    // An invalid location was either refused when it was added, or is older than the setting: it gives no
    // point.
    const location = point && locationOf(core.text(point.pointer, point.length));
    if (location) this.#points.add(docid, location);
    const shape = geometry && geometryOf(core.text(geometry.pointer, geometry.length));
    if (shape) this.#geometries.add(docid, shape);
  }

  #writeColumns(): ColumnMeta[] {
    const { inverter, columns } = this.#analysis;
    if (!inverter.values || !columns) return [];
    const { core } = this.#buffers;
    const order = new Region(core, 4 * this.#docids.length);
    this.#docids.copyTo(order.pointer);
    const writer = new ColumnWriter(core, this.#writer, { order: order.pointer, documents: this.count });
    inverter.values.writeTo(writer, columns);
    order.free();
    return writer.finish();
  }

  #writeTerms(): number {
    const { inverter } = this.#analysis;
    const terms = inverter.sort();
    const dictionary = inverter.dictionary();
    this.#writer.beginSection("terms");
    this.#writer.appendFrom(dictionary.pointer, dictionary.length);
    this.#writer.endSection();
    const offsets = this.#offsets;
    this.#writer.beginSection("positions");
    inverter.encode((lists) => {
      this.#spool.appendFrom(lists.postings, lists.postingsBytes);
      this.#writer.appendFrom(lists.positions, lists.positionsBytes);
      for (let i = 0; i < lists.terms; i++) offsets.add(lists.lengths[2 * i], lists.lengths[2 * i + 1]);
    });
    this.#writer.endSection();
    this.#writer.beginSection("postings");
    this.#spool.copyTo(this.#writer);
    this.#writer.endSection();
    offsets.writeTo(this.#writer);
    return terms;
  }
}

/** Writes section `order` if docids (ascending) have gaps. Returns their number, the first and the last. */
export function writeOrder(
  { u32 }: Core,
  writer: SegmentWriter,
  docids: Table,
): { documents: number; firstDocid: number; lastDocid: number } {
  const documents = docids.length;
  const firstDocid = u32[docids.at(0)];
  const lastDocid = u32[docids.at(documents - 1)];
  if (lastDocid - firstDocid + 1 !== documents) writer.writeTable("order", [docids]);
  return { documents, firstDocid, lastDocid };
}

/** Writes section `shapes` if documents differ. Returns the bytes per document. */
export function writeShapes({ u32 }: Core, writer: SegmentWriter, shapes: Table): number {
  let most = 0;
  for (let i = 0; i < shapes.length; i++) most = Math.max(most, u32[shapes.at(i)]);
  if (most === 0) return 0;
  const column = most < 2 ** 8 ? Uint8Array : most < 2 ** 16 ? Uint16Array : Uint32Array;
  const values = new column(shapes.length);
  for (let i = 0; i < values.length; i++) values[i] = u32[shapes.at(i)];
  writer.writeSection("shapes", new Uint8Array(values.buffer));
  return values.BYTES_PER_ELEMENT;
}

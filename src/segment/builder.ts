// Builds one segment from documents that come in ascending order of their numbers: blocks of documents go to the file at
// once, words into the inverter, and when the inverter is full the caller finishes this segment and begins another.
// Used by engine/ingest.
import type { Core } from "../core/core.ts";
import type { Storage } from "../storage/storage.ts";
import { BlockBuffers, DocumentBlockWriter } from "./documentblocks.ts";
import { IdTexts } from "./idsection.ts";
import type { Inverter, Outcome } from "./inverter.ts";
import type { SegmentEntry } from "./manifeststate.ts";
import { Spool } from "./spool.ts";
import { reserveWriteBuffer, SegmentWriter } from "./writer.ts";

/** Buffers that the segments built in a thread use one after the other. */
export class BuildBuffers {
  readonly core: Core;
  readonly write: number;
  readonly blocks: BlockBuffers;

  constructor(core: Core) {
    this.core = core;
    this.write = reserveWriteBuffer(core);
    this.blocks = new BlockBuffers(core);
  }
}

/** What turns documents into words. */
export interface Analysis {
  inverter: Inverter;
  /** Top-level names of each shape the walker told of so far. */
  shapes: string[][];
  settingsHash: string;
}

export class SegmentBuilder {
  readonly #buffers: BuildBuffers;
  readonly #analysis: Analysis;
  readonly #writer: SegmentWriter;
  readonly #documents: DocumentBlockWriter;
  readonly #spool: Spool;
  readonly #name: string;
  #docids: number[] = [];
  #shapes: number[] = [];
  readonly #ids = new IdTexts();

  constructor(buffers: BuildBuffers, analysis: Analysis, storage: Storage, folder: string, name: string) {
    this.#buffers = buffers;
    this.#analysis = analysis;
    this.#name = name;
    this.#writer = new SegmentWriter(storage, `${folder}/${name}`, buffers.core, buffers.write);
    this.#spool = new Spool(storage, `${folder}/${name}.tmp`);
    this.#documents = new DocumentBlockWriter(buffers.blocks, this.#writer);
    analysis.inverter.start();
  }

  /** Documents added so far. */
  get count(): number {
    return this.#docids.length;
  }

  /** Adds the document of `length` bytes at `pointer`, unless the outcome is another than `done`. Docids ascend. */
  add(docid: number, id: Uint8Array, pointer: number, length: number): Outcome {
    const { inverter } = this.#analysis;
    if (this.count > 0 && !inverter.fits(length)) return "full";
    const outcome = inverter.add(docid, pointer, length);
    if (outcome !== "done") return outcome;
    this.#documents.add(pointer, length);
    this.#docids.push(docid);
    this.#shapes.push(inverter.shape);
    this.#ids.add(id);
    return "done";
  }

  /** Writes the rest, syncs the file, and tells what the manifest must know. */
  finish(): SegmentEntry {
    const { shapes, settingsHash } = this.#analysis;
    this.#documents.finish();
    this.#ids.writeTo(this.#writer, this.#buffers.core);
    const documents = this.#docids.length;
    const firstDocid = this.#docids[0];
    const lastDocid = this.#docids[documents - 1];
    if (lastDocid - firstDocid + 1 !== documents) {
      this.#writer.writeSection("order", bytesOf(Uint32Array.from(this.#docids)));
    }
    const shapeBytes = writeShapes(this.#writer, this.#shapes);
    const terms = this.#writeTerms();
    const { rawBytes: rawDocumentBytes } = this.#documents;
    const facts = { documents, firstDocid, lastDocid, rawDocumentBytes, settingsHash };
    const bytes = this.#writer.finish({ ...facts, terms, shapes, shapeBytes });
    return { name: this.#name, bytes, ...facts, tombstones: null };
  }

  /** Gives up; the unfinished file stays for the caller to remove. */
  abandon(): void {
    this.#spool.discard();
    this.#writer.abandon();
  }

  #writeTerms(): number {
    const { inverter } = this.#analysis;
    const terms = inverter.sort();
    const dictionary = inverter.dictionary();
    this.#writer.beginSection("terms");
    this.#writer.appendFrom(dictionary.pointer, dictionary.length);
    this.#writer.endSection();
    const offsets = new Uint32Array(2 * (terms + 1));
    this.#writer.beginSection("positions");
    let term = 0;
    let postings = 0;
    let positions = 0;
    inverter.encode((lists) => {
      this.#spool.append(this.#buffers.core.read(lists.postings, lists.postingsBytes));
      this.#writer.appendFrom(lists.positions, lists.positionsBytes);
      for (let i = 0; i < lists.terms; i++, term++) {
        offsets[term] = postings;
        offsets[terms + 1 + term] = positions;
        postings += lists.lengths[2 * i];
        positions += lists.lengths[2 * i + 1];
      }
    });
    offsets[terms] = postings;
    offsets[2 * terms + 1] = positions;
    this.#writer.endSection();
    this.#writer.beginSection("postings");
    this.#spool.copyTo(this.#writer);
    this.#writer.endSection();
    this.#writer.writeSection("offsets", bytesOf(offsets));
    return terms;
  }
}

/** Writes section `shapes` where documents differ. Returns the bytes per document. */
export function writeShapes(writer: SegmentWriter, shapes: readonly number[]): number {
  const most = shapes.reduce((most, shape) => Math.max(most, shape), 0);
  if (most === 0) return 0;
  const wide = most > 255;
  writer.writeSection("shapes", bytesOf(wide ? Uint16Array.from(shapes) : Uint8Array.from(shapes)));
  return wide ? 2 : 1;
}

const bytesOf = (values: Uint32Array | Uint16Array | Uint8Array): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength);

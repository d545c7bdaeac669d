// Unites the documents of several segments, ascending by docid, without the deleted ones. Called by merge.ts.
// A block is copied packed if all of its documents live and no document of another source falls between them.
import type { Core } from "../core/core.ts";
import { Region } from "../core/region.ts";
import { Table } from "../core/table.ts";
import { Workspace } from "../core/workspace.ts";
import { blockDocumentBytes, DocumentBlockWriter, unpackBlock } from "./documentblocks.ts";
import type { SectionName } from "./format.ts";
import { IdTexts } from "./idsection.ts";
import type { MergeOutput, MergeShare, MergeSource } from "./mergeparts.ts";
import { SectionStream } from "./stream.ts";

/** What the new segment records about its documents, in order of ordinals. */
class MergedDocuments {
  readonly docids: Table;
  readonly shapes: Table;
  /** Names of each shape. */
  readonly shapeNames: string[][] = [];
  readonly ids: IdTexts;
  readonly blocks: DocumentBlockWriter;
  readonly #shapeNumbers = new Map<string, number>();

  constructor(share: MergeShare, { writer }: MergeOutput) {
    this.docids = new Table(share.core, 1);
    this.shapes = new Table(share.core, 1);
    this.ids = new IdTexts(share.core);
    this.blocks = new DocumentBlockWriter(share.buffers.blocks, writer);
  }

  /** Gives the memory back. */
  free(): void {
    const parts = [this.docids, this.shapes, this.ids, this.blocks];
    for (const part of parts) part.free();
  }

  /** Number of a shape among those of the new segment. */
  shapeNumber(names: string[]): number {
    const key = JSON.stringify(names);
    const known = this.#shapeNumbers.get(key);
    if (known !== undefined) return known;
    const number = this.shapeNames.push(names) - 1;
    this.#shapeNumbers.set(key, number);
    return number;
  }
}

/** Writes sections `documents` and `blocks`. */
export function mergeDocuments(
  share: MergeShare,
  sources: MergeSource[],
  output: MergeOutput,
): MergedDocuments {
  const merged = output.workspace.own(new MergedDocuments(share, output));
  const workspace = output.workspace.own(new Workspace(share.core));
  const readers = sources.map((source) =>
    workspace.own(new DocumentReader(share.core, source, { ...output, workspace }, merged)),
  );
  for (;;) {
    let [first] = readers;
    for (const reader of readers) if (reader.docid < first.docid) first = reader;
    if (first.docid === Number.POSITIVE_INFINITY) break;
    let limit = Number.POSITIVE_INFINITY;
    for (const reader of readers) if (reader !== first && reader.docid < limit) limit = reader.docid;
    first.copyBelow(limit);
  }
  merged.blocks.finish();
  // The tables read from the sources: ids were copied, so this memory can be used for the new section.
  workspace.free();
  return merged;
}

/** The live documents of one source, from first to last. */
class DocumentReader {
  /** Docid of the next document; Infinity after the last. */
  docid = -1;
  #ordinal = -1;
  readonly #core: Core;
  readonly #source: MergeSource;
  readonly #merged: MergedDocuments;
  readonly #interrupt: () => void;
  readonly #stream: SectionStream;
  /** The block unpacked last. */
  readonly #room: Region;
  #unpacked = -1;
  #block = 0;
  /** Tables of the source: rows of blocks, docids, shapes, ids; 0 for those that the source lacks. */
  readonly #rows: number;
  readonly #order: number;
  readonly #shapes: number;
  readonly #ids: number;
  readonly #shapeNumbers: number[] = [];

  constructor(
    core: Core,
    source: MergeSource,
    { workspace, interrupt }: MergeOutput,
    merged: MergedDocuments,
  ) {
    this.#core = core;
    this.#source = source;
    this.#merged = merged;
    this.#interrupt = interrupt;
    this.#stream = new SectionStream(core, source.file, "documents");
    this.#room = new Region(core);
    const load = (name: SectionName) => {
      if (source.file.section(name).length === 0) return 0;
      return source.file.readSection(core, name, (bytes) => workspace.take(bytes));
    };
    this.#rows = load("blocks");
    this.#order = load("order");
    this.#shapes = load("shapes");
    this.#ids = load("ids");
    this.#advance();
  }

  /** Copies the documents with docids below `limit`. */
  copyBelow(limit: number): void {
    while (this.docid < limit) {
      while (this.#firstOf(this.#block + 1) <= this.#ordinal) this.#block++;
      if (this.#isCopiedWhole(limit)) this.#copyBlock();
      else this.#copyDocument();
    }
  }

  free(): void {
    this.#stream.free();
    this.#room.free();
  }

  #isCopiedWhole(limit: number): boolean {
    const end = this.#firstOf(this.#block + 1);
    if (this.#ordinal !== this.#firstOf(this.#block) || this.#docidOf(end - 1) >= limit) return false;
    if (!this.#source.tombstones) return true;
    for (let ordinal = this.#ordinal; ordinal < end; ordinal++)
      if (this.#isDead(this.#docidOf(ordinal))) return false;
    return true;
  }

  #copyBlock(): void {
    this.#interrupt();
    const end = this.#firstOf(this.#block + 1);
    const from = this.#offsetOf(this.#block);
    const length = this.#offsetOf(this.#block + 1) - from;
    const packed = this.#stream.view(from, length);
    const documents = end - this.#ordinal;
    this.#merged.blocks.addBlock(
      packed,
      length,
      documents,
      blockDocumentBytes(this.#core, packed, documents),
    );
    while (this.#ordinal < end) {
      this.#note();
      this.#ordinal++;
    }
    this.#ordinal--;
    this.#advance();
  }

  #copyDocument(): void {
    const block = this.#block;
    if (this.#unpacked !== block) {
      this.#interrupt();
      const from = this.#offsetOf(block);
      const length = this.#offsetOf(block + 1) - from;
      const packed = this.#stream.view(from, length);
      unpackBlock(this.#core, this.#source.file, from, packed, length, this.#room);
      this.#unpacked = block;
    }
    const { u32 } = this.#core;
    const lengths = this.#room.pointer / 4;
    const index = this.#ordinal - this.#firstOf(block);
    let at = this.#room.pointer + 4 + 4 * u32[lengths];
    for (let i = 0; i < index; i++) at += u32[lengths + 1 + i];
    this.#merged.blocks.add(at, u32[lengths + 1 + index]);
    this.#note();
    this.#advance();
  }

  /** Records the current document for the new segment. */
  #note(): void {
    const { docids, shapes, ids } = this.#merged;
    docids.append(this.#docidOf(this.#ordinal));
    shapes.append(this.#shape());
    ids.addFrom(this.#ids, this.#ordinal);
  }

  #shape(): number {
    const { shapeBytes, shapes } = this.#source.meta;
    let shape = 0;
    const at = this.#shapes + this.#ordinal * shapeBytes;
    for (let i = shapeBytes - 1; i >= 0; i--) shape = shape * 256 + this.#core.u8[at + i];
    this.#shapeNumbers[shape] ??= this.#merged.shapeNumber(shapes[shape]);
    return this.#shapeNumbers[shape];
  }

  /** Moves to the next live document. */
  #advance(): void {
    const { documents } = this.#source.meta;
    do {
      this.#ordinal++;
      this.docid = this.#ordinal < documents ? this.#docidOf(this.#ordinal) : Number.POSITIVE_INFINITY;
    } while (this.#ordinal < documents && this.#isDead(this.docid));
  }

  #isDead(docid: number): boolean {
    const { tombstones } = this.#source;
    return tombstones !== 0 && ((this.#core.u8[tombstones + (docid >>> 3)] >> (docid & 7)) & 1) === 1;
  }

  #docidOf(ordinal: number): number {
    return this.#order ? this.#core.u32[this.#order / 4 + ordinal] : this.#source.meta.firstDocid + ordinal;
  }

  #firstOf(block: number): number {
    return this.#core.u32[this.#rows / 4 + 2 * block];
  }

  #offsetOf(block: number): number {
    return this.#core.u32[this.#rows / 4 + 2 * block + 1];
  }
}

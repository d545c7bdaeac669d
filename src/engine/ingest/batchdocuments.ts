// The documents of one batch: operations become changes per id (changes.ts), then changes become segments and tombstones.
// Called by writer.ts.
import { Region } from "../../core/region.ts";
import { JsonScanner } from "../../core/json.ts";
import { TarsierError } from "../../errors.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { ManifestState, SegmentEntry } from "../../segment/manifeststate.ts";
import type { Segment } from "../../segment/segment.ts";
import { readTombstones, writeTombstones } from "../../segment/tombstones.ts";
import { findDocumentId } from "../documents/identifier.ts";
import { mergeDocuments, withoutRepeats } from "../documents/merge.ts";
import { inferPrimaryKey } from "../documents/primarykey.ts";
import type { Batch, Operation, OperationResult } from "../engine.ts";
import type { IndexReader } from "../reader.ts";
import { Changes } from "./changes.ts";
import { checkGeo } from "./geo.ts";
import { freeDocids } from "./docids.ts";
import type { IndexingRun } from "./indexing.ts";
import { PayloadReader } from "./payloadreader.ts";
import type { Interrupt, WriterShare } from "./writer.ts";

type Outcome = Omit<OperationResult, "taskUid" | "error">;
type Add = Extract<Operation, { kind: "add" }>;
export type DocumentsState = Pick<
  ManifestState,
  "segments" | "numberOfDocuments" | "fieldDistribution" | "rawDocumentBytes"
>;

/** Documents between two looks at whether the batch is to stop. */
const INTERRUPT_DOCUMENTS = 1024;
/** Kernels may read a little behind a document. */
const SLACK_BYTES = 64;

export class BatchDocuments {
  readonly #share: WriterShare;
  readonly #reader: IndexReader;
  readonly #batch: Batch;
  readonly #changes: Changes;
  readonly #scanner: JsonScanner;
  readonly #payloads: { reader: PayloadReader; region: Region }[] = [];
  readonly #text: Region;
  #primaryKey: string | null;
  /** Documents that exist after the operations so far. */
  #count: number;
  changed = false;

  constructor(share: WriterShare, reader: IndexReader, batch: Batch, primaryKey: string | null) {
    this.#share = share;
    this.#reader = reader;
    this.#batch = batch;
    this.#primaryKey = primaryKey;
    this.#count = reader.state.numberOfDocuments;
    this.#scanner = new JsonScanner(share.core);
    this.#text = new Region(share.core);
    this.#changes = new Changes(share.core, reader, (pointer, length, key) =>
      findDocumentId(this.#scanner, pointer, length, key),
    );
  }

  get primaryKey(): string | null {
    return this.#primaryKey;
  }

  /** True when everything there was has been deleted. */
  get cleared(): boolean {
    return this.#changes.cleared;
  }

  /** Takes an operation in. @throws TarsierError when it is refused; then it has no effect */
  apply(operation: Operation, _settings: Settings): Outcome {
    switch (operation.kind) {
      case "add":
        return this.#add(operation);
      case "deleteIds":
        return this.#delete(operation.ids);
      case "clear":
        return this.#clear();
      case "primaryKey":
        return this.#setPrimaryKey(operation.primaryKey);
      case "deleteFilter":
        throw new TarsierError("invalid_document_filter", {
          message: "Deleting documents by filter is not available in this version.",
        });
      case "settings":
        throw new Error("settings are not documents");
    }
  }

  /** Writes segments and tombstones. Returns the part of the next state that speaks of documents. */
  write(
    indexing: IndexingRun,
    settings: Settings,
    step: (finished: number, total: number) => void,
    interrupt: Interrupt,
  ): DocumentsState {
    const fields = new Map(this.#changes.cleared ? [] : Object.entries(this.#reader.state.fieldDistribution));
    const dead = this.#deadDocids(fields);
    const added = this.#writeNew(indexing, settings, step, interrupt);
    indexing.shapeCounts.forEach((count, shape) => {
      for (const name of indexing.shapes[shape]) if (name !== "_vectors") add(fields, name, count);
    });
    const kept = this.#changes.cleared ? [] : this.#withTombstones(dead);
    const segments = [...kept, ...indexing.segments];
    const numberOfDocuments = segments.reduce((sum, entry) => sum + live(entry), 0);
    this.#changed(added, dead);
    const rawDocumentBytes = segments.reduce(
      (sum, entry) => sum + Math.round((entry.rawDocumentBytes * live(entry)) / entry.documents),
      0,
    );
    const fieldDistribution = Object.fromEntries([...fields].filter(([, count]) => count > 0));
    return { segments, numberOfDocuments, fieldDistribution, rawDocumentBytes };
  }

  /** Closes payloads and gives memory back. May be called twice. */
  close(): void {
    for (const { reader, region } of this.#payloads.splice(0)) {
      reader.close();
      region.free();
    }
    this.#changes.free();
    this.#text.free();
  }

  #add({ payload, method, primaryKey, skipCreation }: Add): Outcome {
    if (payload === null) return { indexedDocuments: 0 };
    const { indexUid } = this.#batch;
    if (this.#primaryKey !== null && method === "update" && (primaryKey ?? this.#primaryKey) !== this.#primaryKey) {
      throw new TarsierError("index_primary_key_already_exists", { indexUid, primaryKey: this.#primaryKey });
    }
    const region = new Region(this.#share.core);
    const reader = new PayloadReader(this.#share.core, this.#share.storage, payload, region);
    this.#payloads.push({ reader, region });
    if (reader.size === 0) return { indexedDocuments: 0 };
    const key = this.#primaryKey ?? primaryKey ?? this.#infer(reader);
    const before = this.#changes.existing;
    const indexedDocuments = this.#changes.add(this.#payloads.length - 1, reader, key, method, skipCreation);
    this.#count += this.#changes.existing - before;
    this.#primaryKey = key;
    this.changed = true;
    return { indexedDocuments };
  }

  #infer(reader: PayloadReader): string {
    for (const { pointer, length } of reader.pieces()) {
      const { u8 } = this.#share.core;
      const end = u8.subarray(pointer, pointer + length).indexOf(10);
      const first = end < 0 ? length : end;
      return inferPrimaryKey(this.#scanner, pointer, first, this.#batch.indexUid);
    }
    throw new Error("an empty payload has no first document");
  }

  #delete(ids: readonly string[]): Outcome {
    const { deleted, distinct } = this.#changes.delete(ids);
    this.#count -= deleted;
    const mixed = this.#batch.operations.some(({ kind }) => kind === "add");
    return { deletedDocuments: mixed ? distinct : deleted, distinctIds: distinct };
  }

  #clear(): Outcome {
    const deletedDocuments = this.#count;
    this.#changes.clear();
    this.#count = 0;
    this.changed = true;
    return { deletedDocuments };
  }

  #setPrimaryKey(primaryKey: string): Outcome {
    if (this.#count > 0 && this.#primaryKey !== primaryKey) {
      const { indexUid } = this.#batch;
      throw new TarsierError("index_primary_key_already_exists", { indexUid, primaryKey: this.#primaryKey ?? "" });
    }
    this.#primaryKey = primaryKey;
    this.changed = true;
    return {};
  }

  #changed(added: number, dead: ReadonlySet<number>): void {
    if (added > 0 || dead.size > 0) this.changed = true;
  }

  /** Docids whose old content goes away, taken out of the counts of fields. */
  #deadDocids(fields: Map<string, number>): Set<number> {
    const dead = new Set<number>();
    if (this.#changes.cleared) return dead;
    this.#share.cache.beginTurn();
    for (let entry = 0; entry < this.#changes.length; entry++) {
      const docid = this.#changes.oldDocid(entry);
      if (docid < 0 || !(this.#changes.isWritten(entry) || this.#changes.isDeleted(entry))) continue;
      dead.add(docid);
      const { segment, ordinal } = this.#reader.find(docid)!;
      for (const name of segment.meta.shapes[segment.shapeOf(ordinal)]) if (name !== "_vectors") add(fields, name, -1);
    }
    return dead;
  }

  #writeNew(
    indexing: IndexingRun,
    settings: Settings,
    step: (finished: number, total: number) => void,
    interrupt: Interrupt,
  ): number {
    const order = this.#order();
    const geo = settings.filterableAttributes.includes("_geo") || settings.sortableAttributes.includes("_geo");
    order.forEach(({ docid, entry }, i) => {
      if (i % INTERRUPT_DOCUMENTS === 0) {
        interrupt();
        step(i, order.length);
      }
      const { pointer, length } = this.#content(entry);
      if (geo) checkGeo(this.#scanner, pointer, length, Buffer.from(this.#changes.ids.text(entry)).toString());
      indexing.add(docid, this.#changes.ids.text(entry), pointer, length);
    });
    indexing.finish();
    return order.length;
  }

  /** Documents to write, ascending by docid; new ones get the lowest free numbers in the order in which they came. */
  #order(): { docid: number; entry: number }[] {
    const order: { docid: number; entry: number }[] = [];
    const free = freeDocids(this.#reader, this.#changes.cleared);
    let ascending = true;
    for (let entry = 0; entry < this.#changes.length; entry++) {
      if (!this.#changes.isWritten(entry)) continue;
      const old = this.#changes.cleared ? -1 : this.#changes.oldDocid(entry);
      const docid = old < 0 ? free.next().value : old;
      if (order.length > 0 && docid < order[order.length - 1].docid) ascending = false;
      order.push({ docid, entry });
    }
    return ascending ? order : order.sort((a, b) => a.docid - b.docid);
  }

  /** Final bytes of a document in the core's memory. */
  #content(entry: number): { pointer: number; length: number } {
    const pieces = this.#changes.pieces(entry);
    const [first] = pieces;
    if (pieces.length === 1 && !first.unclear && !this.#changes.keepsOld(entry)) {
      const { reader } = this.#payloads[first.payload];
      return { pointer: reader.locate(first.offset, first.length), length: first.length };
    }
    const { core, cache } = this.#share;
    let content: Uint8Array | null = null;
    if (this.#changes.keepsOld(entry)) {
      cache.beginTurn();
      const { pointer, length } = this.#reader.document(this.#changes.oldDocid(entry))!;
      content = core.read(pointer, length);
    }
    for (const { payload, offset, length } of pieces) {
      const pointer = this.#payloads[payload].reader.locate(offset, length);
      content = content
        ? mergeDocuments(this.#scanner, content, core.read(pointer, length))
        : withoutRepeats(this.#scanner, pointer, length);
    }
    const { length } = content!;
    const pointer = this.#text.ensure(length + SLACK_BYTES);
    core.write(pointer, content!);
    return { pointer, length };
  }

  /** The segments there were, without the dead documents; a segment where none lives vanishes. */
  #withTombstones(dead: ReadonlySet<number>): SegmentEntry[] {
    const { storage, cache } = this.#share;
    const { state, segments } = this.#reader;
    if (dead.size === 0) return [...state.segments];
    const bySegment = new Map<Segment, number[]>(segments.map(({ segment }) => [segment, []]));
    cache.beginTurn();
    for (const docid of dead) bySegment.get(this.#reader.find(docid)!.segment)!.push(docid);
    return state.segments.flatMap((entry, i) => {
      const docids = bySegment.get(segments[i].segment)!;
      if (docids.length === 0) return [entry];
      const all = readTombstones(storage, this.#batch.folder, entry.tombstones).with(docids);
      if (all.count === entry.documents) return [];
      const tombstones = writeTombstones(storage, this.#batch.folder, entry.name, state.version + 1, all);
      return [{ ...entry, tombstones }];
    });
  }
}

const live = ({ documents, tombstones }: SegmentEntry): number => documents - (tombstones?.count ?? 0);

function add(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}

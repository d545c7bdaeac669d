// The documents of one batch: turns operations into changes per id (changes.ts), then changes into segments
// and tombstones. Called by batchwork.ts.
import type { CallStatistics } from "../../embedders/embedder.ts";
import { TarsierError } from "../../errors.ts";
import type { Settings } from "../../schemas/settings.ts";
import { VECTORS_FIELD } from "../../schemas/vectorsfield.ts";
import type { Interrupt } from "../../segment/interrupt.ts";
import type { EmbeddingCounts, ManifestState, SegmentEntry } from "../../segment/manifeststate.ts";
import { findDocumentId } from "../documents/identifier.ts";
import { inferPrimaryKey } from "../documents/primarykey.ts";
import type { Batch, Operation, OperationResult } from "../engine.ts";
import { filtersShapes, hasPoints } from "../filter/attributes.ts";
import type { FilterSource } from "../filter/parse.ts";
import type { IndexReader } from "../reader.ts";
import type { SettingsChange } from "../settingshash.ts";
import { DocumentPreparation } from "../vectors/documentvectors.ts";
import { mentionsVectors } from "../vectors/given.ts";
import type { VectorPlan } from "../vectors/plan.ts";
import type { Work } from "../work.ts";
import { changedDocument } from "./changeddocument.ts";
import { Changes } from "./changes.ts";
import { type DocumentCheck, rebuildColumns } from "./columnrebuild.ts";
import { Contents } from "./contents.ts";
import { DeadDocuments } from "./deaddocuments.ts";
import { type NumberedDocuments, numberDocuments } from "./docids.ts";
import { DocumentFeed } from "./documentfeed.ts";
import { editDocuments } from "./editeddocuments.ts";
import { EditedFile } from "./editedfile.ts";
import { FieldSet } from "./fieldset.ts";
import { filteredIds } from "./filtereddocuments.ts";
import { checkPlaces, type PlaceField } from "./geo.ts";
import { FIELDS_MAX, type IndexingRun } from "./indexing.ts";
import { LargeDocument } from "./largedocument.ts";
import { checkPayload } from "./lostpayload.ts";
import type { PayloadReader } from "./payloadreader.ts";
import { rawBytesOf } from "./rawbytes.ts";
import { rebuild } from "./rebuild.ts";
import { UnchangedDocuments } from "./unchangeddocuments.ts";

type Outcome = Omit<OperationResult, "taskUid" | "error">;
type Add = Extract<Operation, { kind: "add" }>;
type Edit = Extract<Operation, { kind: "edit" }>;
type DocumentsState = Pick<
  ManifestState,
  "segments" | "numberOfDocuments" | "fieldDistribution" | "rawDocumentBytes" | "embeddings"
>;

/** Options for writing documents. */
export interface WriteOptions {
  indexing: IndexingRun;
  /** The settings in force; below, those after the batch. */
  before: Settings;
  after: Settings;
  change: SettingsChange;
  vectors: VectorPlan;
  /** Counts the calls of embedders. */
  calls: CallStatistics;
  step: (finished: number, total: number) => void;
  interrupt: Interrupt;
}

const LINE_FEED = 10;
/** Number of documents after which the batch checks whether it is to stop. */
const INTERRUPT_DOCUMENTS = 1024;

export class BatchDocuments {
  readonly #reader: IndexReader;
  readonly #batch: Batch;
  readonly #changes: Changes;
  readonly #contents: Contents;
  #primaryKey: string | null;
  #changed = false;
  /** The documents that a function has edited. */
  #edited: EditedFile | null = null;

  /** Task uid by number of the payload. */
  readonly #taskUids: number[] = [];

  /** Does the batch also add documents? Looked up once, since a batch may hold very many deletions. */
  #mixed: boolean | null = null;

  /** Place of the document that is written, among those that are numbered. */
  #current = 0;

  /** `idBytes`: initial memory for the ids of the batch. */
  constructor(reader: IndexReader, batch: Batch, idBytes: number) {
    this.#reader = reader;
    this.#batch = batch;
    this.#primaryKey = reader.state.primaryKey;
    this.#contents = new Contents(reader);
    const { scanner } = this.#contents;
    this.#changes = new Changes(reader.share.core, reader, idBytes, (pointer, length, key) =>
      findDocumentId(scanner, pointer, length, key),
    );
  }

  get primaryKey(): string | null {
    return this.#primaryKey;
  }

  /** True when there is something to commit. */
  get changed(): boolean {
    return this.#changed;
  }

  /** Tasks that bring more fields than the index has room for, counted after the fields of earlier tasks. */
  tasksWithTooManyFields(interrupt: Interrupt): Set<number> {
    const refused = new Set<number>();
    const fields = new FieldSet(this.#contents.scanner, this.#reader.state.fields, FIELDS_MAX);
    let task = -1;
    for (const piece of this.#changes.everyPiece()) {
      interrupt();
      if (this.#taskUids[piece.payload] !== task) fields.keep();
      task = this.#taskUids[piece.payload];
      if (refused.has(task)) continue;
      const { pointer, length } = this.#contents.locatePiece(piece);
      if (fields.add(pointer, length)) continue;
      fields.drop();
      refused.add(task);
    }
    return refused;
  }

  /** Kinds of ids in the incoming documents, with `old` in all documents: bits (segment/idkinds.ts). */
  idKinds(old: boolean): number {
    const segments = old ? this.#reader.segments : [];
    return segments.reduce((kinds, { segment }) => kinds | segment.meta.idKinds, this.#changes.idKinds);
  }

  /**
   * Applies an operation.
   * @throws TarsierError when it is refused; then it has no effect
   */
  *apply(operation: Exclude<Operation, { kind: "settings" }>, interrupt: Interrupt): Work<Outcome> {
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
        // No additions come before it in its batch (src/tasks/autobatch.ts): the filter is about committed
        // documents.
        return this.#delete(filteredIds(this.#reader, operation.filter as FilterSource), true);
      case "edit":
        // Always alone in its batch.
        return yield* this.#edit(operation, interrupt);
    }
  }

  /**
   * Writes segments and tombstones. Returns the part of the next state that is about documents.
   * @throws LargeDocument
   */
  *write(options: WriteOptions): Work<DocumentsState> {
    const numbered = numberDocuments(this.#changes, this.#reader);
    try {
      return yield* this.#write(options, numbered);
    } catch (error) {
      throw error instanceof LargeDocument ? this.#withTask(error, numbered) : error;
    }
  }

  /** Closes payloads and gives memory back. */
  close(): void {
    this.#contents.close();
    this.#edited?.remove();
    this.#changes.free();
  }

  *#write(options: WriteOptions, numbered: NumberedDocuments): Work<DocumentsState> {
    const { indexing } = options;
    const { state } = this.#reader;
    const { cleared } = this.#changes;
    const counts = new Map(cleared ? [] : Object.entries(state.fieldDistribution));
    const count = (name: string, documents: number) => {
      if (name !== VECTORS_FIELD) counts.set(name, (counts.get(name) ?? 0) + documents);
    };
    const change = cleared ? "none" : options.change;
    const feed = this.#feed(options);
    const findDead = () => new DeadDocuments(this.#reader, this.#changes);
    const check = this.#checkOfOld(options);
    const work =
      change === "none" ? null : { ...options, reader: this.#reader, dead: findDead(), feed, check };
    const rebuilt = work && change === "columns" ? rebuildColumns(work) : null;
    if (change === "columns") indexing.attach();
    const rebuilds = work !== null && !rebuilt;
    try {
      yield* this.#writeNew(options, feed, numbered, !cleared && !work);
      indexing.eachField(count);
      if (work && rebuilds) yield* rebuild(work);
    } finally {
      feed.free();
    }
    indexing.finish();
    // Only now it is known which documents stay as they are.
    const dead = cleared ? null : (work?.dead ?? findDead());
    dead?.eachField((name, documents) => count(name, -documents));
    const kept = rebuilds || !dead ? [] : dead.writeTombstones();
    const segments = [...kept.map((entry) => replaced(entry, rebuilt)), ...indexing.segments];
    const fieldDistribution = Object.fromEntries([...counts].filter(([, documents]) => documents > 0));
    const numberOfDocuments = this.#changes.documents;
    const embeddings =
      rebuilds || !dead ? feed.counts : sum(state.embeddings, dead.embeddings(), feed.counts);
    const rawDocumentBytes = rawBytesOf(segments);
    return { segments, numberOfDocuments, fieldDistribution, rawDocumentBytes, embeddings };
  }

  #add({ taskUid, payload, payloadBytes, method, primaryKey, skipCreation, shard }: Add): Outcome {
    const known = this.#primaryKey;
    if (known !== null && method !== "replace" && primaryKey !== null && primaryKey !== known) {
      throw this.#keyIsSet(known, "an update of documents cannot name another");
    }
    if (payload === null) return this.#addNothing(primaryKey);
    if (typeof payload === "string" && payloadBytes !== undefined)
      checkPayload(this.#reader.share.storage, payload, payloadBytes);
    const { number, reader } = this.#contents.open(payload);
    this.#taskUids[number] = taskUid;
    if (reader.size === 0) return this.#addNothing(primaryKey);
    const key = known ?? primaryKey ?? this.#infer(reader);
    const indexedDocuments = this.#changes.add(number, reader, key, { method, skipCreation, shard });
    this.#primaryKey = key;
    this.#changed = true;
    return { indexedDocuments };
  }

  /** The primary key that it names takes effect even so. */
  #addNothing(primaryKey: string | null): Outcome {
    if (this.#primaryKey === null && primaryKey) {
      this.#primaryKey = primaryKey;
      this.#changed = true;
    }
    return { indexedDocuments: 0 };
  }

  #infer(payload: PayloadReader): string {
    for (const { pointer, length } of payload.pieces()) {
      const { u8 } = this.#reader.share.core;
      const end = u8.subarray(pointer, pointer + length).indexOf(LINE_FEED);
      const first = end < 0 ? length : end;
      return inferPrimaryKey(this.#contents.scanner, pointer, first, this.#batch.indexUid);
    }
    throw new Error("an empty payload has no first document");
  }

  #delete(ids: readonly string[], isByFilter = false): Outcome {
    const { deleted, distinct } = this.#changes.delete(ids);
    if (deleted > 0) this.#changed = true;
    if (isByFilter) return { deletedDocuments: deleted };
    this.#mixed ??= this.#batch.operations.some(({ kind }) => kind === "add");
    return { deletedDocuments: this.#mixed ? distinct : deleted, distinctIds: distinct };
  }

  *#edit(operation: Edit, interrupt: Interrupt): Work<Outcome> {
    const key = this.#primaryKey;
    const { scanner } = this.#contents;
    this.#edited = new EditedFile(this.#reader.share.storage, this.#reader.folder);
    const context = { reader: this.#reader, scanner, key, file: this.#edited, interrupt };
    const { candidates, deleted } = yield* editDocuments(operation, context);
    if (this.#edited.size > 0) {
      const { number, reader } = this.#contents.open(this.#edited.seal());
      this.#taskUids[number] = operation.taskUid;
      const addition = { method: "replace", skipCreation: false } as const;
      this.#changes.add(number, reader, key!, addition);
      this.#changed = true;
    }
    return { ...this.#delete(deleted, true), editedDocuments: candidates };
  }

  #clear(): Outcome {
    const deletedDocuments = this.#changes.documents;
    this.#changes.clear();
    this.#changed = true;
    return { deletedDocuments };
  }

  #setPrimaryKey(primaryKey: string): Outcome {
    const known = this.#primaryKey;
    if (known !== null && known !== primaryKey && this.#changes.documents > 0)
      throw this.#keyIsSet(known, "it cannot change while the index holds documents");
    this.#primaryKey = primaryKey;
    this.#changed = true;
    return {};
  }

  #keyIsSet(primaryKey: string, reason: string): TarsierError {
    const { indexUid } = this.#batch;
    return new TarsierError("index_primary_key_already_exists", { indexUid, primaryKey, reason });
  }

  #feed({ indexing, after, vectors, calls }: WriteOptions): DocumentFeed {
    const { core } = this.#reader.share;
    const facts = { settings: after, indexUid: this.#batch.indexUid };
    const preparation = new DocumentPreparation(this.#reader, this.#contents.scanner, vectors, facts);
    return new DocumentFeed(core, indexing, preparation, calls);
  }

  /** The check that existing documents must pass when the settings change; null: none. */
  #checkOfOld({ before, after }: WriteOptions): DocumentCheck | null {
    const known = placeFields(before);
    const fields = placeFields(after).filter((field) => !known.includes(field));
    if (fields.length === 0) return null;
    const { scanner } = this.#contents;
    return (document, idOf) => checkPlaces(scanner, document, fields, idOf, true);
  }

  /** `mayStay`: documents that came as they are in the index are not written again. */
  *#writeNew(
    { after, step, interrupt }: WriteOptions,
    feed: DocumentFeed,
    { docids, entries }: NumberedDocuments,
    mayStay: boolean,
  ): Work<void> {
    const { ids } = this.#changes;
    const unchanged = new UnchangedDocuments(this.#reader);
    const { scanner } = this.#contents;
    const places = placeFields(after);
    const areOld = this.#batch.isRestored ?? false;
    for (let i = 0; i < docids.length; i++) {
      if (i % INTERRUPT_DOCUMENTS === 0) {
        interrupt();
        step(i, docids.length);
      }
      this.#current = i;
      const entry = entries[i];
      const document = this.#contents.locate(this.#changes, entry);
      if (places.length > 0) checkPlaces(scanner, document, places, () => ids.string(entry), areOld);
      const isPlain = document.isClear && feed.preparation.isIdle;
      if (isPlain && !mentionsVectors(scanner, document.pointer, document.length)) {
        const isKnown = mayStay && this.#changes.oldDocid(entry) >= 0;
        const stays = isKnown && (document.isUnchanged ?? unchanged.has(docids[i], document));
        if (stays) this.#changes.leave(entry);
        else feed.addPlain(docids[i], ids.text(entry), document);
        continue;
      }
      // Rendering the texts to embed may take seconds per document.
      interrupt();
      const changed = changedDocument(this.#changes, this.#contents, feed.preparation, entry, document);
      if (changed) yield* feed.add(docids[i], changed);
      else feed.addPlain(docids[i], ids.text(entry), this.#contents.locate(this.#changes, entry));
    }
    yield* feed.flush();
  }

  /** The same with the tasks that brought the document, unless it was in the index before. */
  #withTask(error: LargeDocument, { docids, entries }: NumberedDocuments): LargeDocument {
    // Others may have come since, while it waited for its vectors or for the end of its segment.
    const place = error.docid === null ? this.#current : docids.indexOf(error.docid);
    if (place < 0) return error;
    const entry = entries[place];
    const pieces = this.#changes.pieces(entry).sort((a, b) => b.length - a.length);
    const taskUids = new Set(pieces.map(({ payload }) => this.#taskUids[payload]));
    return error.of(taskUids).named(this.#changes.ids.string(entry));
  }
}

/** The fields that, if present, must contain a valid place. */
const placeFields = (settings: Settings): PlaceField[] => [
  ...(hasPoints(settings) ? (["_geo"] as const) : []),
  ...(filtersShapes(settings) ? (["_geojson"] as const) : []),
];

/** The segment that was written in place of another one, with the other's deleted documents. */
function replaced(entry: SegmentEntry, rebuilt: ReadonlyMap<string, SegmentEntry> | null): SegmentEntry {
  const other = rebuilt?.get(entry.name);
  return other ? { ...other, tombstones: entry.tombstones } : entry;
}

const sum = (before: EmbeddingCounts, gone: EmbeddingCounts, added: EmbeddingCounts): EmbeddingCounts => ({
  vectors: before.vectors - gone.vectors + added.vectors,
  documents: before.documents - gone.documents + added.documents,
});

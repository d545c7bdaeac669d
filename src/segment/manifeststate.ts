// The content of a manifest: the whole state of an index, and its encoding. The engine makes the next state
// from the last one, manifest.ts writes it, manifestreader.ts reads it.
//
//   payload   [ f64 version | MessagePack of the state ]   the payload of a record (storage/recordformat.ts)
//
// Settings, embedders and the field distribution are JSON texts inside: their keys come from users, and a
// decoder of maps may rename a key such as `__proto__`.
import { Packr } from "msgpackr/pack";
import { messageOf, TarsierError } from "../errors.ts";
import { damagedFile, unknownFormat } from "../storage/failure.ts";
import { markText, unmarkText } from "../storage/texts.ts";

export interface ManifestState {
  /** 0: nothing was ever committed; each commit adds one. */
  version: number;
  formatVersion: number;
  primaryKey: string | null;
  /** Settings as the engine keeps them: JSON, opaque to this layer. */
  settings: object;
  /** Searchable fields: flattened dotted names in order of their numbers. */
  fields: string[];
  /** Fields that once were searched, and columns that no segment has any more: they stay known. */
  formerFields: string[];
  segments: SegmentEntry[];
  /** Documents that are not deleted, in all segments. */
  numberOfDocuments: number;
  /** Top-level field name -> number of documents that hold it. */
  fieldDistribution: Record<string, number>;
  /** Bytes of the documents that are not deleted, before compression. */
  rawDocumentBytes: number;
  /** What is known of the embedders in the settings, by name. */
  embedders: Record<string, EmbedderState>;
  /** Vectors of documents that are not deleted, and how many documents have some. */
  embeddings: EmbeddingCounts;
  /** Number for the name of the next segment: larger than any that was ever committed. */
  nextSegment: number;
  /**
   * Results of the batch that made this state, one per operation, in case the batch is run again after a
   * crash.
   */
  lastBatch: { results: object[] } | null;
}

export interface EmbedderState {
  /** Length of its vectors, as given or found out. */
  dimensions: number;
  /** Names of its indexing fragments by slot; null: the slot is free. */
  fragments: (string | null)[];
}

export interface EmbeddingCounts {
  vectors: number;
  documents: number;
}

export interface SegmentEntry {
  /** Name of its file inside the folder of the index. */
  name: string;
  /** Number of documents with which it was written, deleted ones included. */
  documents: number;
  /** Size of the file. */
  bytes: number;
  rawDocumentBytes: number;
  /** Hash of the settings under which it was built. */
  settingsHash: string;
  firstDocid: number;
  lastDocid: number;
  /** Documents of this segment that were deleted since; null: none. Made by tombstones.ts. */
  tombstones: TombstonesEntry | null;
}

/** A set of deleted docids, given by its bytes or by the name of a file. Exactly one of the two is null. */
export interface TombstonesEntry {
  count: number;
  file: string | null;
  inline: Uint8Array | null;
}

/** What a commit takes: the log adds the version. */
export type NextState = Omit<ManifestState, "version" | "formatVersion">;

export const MANIFEST_FORMAT = 2;
const VERSION_BYTES = 8;
const DOCID_MAX = 2 ** 32 - 2;

const packr = new Packr({ useRecords: false, copyBuffers: true, variableMapSize: true });

/** The state of an index that has no manifest. */
export function emptyState(): ManifestState {
  return {
    version: 0,
    formatVersion: MANIFEST_FORMAT,
    primaryKey: null,
    settings: {},
    fields: [],
    formerFields: [],
    segments: [],
    numberOfDocuments: 0,
    fieldDistribution: {},
    rawDocumentBytes: 0,
    embedders: {},
    embeddings: { vectors: 0, documents: 0 },
    nextSegment: 1,
    lastBatch: null,
  };
}

/** The payload of a record. */
export function encodeState(next: NextState, version: number): Uint8Array {
  const packed: PackedState = {
    formatVersion: MANIFEST_FORMAT,
    primaryKey: next.primaryKey && markText(next.primaryKey),
    settings: JSON.stringify(next.settings),
    fields: next.fields.map(markText),
    formerFields: next.formerFields.map(markText),
    segments: next.segments,
    numberOfDocuments: next.numberOfDocuments,
    fieldDistribution: JSON.stringify(next.fieldDistribution),
    rawDocumentBytes: next.rawDocumentBytes,
    embedders: JSON.stringify(next.embedders),
    embeddings: next.embeddings,
    nextSegment: next.nextSegment,
    lastBatch: next.lastBatch,
  };
  const body = packr.pack(packed);
  const payload = new Uint8Array(VERSION_BYTES + body.length);
  new DataView(payload.buffer).setFloat64(0, version, true);
  payload.set(body, VERSION_BYTES);
  return payload;
}

/**
 * Version of the state in a payload, without decoding it.
 * @throws TarsierError `invalid_store_file` when the payload is too short for a version, or the version is
 * not one
 */
export function versionOf(payload: Uint8Array, file: string): number {
  if (payload.length < VERSION_BYTES) {
    const found = `${payload.length} bytes`;
    throw damagedFile({ file, offset: 0, expected: "the state of an index", found });
  }
  const version = new DataView(payload.buffer, payload.byteOffset, payload.length).getFloat64(0, true);
  if (isCount(version)) return version;
  throw damagedFile({ file, offset: 0, expected: "the version of a state", found: String(version) });
}

/** The JSON that settings were read from. */
const settingsTexts = new WeakMap<object, string>();

/**
 * The state in a payload. `file`: for messages. `earlier`: settings that were read before; a state with the
 * same has that very object, so that what was made of them is not made again.
 * @throws TarsierError `invalid_store_file` when it has another format, or contradicts itself
 */
export function decodeState(payload: Uint8Array, file: string, earlier: object | null = null): ManifestState {
  try {
    return unpackState(payload, file, earlier);
  } catch (cause) {
    if (cause instanceof TarsierError) throw cause;
    const found = messageOf(cause);
    throw damagedFile({ file, offset: 0, expected: "the state of an index", found });
  }
}

function unpackState(payload: Uint8Array, file: string, earlier: object | null): ManifestState {
  const packed = packr.unpack(payload.subarray(VERSION_BYTES)) as PackedState;
  if (packed.formatVersion !== MANIFEST_FORMAT)
    throw unknownFormat(file, packed.formatVersion, MANIFEST_FORMAT, 0);
  const { formerColumns = [], ...rest } = packed;
  const state: ManifestState = {
    ...rest,
    primaryKey: packed.primaryKey && unmarkText(packed.primaryKey),
    fields: packed.fields.map(unmarkText),
    // Absent in the first manifests, and then stored under another name.
    formerFields: (packed.formerFields ?? formerColumns).map(unmarkText),
    version: versionOf(payload, file),
    settings: readSettings(packed.settings, earlier),
    embedders: JSON.parse(packed.embedders) as ManifestState["embedders"],
    fieldDistribution: JSON.parse(packed.fieldDistribution) as Record<string, number>,
  };
  const contradiction = contradictionIn(state);
  if (contradiction) {
    throw damagedFile({ file, offset: 0, expected: "a state without contradiction", found: contradiction });
  }
  return state;
}

function readSettings(text: string, earlier: object | null): object {
  if (earlier && settingsTexts.get(earlier) === text) return earlier;
  const settings = JSON.parse(text) as object;
  settingsTexts.set(settings, text);
  return settings;
}

/** Why a state is impossible, or null. Checked before it is written and after it was read. */
export function contradictionIn(state: NextState): string | null {
  if (![state.fields, state.formerFields].every(isTexts)) return "names that are none";
  const names = new Set<string>();
  let documents = 0;
  for (const segment of state.segments) {
    const { name, firstDocid, lastDocid, tombstones } = segment;
    if (names.has(name)) return `segment ${name} twice`;
    names.add(name);
    const numbers = [segment.documents, segment.bytes, segment.rawDocumentBytes, firstDocid, lastDocid];
    if (!numbers.every(isCount) || lastDocid > DOCID_MAX || (tombstones && !isCount(tombstones.count)))
      return `segment ${name} with numbers that are none`;
    if (segment.documents < 1 || lastDocid - firstDocid + 1 < segment.documents) {
      return `segment ${name} with ${segment.documents} documents between ${firstDocid} and ${lastDocid}`;
    }
    if (tombstones && (tombstones.count < 1 || tombstones.count > segment.documents)) {
      return `segment ${name} with ${tombstones.count} of ${segment.documents} documents deleted`;
    }
    if (tombstones && (tombstones.file === null) === (tombstones.inline === null)) {
      return `segment ${name} with tombstones in no place or in two`;
    }
    documents += segment.documents - (tombstones?.count ?? 0);
  }
  if (documents !== state.numberOfDocuments) {
    return `${state.numberOfDocuments} documents, but ${documents} in the segments`;
  }
  return null;
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((text) => typeof text === "string");

type PackedState = Omit<
  ManifestState,
  "version" | "settings" | "fieldDistribution" | "embedders" | "formerFields"
> & {
  formerFields?: string[];
  formerColumns?: string[];
  settings: string;
  embedders: string;
  fieldDistribution: string;
};

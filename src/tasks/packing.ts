// Makes a bundle of one index: a data folder of static files with only that index, merged into as few
// segments as possible, and a description of them. A browser reads it by ranges (storage/bundle.ts) or copies
// it. Called by `tarsier pack`; the index is only read.
//
//   bundle.json, first.bin, journal.log, indexes/<folder>/manifest-00000001.log, indexes/<folder>/<its files>
//
// The description comes last: a folder without it is no bundle.
import { openLocalEngine } from "../engine/pool.ts";
import { TarsierError } from "../errors.ts";
import { FEATURE_KIND } from "../schemas/features.ts";
import { searchQueryOf } from "../schemas/search.ts";
import { JOURNAL_KIND, JOURNAL_NAME } from "../segment/journalfile.ts";
import { filesOf, manifestName } from "../segment/manifestfiles.ts";
import { MANIFEST_KIND, readManifest } from "../segment/manifestreader.ts";
import { encodeState } from "../segment/manifeststate.ts";
import {
  BUNDLE_DESCRIPTION_NAME,
  BUNDLE_FIRST_NAME,
  BUNDLE_FORMAT,
  type BundleDescription,
  BundleStorage,
  type FilePart,
} from "../storage/bundle.ts";
import { piecesOf } from "../storage/filepieces.ts";
import { encodeLog, encodeLogPieces } from "../storage/recordformat.ts";
import { RecordReader } from "../storage/recordreader.ts";
import { join, type Storage } from "../storage/storage.ts";
import type { CatalogEntry } from "./catalog.ts";
import { type JournalRecord, packRecord, unpackRecord } from "./records.ts";
import { State } from "./state.ts";

const FIRST_BYTES_MAX = 4 * 1024 * 1024;
/** All of what is fetched first is needed, so it can be cut finely. */
const FIRST_GRAIN = { blockBytes: 4096, blocksAheadMax: 1 };
/** Bounds for the merge. */
const MEMORY = { indexingBytes: 256 * 1024 * 1024, searchBytes: 64 * 1024 * 1024 };

/**
 * `output`: empty, or a folder that does not exist. `version`: that of this program.
 * @throws TarsierError `index_not_found`, `database_refused` when there is no database or the output is taken
 */
export async function packIndex(
  source: Storage,
  output: Storage,
  uid: string,
  version: string,
): Promise<BundleDescription> {
  const state = readState(source);
  const entry = state.catalog.get(uid);
  if (!entry) throw new TarsierError("index_not_found", { indexUid: uid });
  if (output.list("").length + output.listFolders("").length > 0)
    throw new TarsierError("database_refused", { message: "The folder for the bundle is not empty" });
  output.makeFolder(entry.folder);
  copyIndex(source, output, entry);
  const description = await compacted(output, entry.folder);
  tidyIndex(output, entry.folder);
  const records = keptRecords(state, uid, { ...entry, description });
  write(output, JOURNAL_NAME, encodeLogPieces(JOURNAL_KIND, records.map(packRecord)));
  const files: Record<string, number> = {};
  for (const folder of ["", entry.folder])
    for (const name of output.list(folder)) files[join(folder, name)] = output.size(join(folder, name));
  const documents = description.numberOfDocuments;
  const first = {
    file: BUNDLE_FIRST_NAME,
    parts: await firstParts(output, uid, { ...entry, description }, files),
  };
  write(output, BUNDLE_FIRST_NAME, partsOf(output, first.parts));
  const bundle: BundleDescription = { format: BUNDLE_FORMAT, index: uid, documents, version, files, first };
  write(output, BUNDLE_DESCRIPTION_NAME, [new TextEncoder().encode(`${JSON.stringify(bundle, null, 2)}\n`)]);
  return bundle;
}

/** The state that the journal of a database describes; nothing is changed. */
function readState(storage: Storage): State {
  if (!storage.exists(JOURNAL_NAME))
    throw new TarsierError("database_refused", { message: "The folder holds no database" });
  const state = new State();
  const file = storage.open(JOURNAL_NAME);
  try {
    const reader = RecordReader.open(file, JOURNAL_NAME, JOURNAL_KIND);
    for (let payload = reader.next(); payload; payload = reader.next()) state.apply(unpackRecord(payload));
    return state;
  } finally {
    file.close();
  }
}

/** Copies the newest state of an index, with a manifest of only that state. */
function copyIndex(source: Storage, output: Storage, { folder, description }: CatalogEntry): void {
  const state = readManifest(source, folder, description.version);
  if (state.version === 0) return;
  for (const name of filesOf(state)) copyFile(source, output, join(folder, name));
  write(output, join(folder, manifestName(1)), [encodeLog(MANIFEST_KIND, encodeState(state, state.version))]);
}

async function compacted(output: Storage, folder: string): Promise<CatalogEntry["description"]> {
  const engine = openLocalEngine(output, { threads: 0, ...MEMORY });
  try {
    return (await engine.compact(folder)).index;
  } finally {
    await engine.close();
  }
}

/** Keeps only the files of the newest state, and a manifest of only that state. */
function tidyIndex(output: Storage, folder: string): void {
  const state = readManifest(output, folder, 0);
  if (state.version === 0) return;
  const kept = new Set(filesOf(state));
  for (const name of output.list(folder)) if (!kept.has(name)) output.remove(join(folder, name));
  write(output, join(folder, manifestName(1)), [encodeLog(MANIFEST_KIND, encodeState(state, state.version))]);
}

/** A new instance uid, the index, and the features that decide how it is searched. */
function keptRecords(state: State, uid: string, entry: CatalogEntry): JournalRecord[] {
  const features = [...state.values(FEATURE_KIND)].map(
    ([key, value]): JournalRecord => ({ type: "put", kind: FEATURE_KIND, key, value }),
  );
  return [
    { type: "instance", uid: globalThis.crypto.randomUUID() },
    { type: "catalog", changes: [{ uid, entry }] },
    ...features,
  ];
}

/**
 * What a store reads to open and to show a page of all documents with all facets: fetched in one go, it saves
 * a reader dozens of requests in sequence.
 */
async function firstParts(
  output: Storage,
  indexUid: string,
  { folder, description: { version } }: CatalogEntry,
  files: Record<string, number>,
): Promise<FilePart[]> {
  const parts: FilePart[] = [];
  const read = (name: string, from: number, end: number) => {
    parts.push({ name, from, end });
    return bytesOf(output, { name, from, end });
  };
  const storage = new BundleStorage(files, read, FIRST_GRAIN);
  storage.open(JOURNAL_NAME).readInto(new Uint8Array(1), 0);
  const engine = openLocalEngine(storage, { threads: 0, ...MEMORY });
  try {
    const index = { folder, indexUid, version };
    const { filterableAttributes } = await engine.settings(index);
    const facets = filterableAttributes.length > 0 ? ["*"] : null;
    await engine.search(index, searchQueryOf({ facets }, "", null));
  } catch (error) {
    // Settings may refuse some facets; a reader that needs them fetches them later.
    if (!(error instanceof TarsierError)) throw error;
  } finally {
    await engine.close();
  }
  let bytes = 0;
  const first = parts.filter(({ from, end }) => {
    bytes += end - from;
    return bytes <= FIRST_BYTES_MAX;
  });
  return joined(first);
}

/** Parts sorted by file and place, with touching ones joined. */
function joined(parts: readonly FilePart[]): FilePart[] {
  const sorted = [...parts].sort((a, b) => (a.name === b.name ? a.from - b.from : a.name < b.name ? -1 : 1));
  const found: FilePart[] = [];
  for (const part of sorted) {
    const last = found.at(-1);
    if (last?.name === part.name && part.from <= last.end) last.end = Math.max(last.end, part.end);
    else found.push({ ...part });
  }
  return found;
}

function* partsOf(storage: Storage, parts: readonly FilePart[]): Generator<Uint8Array> {
  for (const part of parts) yield bytesOf(storage, part);
}

function bytesOf(storage: Storage, { name, from, end }: FilePart): Uint8Array {
  const file = storage.open(name);
  try {
    const bytes = new Uint8Array(end - from);
    file.readInto(bytes, from);
    return bytes;
  } finally {
    file.close();
  }
}

function copyFile(source: Storage, output: Storage, name: string): void {
  const file = source.open(name);
  try {
    write(output, name, piecesOf(file, file.size));
  } finally {
    file.close();
  }
}

function write(storage: Storage, name: string, pieces: Iterable<Uint8Array>): void {
  const file = storage.create(name);
  try {
    for (const piece of pieces) file.append(piece);
    file.sync();
  } finally {
    file.close();
  }
}

// Merges segments into one: documents that still live, in the order of their numbers, and the lists of every term united.
// Runs in its own thread beside batches and searches; nobody sees the result before the manifest names it. Documents
// deleted while it runs are the business of the commit (engine/ingest/mergecommit.ts).
import type { Core } from "../core/core.ts";
import { Workspace } from "../core/workspace.ts";
import type { Storage } from "../storage/storage.ts";
import { type BuildBuffers, writeShapes } from "./builder.ts";
import type { ExtentCache } from "./cache.ts";
import { BlockScratch, DocumentBlockWriter } from "./documentblocks.ts";
import type { SegmentEntry } from "./manifeststate.ts";
import { IdTexts } from "./idsection.ts";
import { Segment } from "./segment.ts";
import { Spool } from "./spool.ts";
import { mergeTerms } from "./termmerge.ts";
import { readTombstones } from "./tombstones.ts";
import { SegmentWriter } from "./writer.ts";

/** One of the segments that are merged. */
export interface MergeSource {
  segment: Segment;
  /** Bitmap of deleted docids, or 0. */
  tombstones: number;
  /** 64-bit words of that bitmap. */
  words: number;
}

export interface MergeJob {
  folder: string;
  /** Name of the new segment. */
  name: string;
  entries: SegmentEntry[];
}

/** Memory of a merging thread. */
export interface MergeShare {
  core: Core;
  storage: Storage;
  cache: ExtentCache;
  buffers: BuildBuffers;
}

const ID_BYTES_MAX = 512;

/** Checked now and then; a set flag ends the work with an exception. */
export type Interrupt = () => void;

/** Writes the merged segment. Null when no document is left. */
export function mergeSegments(share: MergeShare, job: MergeJob, interrupt: Interrupt): SegmentEntry | null {
  const workspace = new Workspace(share.core);
  const sources = openSources(share, job, workspace);
  const writer = new SegmentWriter(share.storage, `${job.folder}/${job.name}`, share.core, share.buffers.write);
  const spool = new Spool(share.storage, `${job.folder}/${job.name}.tmp`);
  try {
    return write(share, sources, job, { writer, spool, workspace, interrupt });
  } catch (error) {
    spool.discard();
    writer.abandon();
    throw error;
  } finally {
    for (const { segment } of sources) {
      segment.close();
      segment.documents.scratch.region.free();
    }
    workspace.free();
  }
}

/** What one merge writes to, and the memory it borrows. */
export interface MergeOutput {
  writer: SegmentWriter;
  spool: Spool;
  workspace: Workspace;
  interrupt: Interrupt;
}

function write(
  share: MergeShare,
  sources: MergeSource[],
  { name, entries }: MergeJob,
  output: MergeOutput,
): SegmentEntry | null {
  const { writer } = output;
  const copied = copyDocuments(share, sources, output);
  const documents = copied.docids.length;
  if (documents === 0) {
    writer.abandon();
    return null;
  }
  copied.ids.writeTo(writer, share.core);
  const firstDocid = copied.docids[0];
  const lastDocid = copied.docids[documents - 1];
  if (lastDocid - firstDocid + 1 !== documents) {
    writer.writeSection("order", new Uint8Array(Uint32Array.from(copied.docids).buffer));
  }
  const shapeBytes = writeShapes(writer, copied.shapes);
  const terms = mergeTerms(share, sources, output);
  const { settingsHash } = entries[0];
  const facts = { documents, firstDocid, lastDocid, rawDocumentBytes: copied.rawBytes, settingsHash };
  const bytes = writer.finish({ ...facts, terms, shapes: copied.shapeNames, shapeBytes });
  return { name, bytes, ...facts, tombstones: null };
}

/** Each source has a scratch of its own, so that documents taken in turn do not unpack blocks again and again. */
function openSources(
  { core, storage, cache }: MergeShare,
  { folder, entries }: MergeJob,
  workspace: Workspace,
): MergeSource[] {
  return entries.map((entry) => {
    const segment = new Segment(storage, folder, entry.name, cache, new BlockScratch(core));
    if (!entry.tombstones) return { segment, tombstones: 0, words: 0 };
    const words = Math.ceil((entry.lastDocid + 1) / 64);
    const bitmap = readTombstones(storage, folder, entry.tombstones).toBitmap(words);
    const tombstones = workspace.take(bitmap.length);
    core.write(tombstones, bitmap);
    return { segment, tombstones, words };
  });
}

interface Copied {
  docids: number[];
  shapes: number[];
  shapeNames: string[][];
  ids: IdTexts;
  rawBytes: number;
}

function copyDocuments(
  { core, cache, buffers }: MergeShare,
  sources: MergeSource[],
  { writer, workspace, interrupt }: MergeOutput,
): Copied {
  const blocks = new DocumentBlockWriter(buffers.blocks, writer);
  const shapeNumbers = new Map<string, number>();
  const copied: Copied = { docids: [], shapes: [], shapeNames: [], ids: new IdTexts(), rawBytes: 0 };
  const idText = workspace.take(ID_BYTES_MAX);
  for (const { source, ordinal, docid } of liveDocuments(core, cache, sources)) {
    if (copied.docids.length % 1024 === 0) interrupt();
    const { pointer, length } = source.segment.document(ordinal);
    blocks.add(pointer, length);
    copied.docids.push(docid);
    const names = source.segment.meta.shapes[source.segment.shapeOf(ordinal)];
    const key = JSON.stringify(names);
    let shape = shapeNumbers.get(key);
    if (shape === undefined) {
      shape = copied.shapeNames.push(names) - 1;
      shapeNumbers.set(key, shape);
    }
    copied.shapes.push(shape);
    const idLength = core.exports.idSectionText(source.segment.load("ids"), ordinal, idText);
    copied.ids.add(core.u8.subarray(idText, idText + idLength));
  }
  blocks.finish();
  copied.rawBytes = blocks.rawBytes;
  return copied;
}

/** The documents of all sources that live, ascending by docid. */
function* liveDocuments(
  core: Core,
  cache: ExtentCache,
  sources: MergeSource[],
): Generator<{ source: MergeSource; ordinal: number; docid: number }> {
  const ordinals = sources.map(() => -1);
  const docids = sources.map(() => 0);
  const advance = (i: number) => {
    const { segment, tombstones } = sources[i];
    do {
      if (++ordinals[i] >= segment.meta.documents) {
        docids[i] = Number.POSITIVE_INFINITY;
        return;
      }
      docids[i] = segment.docidOf(ordinals[i]);
    } while (tombstones && (core.u8[tombstones + (docids[i] >> 3)] >> (docids[i] & 7)) & 1);
  };
  cache.beginTurn();
  sources.forEach((_, i) => advance(i));
  for (;;) {
    let best = 0;
    for (let i = 1; i < sources.length; i++) if (docids[i] < docids[best]) best = i;
    const docid = docids[best];
    if (docid === Number.POSITIVE_INFINITY) return;
    cache.beginTurn();
    yield { source: sources[best], ordinal: ordinals[best], docid };
    cache.beginTurn();
    advance(best);
  }
}

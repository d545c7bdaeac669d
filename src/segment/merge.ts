// Merges segments into one: live documents in the order of their numbers, and the united lists of every term.
// Runs in its own thread beside batches and searches; the result is not visible before the manifest names it.
// Documents that are deleted while it runs are handled by the commit (engine/ingest/mergecommit.ts).
import { Region } from "../core/region.ts";
import { Workspace } from "../core/workspace.ts";
import { writeOrder, writeShapes } from "./builder.ts";
import { mergeColumns } from "./columnmerge.ts";
import { mergeDocuments } from "./documentmerge.ts";
import { SegmentFile } from "./file.ts";
import { mergeGeometries } from "./geometrymerge.ts";
import type { Interrupt } from "./interrupt.ts";
import type { SegmentEntry } from "./manifeststate.ts";
import type { MergeOutput, MergeShare, MergeSource } from "./mergeparts.ts";
import { mergePoints } from "./pointmerge.ts";
import { Spool, spoolOf } from "./spool.ts";
import { mergeTerms } from "./termmerge.ts";
import { readTombstones } from "./tombstones.ts";
import { mergeVectors } from "./vectormerge.ts";
import { SegmentWriter } from "./writer.ts";

export interface MergeJob {
  folder: string;
  /** Name of the new segment. */
  name: string;
  entries: SegmentEntry[];
}

/**
 * Writes the merged segment. Null when no document is left; in that case, and after an error, there is no
 * file.
 * @throws TarsierError `invalid_store_file` for a damaged source
 */
export function mergeSegments(share: MergeShare, job: MergeJob, interrupt: Interrupt): SegmentEntry | null {
  const { core, storage, buffers } = share;
  const path = `${job.folder}/${job.name}`;
  const workspace = new Workspace(core);
  const sources: MergeSource[] = [];
  const writer = new SegmentWriter(storage, path, core, buffers.write);
  const spool = new Spool(storage, `${job.folder}/${spoolOf(job.name)}`, buffers.spool);
  let merged: SegmentEntry | null = null;
  try {
    for (const entry of job.entries) sources.push(openSource(share, job.folder, entry, workspace));
    merged = write(share, sources, job, { writer, spool, workspace, interrupt });
    return merged;
  } finally {
    for (const { file } of sources) file.close();
    workspace.free();
    if (!merged) {
      spool.discard();
      writer.abandon();
      storage.remove(path);
    }
  }
}

function openSource(
  { core, storage }: MergeShare,
  folder: string,
  entry: SegmentEntry,
  workspace: Workspace,
): MergeSource {
  const file = new SegmentFile(storage, `${folder}/${entry.name}`);
  try {
    const meta = file.readMeta(core, (bytes) => workspace.take(bytes));
    if (!entry.tombstones) return { file, meta, tombstones: 0, words: 0 };
    const words = Math.ceil((entry.lastDocid + 1) / 64);
    const bitmap = readTombstones(storage, folder, entry.tombstones).toBitmap(words);
    const tombstones = workspace.take(bitmap.length);
    core.write(tombstones, bitmap);
    return { file, meta, tombstones, words };
  } catch (error) {
    file.close();
    throw error;
  }
}

function write(
  share: MergeShare,
  sources: MergeSource[],
  { name, entries }: MergeJob,
  output: MergeOutput,
): SegmentEntry | null {
  const { core } = share;
  const { writer } = output;
  const documents = mergeDocuments(share, sources, output);
  const { docids, shapes, shapeNames, ids, blocks } = documents;
  if (docids.length === 0) return null;
  const room = output.workspace.own(new Region(core));
  ids.writeTo(writer, (bytes) => room.ensure(bytes));
  room.free();
  const range = writeOrder(core, writer, docids);
  const shapeBytes = writeShapes(core, writer, shapes);
  const order = output.workspace.take(4 * range.documents);
  docids.copyTo(order);
  documents.free();
  const terms = mergeTerms(share, sources, output);
  const columns = mergeColumns(share, sources, output, { order, documents: range.documents });
  const points = mergePoints(share.core, sources, output);
  const geometries = mergeGeometries(share.core, sources, output);
  const vectors = mergeVectors(share, sources, output);
  const { settingsHash } = entries[0];
  const facts = { ...range, rawDocumentBytes: blocks.rawBytes, settingsHash };
  const idKinds = sources.reduce((kinds, { meta }) => kinds | meta.idKinds, 0);
  const words = { idKinds, terms, packsStarts: true, shapes: shapeNames, shapeBytes };
  const bytes = writer.finish({ ...facts, ...words, columns, points, geometries, vectors });
  return { name, bytes, ...facts, tombstones: null };
}

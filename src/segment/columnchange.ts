// Writes a segment again with other columns, after a change of settings about them: everything else is copied
// as it is. Columns that stay are made from their codes, without looking at the documents; new ones come from
// a value table that the caller has filled. Called by engine/ingest/columnrebuild.ts.
import type { Core } from "../core/core.ts";
import { Workspace } from "../core/workspace.ts";
import type { Storage } from "../storage/storage.ts";
import type { BuildBuffers } from "./builder.ts";
import { addColumns, type ColumnFate } from "./columnmerge.ts";
import { ColumnWriter } from "./columnwriter.ts";
import { SegmentFile } from "./file.ts";
import type { SectionName, SegmentMeta } from "./format.ts";
import type { GeometryList } from "./geometrylist.ts";
import type { SegmentEntry } from "./manifeststate.ts";
import type { PointList } from "./points.ts";
import { SectionStream } from "./stream.ts";
import { SegmentWriter } from "./writer.ts";

/** The sections that are copied; `points` and `geometries` are copied too, unless there are new ones. */
const COPIED: readonly SectionName[] = [
  "vectors",
  ...(["documents", "blocks", "ids", "order", "shapes", "terms", "offsets"] as const),
  ...(["postings", "positions"] as const),
];
const COPY_BYTES = 256 * 1024;

interface ColumnChange {
  folder: string;
  /** Name of the new segment. */
  name: string;
  settingsHash: string;
  fate: ColumnFate;
  /** Writes the columns that the segment lacks. */
  addNew: (writer: ColumnWriter) => void;
  /** The places of the new segment, or what becomes of the existing ones. */
  points: PointList | "kept" | "gone";
  geometries: GeometryList | "kept" | "gone";
  /** Called now and then; throws to end the work. */
  interrupt: () => void;
}

/** Memory and files of the thread. */
interface ChangeShare {
  core: Core;
  storage: Storage;
  buffers: BuildBuffers;
}

/**
 * Writes the new segment. Documents deleted in the old one are deleted in it, too. After an error an
 * unreferenced file may be left.
 * @throws TarsierError `invalid_store_file` for a damaged segment
 */
export function changeColumns(share: ChangeShare, entry: SegmentEntry, change: ColumnChange): SegmentEntry {
  const { core, storage, buffers } = share;
  const { folder, name, settingsHash } = change;
  const workspace = new Workspace(core);
  const file = new SegmentFile(storage, `${folder}/${entry.name}`);
  const writer = new SegmentWriter(storage, `${folder}/${name}`, core, buffers.write);
  let isDone = false;
  try {
    const meta = file.readMeta(core, (bytes) => workspace.take(bytes));
    const places = (["points", "geometries"] as const).filter((section) => change[section] === "kept");
    for (const section of [...COPIED, ...places]) {
      copySection(core, file, section, writer, change.interrupt);
    }
    const columns = writeColumns(core, { file, meta }, workspace, writer, change);
    const points = written(change.points, meta.points, writer);
    const geometries = written(change.geometries, meta.geometries, writer);
    const bytes = writer.finish({ ...meta, settingsHash, columns, points, geometries });
    isDone = true;
    return { ...entry, name, bytes, settingsHash };
  } finally {
    if (!isDone) writer.abandon();
    file.close();
    workspace.free();
  }
}

function copySection(
  core: Core,
  file: SegmentFile,
  name: SectionName,
  writer: SegmentWriter,
  interrupt: () => void,
): void {
  const section = file.sections.get(name);
  if (!section) return;
  const stream = new SectionStream(core, file, name);
  writer.beginSection(name);
  for (let offset = 0; offset < section.length; offset += COPY_BYTES) {
    interrupt();
    const length = Math.min(COPY_BYTES, section.length - offset);
    writer.appendFrom(stream.view(offset, length), length);
  }
  writer.endSection();
  stream.free();
}

function writeColumns(
  core: Core,
  { file, meta }: { file: SegmentFile; meta: SegmentMeta },
  workspace: Workspace,
  segment: SegmentWriter,
  { fate, addNew, interrupt }: ColumnChange,
) {
  const { documents } = meta;
  const order = orderOf(core, file, meta, workspace);
  const writer = new ColumnWriter(core, segment, { order, documents });
  const source = { file, meta, tombstones: 0, words: 0 };
  addColumns(core, [source], { workspace, interrupt }, { order, documents }, writer, fate);
  addNew(writer);
  return writer.finish();
}

/** Address of the docids of a segment. */
function orderOf(core: Core, file: SegmentFile, meta: SegmentMeta, workspace: Workspace): number {
  const { documents, firstDocid } = meta;
  if (file.section("order").length > 0) {
    return file.readSection(core, "order", (bytes) => workspace.take(bytes));
  }
  const order = workspace.take(4 * documents);
  const { u32 } = core;
  for (let ordinal = 0; ordinal < documents; ordinal++) u32[order / 4 + ordinal] = firstDocid + ordinal;
  return order;
}

/**
 * Writes the places of one kind, if they are new; returns how many the new segment has. `before`: number in
 * the old one.
 */
function written(places: ColumnChange["points" | "geometries"], before: number, to: SegmentWriter): number {
  if (places === "kept") return before;
  return places === "gone" ? 0 : places.writeTo(to);
}

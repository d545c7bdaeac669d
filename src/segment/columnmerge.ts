// The columns of segments merged into section `columns` of a new one. Called by merge.ts and columnchange.ts.
// A column is made anew from the dictionaries and codes of its sources, without reading their posting lists.
import { COLUMN_VIEW_FIELDS, PLACE_DEAD, UNITE_ROW_FIELDS } from "../core/columns.ts";
import type { Core } from "../core/core.ts";
import { DICTIONARY_CURSOR_BYTES, DICTIONARY_WRITER_BYTES } from "../core/dictionary.ts";
import { Region } from "../core/region.ts";
import { Workspace } from "../core/workspace.ts";
import { type ColumnMeta, codesOf, columnLayout } from "./columnformat.ts";
import { ColumnWriter, type SegmentOrder } from "./columnwriter.ts";
import type { MergeOutput, MergeShare, MergeSource } from "./mergeparts.ts";

const FACT_FIELDS = 3;
/** Bytes of a dictionary, and of each of its blocks, in addition to the terms. */
const DICTIONARY_SLACK_BYTES = 256;
const BLOCK_TERMS = 32;
const BLOCK_OVERHEAD_BYTES = 40;

/** What happens to a column: whether it will have posting lists; null: it is dropped. */
export type ColumnFate = (column: ColumnMeta) => boolean | null;

/** Writes section `columns`. `order`: that of the new segment. */
export function mergeColumns(
  { core }: MergeShare,
  sources: readonly MergeSource[],
  output: MergeOutput,
  order: SegmentOrder,
): ColumnMeta[] {
  const writer = new ColumnWriter(core, output.writer, order);
  addColumns(core, sources, output, order, writer, ({ isListed }) => isListed);
  return writer.finish();
}

/** Writes the columns of the sources that stay. */
export function addColumns(
  core: Core,
  sources: readonly MergeSource[],
  output: Pick<MergeOutput, "workspace" | "interrupt">,
  order: SegmentOrder,
  writer: ColumnWriter,
  fate: ColumnFate,
): void {
  const listed = new Map<string, boolean>();
  for (const column of sources.flatMap(({ meta }) => meta.columns)) {
    const isListed = fate(column);
    if (isListed !== null) listed.set(column.name, isListed);
  }
  if (listed.size === 0) return;
  const parts = sources.map((source) => new MergePart(core, source, order, output.workspace));
  for (const name of [...listed.keys()].sort()) {
    output.interrupt();
    const workspace = new Workspace(core);
    try {
      const columns = parts.flatMap((part) => part.column(name, workspace) ?? []);
      mergeColumn(core, { name, isListed: listed.get(name)! }, columns, workspace, writer);
    } finally {
      workspace.free();
    }
  }
}

/** A column of one source, as addresses, with what the kernels need of it. */
interface SourceColumn {
  meta: ColumnMeta;
  documents: number;
  dictionary: number;
  view: number;
  places: number;
  /** Bitmap of the codes in use; below, the new code of each. */
  used: number;
  map: number;
}

/** One source, with the place of each of its documents in the new segment. */
class MergePart {
  readonly #core: Core;
  readonly #source: MergeSource;
  readonly #places: number;
  readonly #columns: ReadonlyMap<string, ColumnMeta>;

  constructor(core: Core, source: MergeSource, segment: SegmentOrder, workspace: Workspace) {
    this.#core = core;
    this.#source = source;
    const { file, meta, tombstones, words } = source;
    this.#columns = new Map(meta.columns.map((column) => [column.name, column]));
    const hasOrder = file.section("order").length > 0;
    const order = hasOrder ? file.readSection(core, "order", (bytes) => workspace.take(bytes)) / 4 : 0;
    this.#places = workspace.take(4 * meta.documents);
    const { u32 } = core;
    const docids = segment.order / 4;
    let place = 0;
    for (let ordinal = 0; ordinal < meta.documents; ordinal++) {
      const docid = hasOrder ? u32[order + ordinal] : meta.firstDocid + ordinal;
      while (place < segment.documents && u32[docids + place] < docid) place++;
      const isThere = place < segment.documents && u32[docids + place] === docid;
      const isDead = !isThere || (tombstones && core.exports.bitmapHas(tombstones, words, docid));
      u32[this.#places / 4 + ordinal] = isDead ? PLACE_DEAD : place;
    }
  }

  /** Reads dictionary and codes of a column; null when the source has no column of that name. */
  column(name: string, workspace: Workspace): SourceColumn | null {
    const { file, meta: segment } = this.#source;
    const meta = this.#columns.get(name);
    if (!meta) return null;
    const { parts, codeBits, startBits } = columnLayout(meta, segment.documents);
    const start = file.section("columns").offset + meta.at;
    const address = file.readRange(this.#core, start, parts.lists.start, (bytes) => workspace.take(bytes));
    const codes = codesOf(meta);
    const usedBytes = (codes >> 3) + 1;
    const used = workspace.take(usedBytes);
    const map = workspace.take(4 * codes);
    const view = workspace.take(4 * COLUMN_VIEW_FIELDS);
    this.#core.fill(used, 0, usedBytes);
    const starts = meta.isSingle ? 0 : address + parts.starts.start;
    const fields = [address + parts.codes.start, codeBits, starts, startBits, segment.documents, 0, 0];
    this.#core.u32.set(fields, view / 4);
    this.#core.exports.columnUsed(view, this.#places, used);
    const { documents } = segment;
    return { meta, documents, dictionary: address, view, places: this.#places, used, map };
  }
}

function mergeColumn(
  core: Core,
  { name, isListed }: Pick<ColumnMeta, "name" | "isListed">,
  columns: readonly SourceColumn[],
  workspace: Workspace,
  writer: ColumnWriter,
): void {
  const { numbers, texts, kinds, dictionary } = unite(core, columns, workspace);
  if (codesOf({ numbers, texts, kinds }) === 0) return;
  const most = columns.reduce((sum, { meta }) => sum + meta.entries, 0);
  const entries = new Region(core, 8 * most);
  let count = 0;
  for (const { view, places, meta, map } of columns) {
    const at = entries.pointer + 8 * count;
    count += core.exports.columnEntries(view, places, codesOf(meta), map, at);
  }
  writer.write({ name, numbers, texts, kinds, isListed, dictionary, entries: entries.pointer, count });
  entries.free();
}

/** A single dictionary of all terms that are still in use. */
function unite(core: Core, columns: readonly SourceColumn[], workspace: Workspace) {
  const { columnUnite, dictionaryCursorStart, dictionaryWriterStart, dictionaryWriterFinish } = core.exports;
  const rows = workspace.take(4 * UNITE_ROW_FIELDS * columns.length);
  columns.forEach(({ dictionary, used, map }, i) => {
    const cursor = workspace.take(DICTIONARY_CURSOR_BYTES);
    dictionaryCursorStart(cursor, dictionary, 0);
    core.u32.set([cursor, used, map], rows / 4 + UNITE_ROW_FIELDS * i);
  });
  const capacity = capacityOf(core, columns);
  const pointer = workspace.take(capacity);
  const state = workspace.take(DICTIONARY_WRITER_BYTES);
  const facts = workspace.take(4 * FACT_FIELDS);
  dictionaryWriterStart(state, pointer, capacity);
  const failed = columnUnite(rows, columns.length, state, facts);
  const length = failed < 0 ? failed : dictionaryWriterFinish(state);
  if (length < 0) throw new Error(`dictionary of a merged column: error ${length}`);
  const [numbers, texts, kinds] = core.u32.slice(facts / 4, facts / 4 + FACT_FIELDS);
  return { numbers, texts, kinds, dictionary: { pointer, length } };
}

/**
 * Room for the union: no term shares less with its predecessor than it did in its source, but other terms may
 * begin blocks, and these are written in full.
 */
function capacityOf(core: Core, columns: readonly SourceColumn[]): number {
  let bytes = DICTIONARY_SLACK_BYTES;
  let terms = 0;
  let longest = 0;
  for (const { meta, dictionary } of columns) {
    bytes += meta.dictionaryBytes;
    terms += codesOf(meta);
    // The longest term, in the header of a dictionary.
    longest = Math.max(longest, core.u32[dictionary / 4 + 5]);
  }
  return bytes + (Math.ceil(terms / BLOCK_TERMS) + 1) * (longest + BLOCK_OVERHEAD_BYTES);
}

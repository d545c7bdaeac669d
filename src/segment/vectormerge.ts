// Unites the vectors of several segments: those of live documents, in the order of their docids. Called by
// merge.ts. Each row is read once. If a graph over all vectors would exceed the memory for graphs, they stay
// in several stores.
import type { Core } from "../core/core.ts";
import { NO_ITEM } from "../core/vectorgraph.ts";
import type { Workspace } from "../core/workspace.ts";
import type { MergeOutput, MergeShare, MergeSource } from "./mergeparts.ts";
import { type GraphLimits, graphBytesOf, StoreGraph } from "./storegraph.ts";
import { SectionStream } from "./stream.ts";
import { inKeyOrder, VectorArrays } from "./vectorarrays.ts";
import { storeKey, type VectorLayout, type VectorMeta, vectorLayout } from "./vectorformat.ts";
import { isWorthCopying, type OldGraph } from "./vectorgraphbuilder.ts";

/** Number of documents after which a merge checks whether it is to stop. */
const INTERRUPT_DOCUMENTS = 4096;

/** Writes section `vectors` if any live document has vectors. */
export function mergeVectors(
  { core, buffers }: MergeShare,
  sources: readonly MergeSource[],
  output: MergeOutput,
): VectorMeta[] {
  const groups = new Map(
    sources.flatMap(({ meta }) => meta.vectors).map((meta) => [storeKey(meta), meta] as const),
  );
  if (groups.size === 0) return [];
  const { writer } = output;
  writer.beginSection("vectors");
  const begin = writer.bytes;
  const merged = inKeyOrder(groups.values()).flatMap((group) => {
    const stores = sources.flatMap((source) =>
      source.meta.vectors
        .filter((meta) => storeKey(meta) === storeKey(group))
        .map((meta) => ({ source, meta })),
    );
    return packed(stores, group, buffers.graphs).flatMap((some) => {
      const parts = some.map(({ source, meta }) =>
        output.workspace.own(new StoreReader(core, source, meta, output)),
      );
      const meta = mergeStores(core, group, parts, { ...output, at: writer.bytes - begin }, buffers.graphs);
      for (const part of parts) part.free();
      return meta ? [meta] : [];
    });
  });
  writer.endSection();
  return merged;
}

/** Groups of stores that become one store each: as many together as the memory for their graph allows. */
function packed<T extends { meta: VectorMeta }>(
  stores: readonly T[],
  group: VectorMeta,
  { bytesMax }: GraphLimits,
): T[][] {
  const packs: { stores: T[]; vectors: number }[] = [];
  for (const store of [...stores].sort((a, b) => b.meta.vectors - a.meta.vectors)) {
    const { vectors } = store.meta;
    const pack = packs.find((one) => graphBytesOf(group, one.vectors + vectors) <= bytesMax);
    if (pack) {
      pack.stores.push(store);
      pack.vectors += vectors;
    } else packs.push({ stores: [store], vectors });
  }
  return packs.map((pack) => pack.stores);
}

/** Null when no document is left. */
function mergeStores(
  core: Core,
  group: VectorMeta,
  parts: readonly StoreReader[],
  { at, writer, interrupt, workspace }: MergeOutput & { at: number },
  limits: GraphLimits,
): VectorMeta | null {
  const arrays = new VectorArrays(group);
  const graph = workspace.own(new StoreGraph(core, group, limits));
  graph.reserve(parts.reduce((sum, { meta }) => sum + meta.vectors, 0));
  const old = largestGraph(core, parts, workspace);
  for (;;) {
    let [first] = parts;
    for (const part of parts) if (part.docid < first.docid) first = part;
    if (first.docid === Number.POSITIVE_INFINITY) break;
    if (arrays.documents % INTERRUPT_DOCUMENTS === 0) interrupt();
    arrays.addDocument(first.docid, first.flags);
    const { pointer, bytes, slots, from } = first.vectors();
    writer.appendFrom(pointer, bytes);
    if (old && first === old.part) old.keep(from, slots.length, graph.items);
    if (group.isBinary) graph.addRows(pointer, slots.length);
    else graph.add(pointer, slots.length);
    for (const slot of slots) arrays.addVector(slot);
    first.advance();
  }
  if (arrays.documents === 0) return null;
  graph.build(interrupt, old?.taken());
  const merged = arrays.writeTo(writer, at, graph);
  graph.free();
  return merged;
}

/** The graph to take over: that of the largest store, if most of its vectors stay. */
class KeptGraph {
  readonly part: StoreReader;
  readonly #core: Core;
  readonly #address: number;
  readonly #remap: number;
  #kept = 0;

  constructor(core: Core, part: StoreReader, workspace: Workspace) {
    const { vectors } = part.meta;
    this.#core = core;
    this.part = part;
    this.#address = part.readGraph((bytes) => workspace.take(bytes));
    this.#remap = workspace.take(4 * vectors) >>> 2;
    core.u32.fill(NO_ITEM, this.#remap, this.#remap + vectors);
  }

  /** Vectors `from` and following become the vectors `to` and following of the new store. */
  keep(from: number, count: number, to: number): void {
    for (let i = 0; i < count; i++) this.#core.u32[this.#remap + from + i] = to + i;
    this.#kept += count;
  }

  taken(): OldGraph | undefined {
    const { vectors: items } = this.part.meta;
    if (!isWorthCopying(items, this.#kept)) return undefined;
    return { address: this.#address, items, remap: this.#remap * 4 };
  }
}

function largestGraph(core: Core, parts: readonly StoreReader[], workspace: Workspace): KeptGraph | null {
  const [largest] = [...parts].sort((a, b) => b.meta.vectors - a.meta.vectors);
  return largest.meta.graphBytes > 0 ? new KeptGraph(core, largest, workspace) : null;
}

/** The live documents of one store, from first to last. */
class StoreReader {
  /** Docid of the next document; Infinity after the last. */
  docid = -1;
  #place = -1;
  readonly #core: Core;
  readonly #source: MergeSource;
  readonly meta: VectorMeta;
  readonly #layout: VectorLayout;
  readonly #rows: SectionStream;
  readonly #docids: number;
  readonly #firsts: number;
  readonly #slots: number;
  readonly #flags: number;

  constructor(core: Core, source: MergeSource, meta: VectorMeta, { workspace }: MergeOutput) {
    this.#core = core;
    this.#source = source;
    this.meta = meta;
    this.#layout = vectorLayout(meta);
    this.#rows = new SectionStream(core, source.file, "vectors");
    const { docids, firsts, slots, flags } = this.#layout;
    const start = source.file.section("vectors").offset + meta.at;
    const load = (offset: number, length: number) =>
      source.file.readRange(core, start + offset, length, (bytes) => workspace.take(bytes));
    this.#docids = load(docids, 4 * meta.documents) >>> 2;
    this.#firsts = load(firsts, 4 * (meta.documents + 1)) >>> 2;
    this.#slots = load(slots, meta.vectors);
    this.#flags = load(flags, meta.documents);
    this.advance();
  }

  get flags(): number {
    return this.#core.u8[this.#flags + this.#place];
  }

  /** The rows of the current document, valid until the next call, and their slots. */
  vectors(): { pointer: number; bytes: number; slots: Uint8Array; from: number } {
    const { u8, u32 } = this.#core;
    const from = u32[this.#firsts + this.#place];
    const to = u32[this.#firsts + this.#place + 1];
    const { rowBytes } = this.#layout;
    const bytes = (to - from) * rowBytes;
    const pointer = bytes > 0 ? this.#rows.view(this.meta.at + from * rowBytes, bytes) : 0;
    return { pointer, bytes, slots: u8.subarray(this.#slots + from, this.#slots + to), from };
  }

  /** Address of the graph, which is read into memory that `room` provides. */
  readGraph(room: (bytes: number) => number): number {
    const { file } = this.#source;
    const start = file.section("vectors").offset + this.meta.at + this.#layout.graph;
    return file.readRange(this.#core, start, this.meta.graphBytes, room);
  }

  /** Moves to the next live document. */
  advance(): void {
    const { tombstones, words } = this.#source;
    const { documents } = this.meta;
    do {
      this.#place++;
      const isEnd = this.#place >= documents;
      this.docid = isEnd ? Number.POSITIVE_INFINITY : this.#core.u32[this.#docids + this.#place];
    } while (
      this.#place < documents &&
      tombstones &&
      this.#core.exports.bitmapHas(tombstones, words, this.docid)
    );
  }

  free(): void {
    this.#rows.free();
  }
}

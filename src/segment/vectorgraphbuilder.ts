// Builds the graph of a vector store (assembly/graph-format.ts) over rows that lie in linear memory, in
// slices between which the host may look at the clock or stop. Called by the segment writer and by merges,
// which take over the largest graph they have and insert what it lacks.
import type { Core } from "../core/core.ts";
import { GRAPH_COUNTS_AT, GRAPH_HEADER_BYTES, GRAPH_LINKS_AT, type GraphRows } from "../core/vectorgraph.ts";
import type { Freeable } from "../core/workspace.ts";

export interface GraphOptions {
  /** Links of a node in layers above the base (M); a node of the base has up to twice as many, less two. */
  links?: number;
  /** Nodes that an insertion looks for to choose its links from (efConstruction). */
  width?: number;
}

/** A graph whose items go on in a new one. */
export interface OldGraph {
  address: number;
  items: number;
  /** u32 of each item: its number in the new graph, or NO_ITEM. Rows stay as they were. */
  remap: number;
}

export const GRAPH_LINKS = 16;
export const GRAPH_WIDTH = 125;
/** With a smaller part of its items, a graph is not worth taking over: its links lead nowhere. */
const LIVING_PART_MIN = 0.7;
/** The levels of nodes are drawn from it: equal rows give equal graphs. */
const SEED = 0x7a51e4;
const SLICE_ITEMS = 256;
const COPY_ITEMS = 4096;

/** True when so many living items of a graph give a good start to a new one. */
export const isWorthCopying = (items: number, living: number): boolean => living >= items * LIVING_PART_MIN;

export class GraphBuilder implements Freeable {
  readonly #core: Core;
  readonly #source: GraphRows;
  readonly #regions: { pointer: number; bytes: number }[] = [];
  readonly #old: OldGraph | undefined;
  readonly #builder: number;
  readonly #graph: number;
  #stand = 0;
  #copied = 0;
  #inserted = 0;

  /** @throws RangeError when the core's memory is used up */
  constructor(core: Core, source: GraphRows, options: GraphOptions = {}, old?: OldGraph) {
    const { kind, dimensions, rows, items } = source;
    const width = options.width ?? GRAPH_WIDTH;
    this.#core = core;
    this.#source = source;
    this.#old = old;
    const { exports: kernels } = core;
    try {
      const header = this.#take(GRAPH_HEADER_BYTES);
      const links = old
        ? core.view.getUint32(old.address + GRAPH_LINKS_AT, true)
        : (options.links ?? GRAPH_LINKS);
      kernels.graphPlan(header, items, links, SEED, old?.address ?? 0);
      this.#graph = this.#take(kernels.graphSize(header));
      core.copy(this.#graph, header, GRAPH_HEADER_BYTES);
      this.#builder = this.#take(kernels.graphBuilderBytes(items, kind, dimensions, width) >>> 0);
      kernels.graphStart(this.#builder, this.#graph, kind, rows, dimensions, width, SEED);
      if (!old) return;
      this.#stand = this.#take(4 * old.items);
      kernels.graphCopyStart(this.#builder, old.address, old.remap, this.#stand);
    } catch (error) {
      this.free();
      throw error;
    }
  }

  /** Does a slice of the work, some milliseconds long. False when there is none left. */
  step(): boolean {
    const { exports: kernels } = this.#core;
    const old = this.#old;
    if (old && this.#copied < old.items) {
      const to = Math.min(this.#copied + COPY_ITEMS, old.items);
      kernels.graphCopyItems(this.#builder, old.address, this.#stand, this.#copied, to);
      this.#copied = to;
      if (to === old.items) this.#copyLayers(old);
      return true;
    }
    const to = Math.min(this.#inserted + SLICE_ITEMS, this.#source.items);
    kernels.graphInsert(this.#builder, this.#inserted, to);
    this.#inserted = to;
    return to < this.#source.items;
  }

  /** The finished graph, until `free`. */
  finish(): { pointer: number; bytes: number } {
    return { pointer: this.#graph, bytes: this.#core.exports.graphFinish(this.#builder) };
  }

  free(): void {
    for (const { pointer, bytes } of this.#regions.splice(0)) this.#core.give(pointer, bytes);
  }

  #copyLayers(old: OldGraph): void {
    const { view, exports: kernels } = this.#core;
    let entries = 0;
    for (let at = GRAPH_COUNTS_AT; at < GRAPH_HEADER_BYTES; at += 4) {
      entries += view.getUint32(old.address + at, true);
    }
    kernels.graphCopyLayers(this.#builder, old.address, this.#stand, this.#take(4 * entries));
  }

  #take(bytes: number): number {
    const pointer = this.#core.take(bytes);
    this.#regions.push({ pointer, bytes });
    return pointer;
  }
}

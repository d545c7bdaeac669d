// Builds the graph of a vector store (assembly/graph-format.ts) over rows in linear memory, in slices between
// which the host may look at the clock or stop. Called by storegraph.ts; merges (vectormerge.ts) take over
// the largest existing graph and insert what it lacks. Several threads may insert.
import type { Core } from "../core/core.ts";
import { GRAPH_COUNTS_AT, GRAPH_HEADER_BYTES, GRAPH_LINKS_AT, type GraphRows } from "../core/vectorgraph.ts";
import type { Freeable } from "../core/workspace.ts";
import { GraphHelpers } from "./graphhelpers.ts";

export interface GraphOptions {
  /**
   * Links of a node in the layers above the base (M); in the base a node has up to twice as many, less two.
   */
  links?: number;
  /** Number of nodes that an insertion looks for to choose its links from (efConstruction). */
  width?: number;
  /** Threads that insert, including this one; with several, the graph differs from run to run. Default: 1. */
  threads?: number;
}

/** A graph whose items are taken over into a new one. */
export interface OldGraph {
  address: number;
  items: number;
  /** For each item a u32: its number in the new graph, or NO_ITEM. Rows must not have changed. */
  remap: number;
}

export const GRAPH_LINKS = 16;
export const GRAPH_WIDTH = 125;
/** If a smaller part of its items stays, a graph is not worth taking over: its links lead nowhere. */
const LIVING_PART_MIN = 0.7;
/** Seed for the levels of nodes: a single thread makes equal graphs of equal rows. */
const SEED = 0x7a51e4;
const SLICE_ITEMS = 128;
const COPY_ITEMS = 4096;
/** Items inserted before helpers begin: the first ones have to find each other. */
const ALONE_ITEMS = 1024;
/** For fewer items no helpers are started: their start takes some tens of milliseconds. */
const HELPED_ITEMS_MIN = 2048;

/** True when a graph with this many live items is a good start for a new one. */
export const isWorthCopying = (items: number, living: number): boolean => living >= items * LIVING_PART_MIN;

export class GraphBuilder implements Freeable {
  readonly #core: Core;
  readonly #source: GraphRows;
  readonly #regions: { pointer: number; bytes: number }[] = [];
  readonly #old: OldGraph | undefined;
  readonly #width: number;
  readonly #threads: number;
  readonly #builder: number;
  readonly #graph: number;
  readonly #room: number;
  #helpers: GraphHelpers | null = null;
  #stand = 0;
  #copied = 0;
  #looked = 0;
  #listed = 0;
  #inserted = 0;

  /** @throws RangeError when the core's memory is exhausted */
  constructor(core: Core, source: GraphRows, options: GraphOptions = {}, old?: OldGraph) {
    const { kind, dimensions, rows, items } = source;
    this.#width = options.width ?? GRAPH_WIDTH;
    this.#threads = options.threads ?? 1;
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
      this.#builder = this.#take(kernels.graphBuilderBytes(items) >>> 0);
      this.#room = this.#takeRoom();
      kernels.graphStart(this.#builder, this.#graph, kind, rows, dimensions, this.#width, SEED);
      if (!old) return;
      this.#stand = this.#take(4 * old.items);
      kernels.graphCopyStart(this.#builder, this.#room, old.address, old.remap, this.#stand);
    } catch (error) {
      this.free();
      throw error;
    }
  }

  /** Does a slice of the work, which takes some milliseconds. False when nothing is left to do. */
  step(): boolean {
    const { items } = this.#source;
    if (this.#old && this.#copied < this.#old.items) {
      this.#copy(this.#old);
      return true;
    }
    if (this.#looked < items) {
      const to = Math.min(this.#looked + COPY_ITEMS, items);
      this.#listed = this.#core.exports.graphList(this.#builder, this.#room, this.#looked, to);
      this.#looked = to;
      return true;
    }
    return this.#insert();
  }

  /** The finished graph, valid until `free`. */
  finish(): { pointer: number; bytes: number } {
    return { pointer: this.#graph, bytes: this.#core.exports.graphFinish(this.#builder, this.#room) };
  }

  free(): void {
    this.#helpers?.close(true);
    this.#helpers = null;
    for (const { pointer, bytes } of this.#regions.splice(0)) this.#core.give(pointer, bytes);
  }

  #copy(old: OldGraph): void {
    const to = Math.min(this.#copied + COPY_ITEMS, old.items);
    const { exports: kernels } = this.#core;
    kernels.graphCopyItems(this.#builder, this.#room, old.address, this.#stand, this.#copied, to);
    this.#copied = to;
    if (to === old.items) this.#copyLayers(old);
  }

  #copyLayers(old: OldGraph): void {
    const { view, exports: kernels } = this.#core;
    let entries = 0;
    for (let at = GRAPH_COUNTS_AT; at < GRAPH_HEADER_BYTES; at += 4) {
      entries += view.getUint32(old.address + at, true);
    }
    const places = this.#take(4 * entries);
    kernels.graphCopyLayers(this.#builder, this.#room, old.address, this.#stand, places);
  }

  #insert(): boolean {
    const inserted = this.#core.exports.graphInsert(this.#builder, this.#room, SLICE_ITEMS);
    this.#inserted += inserted;
    if (inserted > 0) {
      if (this.#inserted >= ALONE_ITEMS && this.#helpers === null) this.#callHelpers();
      return true;
    }
    // Other threads may still be inserting the last items.
    this.#helpers?.close(false);
    this.#helpers = null;
    return false;
  }

  #callHelpers(): void {
    const count = this.#listed - this.#inserted < HELPED_ITEMS_MIN ? 0 : this.#threads - 1;
    if (count === 0) return;
    const rooms = Array.from({ length: count }, () => this.#takeRoom());
    this.#helpers = new GraphHelpers(this.#core, this.#builder, rooms);
  }

  #takeRoom(): number {
    const { kind, dimensions, items } = this.#source;
    return this.#take(this.#core.exports.graphRoomBytes(items, kind, dimensions, this.#width) >>> 0);
  }

  #take(bytes: number): number {
    const pointer = this.#core.take(bytes);
    this.#regions.push({ pointer, bytes });
    return pointer;
  }
}

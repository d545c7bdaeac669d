// Finds the nearest items of a vector store, with or without a graph, with or without a filter: decides which
// way of finding them is the quickest. Called by engine/vectors/nearest.ts.
import type { Scratch } from "../core/scratch.ts";
import type { GraphRows } from "../core/vectorgraph.ts";

/** Rows and the graph over them; 0 when there is none. */
export interface GraphSource extends GraphRows {
  graph: number;
}

interface NearestRequest {
  /** The query, in the kind of the rows. */
  query: number;
  /** Number of items wanted. */
  most: number;
  /** How many nodes a walk keeps in view (ef): the more, the more surely it finds the nearest. */
  width: number;
  /** Bitmap of the items that may be found (0: all); below, the number of these. */
  allowed: number;
  allowedCount: number;
}

/** Up to this number, items are compared one by one and get no graph. */
export const GRAPH_ITEMS_MIN = 4096;
/** Cost of a node in the pool, in rows of a scan: measured, with filters and without. */
const WALK_ROWS = 20;
/** Factor by which a walk with a filter is wider per allowed item: the nearest of these are farther away. */
const FILTERED_WIDTH = 3;

/**
 * Writes the nearest allowed items as sorted pairs to `out`, which has room for `most`; returns how many:
 * fewer only if no more are allowed. Distances are those of the rows.
 */
export function findNearest(
  scratch: Scratch,
  source: GraphSource,
  request: NearestRequest,
  out: number,
): number {
  const { items, graph } = source;
  const count = request.allowed ? request.allowedCount : items;
  const most = Math.min(request.most, count);
  if (most === 0) return 0;
  // Items that are not allowed also take up the pool: if few are allowed, scanning these is quicker.
  const wide = Math.max(request.width, most) * (count < items ? (FILTERED_WIDTH * items) / count : 1);
  if (graph && WALK_ROWS * wide < count) {
    const found = walk(scratch, source, request, Math.ceil(wide), out);
    if (found >= most) return found;
  }
  return scan(scratch, source, request, out);
}

function walk(
  scratch: Scratch,
  { graph, kind, rows, items, dimensions }: GraphSource,
  { query, allowed, most }: NearestRequest,
  width: number,
  out: number,
): number {
  const { exports: kernels } = scratch.core;
  const mark = scratch.mark();
  const room = scratch.alloc(kernels.graphScratchBytes(items, width));
  const found = kernels.graphNearest(graph, kind, rows, dimensions, query, allowed, width, room, out, most);
  scratch.release(mark);
  return found;
}

function scan(scratch: Scratch, source: GraphSource, request: NearestRequest, out: number): number {
  const { kind, rows, items, dimensions } = source;
  const { query, allowed, most } = request;
  const { exports: kernels } = scratch.core;
  const found = kernels.vectorScan(kind, rows, 0, items, dimensions, query, allowed, out, 0, most);
  kernels.nearestSort(out, found);
  return found;
}

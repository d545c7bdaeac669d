// The nearest items of a vector store: with or without a graph, with or without a filter, it is decided here
// which way is the quickest that finds them. Called by searches.
import { type GraphRows, WALK_ALL, WALK_ALLOWED } from "../core/graph.ts";
import type { Scratch } from "../core/scratch.ts";

/** Rows and the graph over them, 0 when there is none. */
export interface GraphSource extends GraphRows {
  graph: number;
}

export interface NearestRequest {
  /** Of the kind of the rows. */
  query: number;
  /** How many items are wanted. */
  most: number;
  /** How many nodes a walk keeps in sight (ef): the more, the surer it finds the nearest. */
  width: number;
  /** Bitmap of the items that may be found, and how many these are; 0 for all. */
  allowed: number;
  allowedCount: number;
}

/** Fewer items are compared one by one, and get no graph. */
export const GRAPH_ITEMS_MIN = 4096;
/** What a node of the pool of a walk costs, in rows that could be compared instead, one behind the other. */
const WALK_ROWS = 80;
const WALK_ALLOWED_ROWS = 160;
/** With this part of the items or more, a walk goes through all of them. */
const WALK_ALL_PART_MIN = 0.4;

/**
 * Writes the nearest allowed items as sorted pairs at `out`, which has room for `most`; returns how many:
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
  const { way, width, cost } = planWalk(count / items, Math.max(request.width, most));
  if (graph && cost < count) {
    const mark = scratch.mark();
    const { exports: kernels } = scratch.core;
    const room = scratch.alloc(kernels.graphScratchBytes(items, width));
    const { kind, rows, dimensions } = source;
    const { query, allowed } = request;
    const found = kernels.graphNearest(
      graph,
      kind,
      rows,
      dimensions,
      query,
      allowed,
      way,
      width,
      room,
      out,
      most,
    );
    scratch.release(mark);
    if (found === most) return found;
  }
  return scan(scratch, source, request, out);
}

/** The cheaper way through the graph when `part` of its items are allowed. */
function planWalk(part: number, width: number): { way: number; width: number; cost: number } {
  if (part < WALK_ALL_PART_MIN) return { way: WALK_ALLOWED, width, cost: WALK_ALLOWED_ROWS * width };
  const wide = Math.ceil(width / part);
  return { way: WALK_ALL, width: wide, cost: WALK_ROWS * wide };
}

function scan(scratch: Scratch, source: GraphSource, request: NearestRequest, out: number): number {
  const { kind, rows, items, dimensions } = source;
  const { query, allowed, most } = request;
  const { exports: kernels } = scratch.core;
  const found = kernels.vectorScan(kind, rows, 0, items, dimensions, query, allowed, out, 0, most);
  kernels.nearestSort(out, found);
  return found;
}

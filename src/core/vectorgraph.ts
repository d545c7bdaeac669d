// Numbers of the graph over vectors (exports/vectorgraph.ts) for src/segment; it is drawn in
// assembly/graph-format.ts.

/** Rows of one kind, one after another; `kind` is VECTOR_CODES or VECTOR_BITS. */
export interface GraphRows {
  kind: number;
  dimensions: number;
  rows: number;
  items: number;
}

export const GRAPH_HEADER_BYTES = 64;
/** Places inside the header. */
export const GRAPH_LINKS_AT = 8;
export const GRAPH_COUNTS_AT = 32;
/** Place of a u32 in a builder; not 0 when the graph is no longer wanted. */
export const BUILDER_STOP_AT = 68;
/** In a remap, marks an item that is gone. */
export const NO_ITEM = 0xffffffff;

// The kernels of the graph over vectors (assembly/graph-*.ts), for src/segment. Pointers are byte addresses.

export interface GraphExports {
  /** 1 when the bytes are a complete graph of this many items. */
  graphCheck(graph: number, bytes: number, items: number): number;
  /** Bytes of scratch for a search with a pool of `width` nodes. */
  graphScratchBytes(items: number, width: number): number;
  /** The nearest allowed items of a pool of `width` nodes, as sorted pairs at `out`; returns how many. */
  graphNearest(
    graph: number,
    kind: number,
    rows: number,
    dimensions: number,
    query: number,
    allowed: number,
    width: number,
    scratch: number,
    out: number,
    most: number,
  ): number;
  /** Writes the header of a graph to build; `old`: a graph to take over, or 0. */
  graphPlan(header: number, items: number, links: number, seed: number, old: number): void;
  graphSize(header: number): number;
  graphBuilderBytes(items: number): number;
  /** Bytes of the room that each building thread needs. */
  graphRoomBytes(items: number, kind: number, dimensions: number, width: number): number;
  graphStart(
    builder: number,
    graph: number,
    kind: number,
    rows: number,
    dimensions: number,
    width: number,
    seed: number,
  ): void;
  /** Lists items for insertion; returns how many are listed. */
  graphList(builder: number, room: number, from: number, to: number): number;
  /** Inserts up to `count` of them; returns how many: 0 when none are left. */
  graphInsert(builder: number, room: number, count: number): number;
  /** Bytes of the graph. */
  graphFinish(builder: number, room: number): number;
  /** `stand` and `places`: room for a u32 per item and per entry of the old graph. */
  graphCopyStart(builder: number, room: number, old: number, remap: number, stand: number): void;
  graphCopyItems(builder: number, room: number, old: number, stand: number, from: number, to: number): void;
  graphCopyLayers(builder: number, room: number, old: number, stand: number, places: number): void;
}

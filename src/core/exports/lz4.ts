// Compression of blocks in linear memory (assembly/lz4.ts): the documents of a segment.

export interface Lz4Exports {
  /** Bytes written, 0 when they do not fit into `capacity`. `table`: LZ4_TABLE_BYTES with any content. */
  lz4Compress(source: number, length: number, out: number, capacity: number, table: number): number;
  /**
   * Bytes written, -1 when the block is damaged or too large. May write LZ4_SLACK_BYTES beyond `capacity`.
   */
  lz4Decompress(source: number, length: number, out: number, capacity: number): number;
  lz4Continue(
    block: number,
    length: number,
    from: number,
    start: number,
    written: number,
    capacity: number,
    enough: number,
  ): number;
  lz4Consumed(): number;
}

// Where a document lies that was just read. Given out by documentblocks.ts and documentcache.ts; what looks
// into documents takes it.

/** A document in the core's memory, valid until the next one is located. */
export interface Located {
  pointer: number;
  length: number;
}

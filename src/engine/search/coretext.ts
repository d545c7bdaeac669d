// A text of a document in the memory of the core, as textmatches.ts and headbytes.ts read it.

/** A text in linear memory, as UTF-8, and the locales in which it is read. */
export interface Text {
  address: number;
  length: number;
  locales: readonly string[] | undefined;
}

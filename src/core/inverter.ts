// The inverter (assembly/inverter.ts): collects the words of an indexing run and writes them as terms,
// posting lists and positions. Fields are numbers of searchable fields; pointers are byte addresses.

export interface InverterExports {
  inverterStart(inverter: number, bytes: number): void;
  inverterBeginDocument(inverter: number, docid: number): void;
  /** 0, -1 when the region is full: the document is dropped, and has to be repeated in the next run. */
  inverterLeaf(
    inverter: number,
    tokenizer: number,
    field: number,
    locale: number,
    text: number,
    length: number,
  ): number;
  inverterEmptyLeaf(inverter: number, field: number): number;
  inverterEndDocument(inverter: number): number;
  /** Free bytes, unsigned only after `>>> 0`. */
  inverterFree(inverter: number): number;
  /** Number of terms, in order from now on; ends the run. */
  inverterSort(inverter: number): number;
  inverterTerm(inverter: number, index: number): number;
  inverterTermLength(inverter: number, index: number): number;
  /** Sum of the lengths of all terms. */
  inverterTermBytes(inverter: number): number;
  /** Terms done; u32 bytes of the list and u32 bytes of the positions for each at `lengthsOut`. */
  inverterEncode(
    inverter: number,
    from: number,
    postingsOut: number,
    postingsCapacity: number,
    positionsOut: number,
    positionsCapacity: number,
    lengthsOut: number,
    lengthsMost: number,
  ): number;
  /** 0, or the negative result of `dictionaryWriterAdd`. */
  inverterWriteDictionary(inverter: number, writer: number): number;
}

export const INVERTER_BYTES_MIN = 65536;

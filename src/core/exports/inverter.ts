// The inverter (assembly/inverter.ts): collects the words of an indexing run and writes them as terms,
// posting lists and positions. Fields are numbers of searchable fields; pointers are byte addresses.

export interface InverterExports {
  inverterStart(inverter: number, bytes: number): void;
  inverterBeginDocument(inverter: number, docid: number): void;
  /** 0; -1 when the region is full: then the document is dropped, and must be added again in the next run. */
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
  /** Free bytes; apply `>>> 0` to get an unsigned number. */
  inverterFree(inverter: number): number;
  /** Number of terms, which are in order from then on; ends the run. */
  inverterSort(inverter: number): number;
  inverterTerm(inverter: number, index: number): number;
  inverterTermLength(inverter: number, index: number): number;
  /** Sum of the lengths of all terms. */
  inverterTermBytes(inverter: number): number;
  /** Number of terms done; `lengthsOut` gets for each the u32 bytes of its list and of its positions. */
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

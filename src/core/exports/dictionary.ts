// The kernels of the term dictionary (assembly/dictionary.ts, assembly/fuzzy.ts), for src/core/dictionary.ts.

/**
 * Pointers and lengths are in bytes; ordinals count terms from 0. Each function is explained at its kernel.
 */
export interface DictionaryExports {
  readonly DICTIONARY_WRITER_BYTES: WebAssembly.Global;
  readonly DICTIONARY_CURSOR_BYTES: WebAssembly.Global;
  readonly DICTIONARY_FUZZY_BYTES: WebAssembly.Global;
  dictionaryWriterStart(writer: number, out: number, capacity: number): void;
  dictionaryWriterAdd(writer: number, term: number, length: number): number;
  dictionaryWriterFinish(writer: number): number;
  dictionaryCount(dictionary: number): number;
  dictionaryBytes(dictionary: number): number;
  dictionaryCheck(dictionary: number, bytes: number): number;
  dictionaryFind(dictionary: number, term: number, length: number): number;
  /** First ordinal whose term is not less than a key. */
  dictionarySeek(dictionary: number, key: number, length: number): number;
  dictionaryPrefix(dictionary: number, prefix: number, length: number, out: number): void;
  dictionaryCuts(dictionary: number, text: number, length: number, out: number, most: number): number;
  dictionaryTerm(dictionary: number, ordinal: number, out: number): number;
  dictionaryCompare(a: number, aLength: number, b: number, bLength: number): number;
  dictionaryCursorStart(cursor: number, dictionary: number, ordinal: number): number;
  dictionaryCursorNext(cursor: number): number;
  dictionaryCursorOrdinal(cursor: number): number;
  dictionaryCursorTerm(cursor: number): number;
  dictionaryCursorLength(cursor: number): number;
  dictionaryPlanesBytes(dictionary: number): number;
  dictionaryPlanes(dictionary: number, planes: number, cursor: number): void;
  dictionaryFuzzy(
    dictionary: number,
    planes: number,
    query: number,
    length: number,
    budget: number,
    prefix: number,
    from: number,
    scratch: number,
    out: number,
    most: number,
  ): number;
}

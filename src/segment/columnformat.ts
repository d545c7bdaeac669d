// Section `columns`: the values of documents in the fields that filters, sorts and facets use. Made by
// columnwriter.ts, read by column.ts.
//
//   section      | column | column | ...                  each begins at a multiple of 16, as do its parts
//   column       | dictionary | codes | starts | lists | list starts |
//
//   dictionary   the distinct values in order (assembly/dictionary-format.ts); a value's place is its code.
//                Terms are keys as assembly/values.ts draws them, without the column: a byte for the kind
//                (numbers, texts, then bare, null, empty), then the value
//   codes        packed codes of the documents (assembly/column-bits.ts). Where no document has two: one for
//                each document, the number of codes standing for none; else those of one document behind
//                those of the one before, ascending
//   starts       packed start of each document's codes, one closing; absent where no document has two
//   lists        posting list of docids for each code; absent in columns that are only sorted by
//   list starts  packed start of each list, one closing
//
// The original spellings of texts are not kept: the first document with a code has one.

/** Facts of one column, in the meta of its segment. */
export interface ColumnMeta {
  /** Flattened name of the field. */
  name: string;
  /** Start in the section. */
  at: number;
  /** Distinct values. */
  numbers: number;
  texts: number;
  /** Flags of kinds without a value, which come after the values: 1 bare, 2 null, 4 empty. */
  kinds: number;
  /** Number of codes in all documents together. */
  entries: number;
  isSingle: boolean;
  dictionaryBytes: number;
  /** Whether it has posting lists; below, their bytes. */
  isListed: boolean;
  listBytes: number;
}

export type ColumnPart = "dictionary" | "codes" | "starts" | "lists" | "listStarts";

export interface ColumnLayout {
  /** Start, counted from that of the column, and bytes. */
  parts: Record<ColumnPart, { start: number; length: number }>;
  end: number;
  codeBits: number;
  startBits: number;
  listStartBits: number;
}

const ALIGNMENT_BYTES = 16;

/** Number of codes. */
export function codesOf({ numbers, texts, kinds }: Pick<ColumnMeta, "numbers" | "texts" | "kinds">): number {
  return numbers + texts + (kinds & 1) + ((kinds >> 1) & 1) + ((kinds >> 2) & 1);
}

export function columnLayout(meta: ColumnMeta, documents: number): ColumnLayout {
  const codes = codesOf(meta);
  const codeBits = bitsOf(codes);
  const startBits = bitsOf(meta.entries);
  const listStartBits = bitsOf(meta.listBytes);
  let end = 0;
  const part = (length: number) => {
    const start = end;
    end = Math.ceil((start + length) / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
    return { start, length };
  };
  const packed = (numbers: number, bits: number) => part(packedBytes(numbers, bits));
  const parts = {
    dictionary: part(meta.dictionaryBytes),
    codes: packed(meta.isSingle ? documents : meta.entries, codeBits),
    starts: packed(meta.isSingle ? 0 : documents + 1, startBits),
    lists: part(meta.listBytes),
    listStarts: packed(meta.isListed ? codes + 1 : 0, listStartBits),
  };
  return { parts, end, codeBits, startBits, listStartBits };
}

/** Number of bits that can hold every number up to `most`. */
export const bitsOf = (most: number): number => 32 - Math.clz32(most);

export const packedBytes = (numbers: number, bits: number): number => Math.ceil((numbers * bits) / 8);

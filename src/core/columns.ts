// Numbers that the kernels of columns (exports/columns.ts) and the host agree on: kinds of values, and how
// many numbers a row has.

/** Kinds of values: the first byte of a key in the dictionary of a column. */
export const KIND_NUMBER = 0;
export const KIND_TEXT = 1;
export const KIND_BARE = 2;
export const KIND_NULL = 3;
export const KIND_EMPTY = 4;

/** A row of valuesRows: column, first value, numbers, texts, kinds, entries, bytes of keys. */
export const VALUE_ROW_FIELDS = 7;
/** u32 document and u32 code. */
export const ENTRY_BYTES = 8;
/** Fields of a view (assembly/column-view.ts). */
export const COLUMN_VIEW_FIELDS = 7;
/** A row for columnUnite: cursor, used codes, map. */
export const UNITE_ROW_FIELDS = 3;
/** Marks a deleted document in a list of places. */
export const PLACE_DEAD = 0xffffffff;

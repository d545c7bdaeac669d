// The field of a document that holds its vectors. Everything else ignores it: words, columns, and the count
// of fields.

export const VECTORS_FIELD = "_vectors";

// The field of a document in which its vectors are, and which nothing else looks at: neither words nor
// columns nor the count of fields know it.

export const VECTORS_FIELD = "_vectors";

// The JSON types of the ids in documents, as bits: when only the id of a hit is shown, its document then need
// not be read (engine/search/idhits.ts). Found out by engine/ingest/changes.ts; segments that are merged
// unite theirs.

/** JSON numbers. */
export const ID_NUMBERS = 1;
/** JSON strings. */
export const ID_TEXTS = 2;
/** Both occur, or it was not checked. */
export const ID_MIXED = ID_NUMBERS | ID_TEXTS;

// How the ids of documents stand in them, as bits: a hit of which only the id is shown need not be looked at
// then (engine/search/idhits.ts). Told by engine/ingest/changes.ts; segments that become one unite theirs.

/** JSON numbers. */
export const ID_NUMBERS = 1;
/** JSON strings. */
export const ID_TEXTS = 2;
/** Some are these and some those, or nobody has looked. */
export const ID_MIXED = ID_NUMBERS | ID_TEXTS;

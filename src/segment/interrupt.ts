// How long work is ended from outside: merges of segments, and batches of an index (engine/ingest).

/** Called now and then; throws to end the work. */
export type Interrupt = () => void;

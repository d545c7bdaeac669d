// The bounds of the service that a user can meet; each name ends with its unit. A bound that only one file of
// `assembly/` or `src/segment` knows stays in that file.

/**
 * From this many tasks in the queue, ended ones included, the oldest ended ones are removed automatically.
 */
export const TASK_COUNT_MAX = 1_000_000;

/** Most tasks that one automatic removal takes. */
export const TASK_CLEANUP_COUNT_MAX = 100_000;

/** An automatic removal that would take fewer tasks than this is not worth a task of its own. */
export const TASK_CLEANUP_COUNT_MIN = 2;

/** From this size of the journal no write is accepted, except those that cancel or delete tasks. */
export const JOURNAL_BYTES_MAX = 8 * 2 ** 30;

/** The journal is rewritten when it holds more garbage than this, and more garbage than content. */
export const JOURNAL_GARBAGE_BYTES_MIN = 8 * 2 ** 20;

/**
 * Set aside for what must be written although no space is left: the ends of some hundred tasks that fail, or
 * of some thousand that succeed.
 */
export const SPACE_RESERVE_BYTES = 256 * 1024;

/** The largest document: what is longer is refused before it takes memory. */
export const DOCUMENT_BYTES_MAX = 256 * 2 ** 20;

/** Bytes of payloads in one batch; its first task is always accepted. */
export const BATCH_PAYLOAD_BYTES_MAX = 10 * 2 ** 30;

/**
 * Payloads up to this size are kept in the journal until their task ends, and so need no file and no sync of
 * their own.
 */
export const PAYLOAD_INLINE_BYTES_MAX = 16 * 1024;

/** Roughly what the tasks of one batch may take in memory; its first task is always accepted. */
export const BATCH_MEMORY_BYTES_MAX = 128 * 2 ** 20;

/** Tasks in one batch, whatever the options say: the record that ends it must stay of a bounded size. */
export const BATCH_TASKS_MAX = 100_000;

/**
 * What a task may hold besides its payload file (a list of ids, settings): it must fit into one journal
 * record.
 */
export const TASK_BYTES_MAX = 60 * 2 ** 20;

/** From this many writes that wait to be sent to other servers, no more are accepted. */
export const OUTGOING_WRITES_MAX = 20_000;

/** Bytes of the bodies of such writes on disk. */
export const OUTGOING_BYTES_MAX = 16 * 2 ** 30;

/** Bytes of the bodies of such writes in the journal, and therefore in memory. */
export const OUTGOING_INLINE_BYTES_MAX = 128 * 2 ** 20;

/**
 * A bound on indexing or search memory up to this means that a small process is wanted: it trades time for
 * memory.
 */
export const SMALL_PROCESS_BYTES_MAX = 256 * 2 ** 20;

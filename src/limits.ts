// The bounds of the service, each with its unit last. A bound that only one file of `assembly/` or
// `src/segment` knows stays there; what a user can meet is here.

/** Tasks in the queue, ended ones included, from which old ended ones are removed by themselves. */
export const TASK_COUNT_MAX = 1_000_000;

/** Most tasks that one automatic removal takes. */
export const TASK_CLEANUP_COUNT_MAX = 100_000;

/** An automatic removal that would take fewer tasks than this is not worth a task of its own. */
export const TASK_CLEANUP_COUNT_MIN = 2;

/** Size of the journal from which no write is accepted, except removing and canceling tasks. */
export const JOURNAL_BYTES_MAX = 8 * 2 ** 30;

/** The journal is rewritten when it holds more garbage than this, and more garbage than content. */
export const JOURNAL_GARBAGE_BYTES_MIN = 8 * 2 ** 20;

/** Payloads in one batch; its first task is always accepted. */
export const BATCH_PAYLOAD_BYTES_MAX = 10 * 2 ** 30;

/**
 * Payloads up to this size are kept in the journal until their task ended, and need no file that is synced.
 */
export const PAYLOAD_INLINE_BYTES_MAX = 16 * 1024;

/** What the tasks of one batch take in memory, about; its first task is always accepted. */
export const BATCH_MEMORY_BYTES_MAX = 128 * 2 ** 20;

/** Tasks in one batch, whatever the options say: the record that ends it must stay of a bounded size. */
export const BATCH_TASKS_MAX = 100_000;

/**
 * What a task may hold beside its payload file (a list of ids, settings): it must fit into one journal
 * record.
 */
export const TASK_BYTES_MAX = 60 * 2 ** 20;

/** Writes that wait to be sent to other servers of the network: from then on, none is accepted. */
export const OUTGOING_WRITES_MAX = 20_000;

/** Bodies of such writes on disk. */
export const OUTGOING_BYTES_MAX = 16 * 2 ** 30;

/** Bodies of such writes in the journal, and so in memory. */
export const OUTGOING_INLINE_BYTES_MAX = 128 * 2 ** 20;

/** Who bounds indexing or searches by no more wants a small process: it takes more time for less memory. */
export const SMALL_PROCESS_BYTES_MAX = 256 * 2 ** 20;

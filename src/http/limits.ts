// Bounds of the HTTP face. What a launch option sets is in src/options.ts.

/** All answers that have a body are compressed for who asks for it, as the specification has it. */
export const COMPRESSION_THRESHOLD_BYTES = 1;

/** An idle connection is kept that long: above the usual timeouts of proxies, so that they close first. */
export const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/** Longest segment of a path, percent-encoded: leaves room for a document id of 511 bytes. */
export const PATH_SEGMENT_LEN_MAX = 2048;

export const CORS_AGE_SECONDS_MAX = 86_400;
export const RETRY_AFTER_SECONDS = 10;

/** Keys and tenant tokens that need not be verified again; one takes less than 16 KB, usually 1 KB. */
export const CREDENTIALS_REMEMBERED_MAX = 1000;
export const CREDENTIAL_REMEMBERED_LEN_MAX = 8 * 1024;

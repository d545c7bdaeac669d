// Bounds of the HTTP side. Those that launch options set are in src/options.ts.

/** Every answer with a body is compressed for clients that accept it, as the specification demands. */
export const COMPRESSION_THRESHOLD_BYTES = 1;

/**
 * How long an idle connection is kept: longer than the usual timeouts of proxies (nginx 60 s, Traefik 90 s,
 * Caddy 120 s), so that they close first. If we did, a request on its way would fail.
 */
export const KEEP_ALIVE_TIMEOUT_MS = 125_000;

/** Longest segment of a path, percent-encoded: enough for a document id of 511 bytes. */
export const PATH_SEGMENT_LEN_MAX = 2048;

export const CORS_AGE_SECONDS_MAX = 86_400;
export const RETRY_AFTER_SECONDS = 10;

/** How many verified keys and tenant tokens are remembered; each takes less than 16 KB, usually 1 KB. */
export const CREDENTIALS_REMEMBERED_MAX = 1000;
export const CREDENTIAL_REMEMBERED_LEN_MAX = 8 * 1024;

// The normal form in which strings of documents and values of filters are compared. Called when columns are
// filled (ingest/indexing.ts) and when filters and sorts are evaluated.

/** Room for a string in a column. */
const STORED_BYTES_MAX = 468;
/** What stands for the rest of a longer one, behind its beginning: a mark that no text has, and 64 bits. */
const DIGEST_MARK = "\u0000";
const DIGEST_BYTES = 17;
const BEGINNING_BYTES = STORED_BYTES_MAX - DIGEST_BYTES;

/** Trimmed, in compatibility decomposition, in lower case; accents count. */
export function facetText(text: string): string {
  const trimmed = text.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, "");
  return ASCII.test(trimmed) ? trimmed.toLowerCase() : trimmed.normalize("NFKD").toLowerCase();
}

/**
 * The form in which a column holds a string: of a long one the beginning, and a digest of all of it, so that
 * strings which begin alike are different values.
 */
export function storedFacetText(text: string): string {
  const normal = facetText(text);
  const bytes = isLong(normal) ? Buffer.from(normal) : null;
  return bytes ? `${beginningOf(bytes)}${DIGEST_MARK}${digestOf(bytes)}` : normal;
}

/** Is a text in normal form more than a column holds of it? */
export function isLong(normal: string): boolean {
  return normal.length * 3 > STORED_BYTES_MAX && Buffer.byteLength(normal) > STORED_BYTES_MAX;
}

/** As many whole characters as there is room for. */
function beginningOf(bytes: Buffer): string {
  let end = BEGINNING_BYTES;
  while ((bytes[end] & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end).toString();
}

/** FNV-1a with two starts, 32 bits each: not against those who look for equal digests on purpose. */
function digestOf(bytes: Uint8Array): string {
  let [low, high] = [0x811c9dc5, 0x050c5d1f];
  for (const byte of bytes) {
    low = Math.imul(low ^ byte, 0x01000193);
    high = Math.imul(high ^ byte, 0x01000197);
  }
  return [high, low].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const ASCII = /^[\x00-\x7f]*$/;

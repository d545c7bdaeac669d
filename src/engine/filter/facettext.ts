// The normal form in which strings of documents and values of filters are compared. Used when columns are
// filled (ingest/indexing.ts) and when filters and sorts are evaluated.
import { TEXT_CUT } from "../../segment/columnkeys.ts";
import { trimmed } from "../../trimming.ts";

/** Longest text, in bytes, that a column holds as it is. */
const STORED_BYTES_MAX = 468;
/**
 * Length of the digest of a longer text, which follows its beginning and TEXT_CUT. Its bytes are ones that no
 * character begins with: so a search inside texts never finds anything in it.
 */
const DIGEST_BYTES = 10;
const DIGEST_FIRST = 0x80;
const DIGEST_BITS = 6;
/** Greater than TEXT_CUT. */
const BEHIND_CUT = 0xff;

/** Trimmed, in compatibility decomposition, in lower case; accents are kept. */
export function facetText(text: string): string {
  const inner = trimmed(text, isBlank);
  return ASCII.test(inner) ? inner.toLowerCase() : inner.normalize("NFKD").toLowerCase();
}

/**
 * The bytes that a column holds for a string: for a long one its beginning and a digest of all of it, so that
 * strings with the same beginning are different values.
 */
export function storedFacetText(text: string): Uint8Array {
  const bytes = Buffer.from(facetText(text));
  if (bytes.length <= STORED_BYTES_MAX) return bytes;
  return Buffer.concat([beginningOf(bytes), Uint8Array.of(TEXT_CUT), digestOf(bytes)]);
}

/**
 * Where a text splits the ordered values of a column: before all that are equal to it (or after them,
 * `isBehind`). Texts whose beginnings, as far as a column holds them, are the same count as equal.
 */
export function splitOf(text: string, isBehind: boolean): Uint8Array {
  const bytes = Buffer.from(facetText(text));
  if (bytes.length <= STORED_BYTES_MAX) return isBehind ? Buffer.concat([bytes, Uint8Array.of(0)]) : bytes;
  return Buffer.concat([beginningOf(bytes), Uint8Array.of(isBehind ? BEHIND_CUT : TEXT_CUT)]);
}

/** Is a text in normal form longer than what a column holds of it? */
export function isLong(normal: string): boolean {
  return normal.length * 3 > STORED_BYTES_MAX && Buffer.byteLength(normal) > STORED_BYTES_MAX;
}

/** As many whole characters as fit. */
function beginningOf(bytes: Uint8Array): Uint8Array {
  let end = STORED_BYTES_MAX;
  while ((bytes[end] & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}

/** FNV-1a with two starting values, 30 bits of each: no protection against deliberate collisions. */
function digestOf(bytes: Uint8Array): Uint8Array {
  let [low, high] = [0x811c9dc5, 0x050c5d1f];
  for (const byte of bytes) {
    low = Math.imul(low ^ byte, 0x01000193);
    high = Math.imul(high ^ byte, 0x01000197);
  }
  return Uint8Array.from({ length: DIGEST_BYTES }, (_, at) => {
    const half = at < DIGEST_BYTES / 2 ? low : high;
    return DIGEST_FIRST | ((half >>> ((at % (DIGEST_BYTES / 2)) * DIGEST_BITS)) & 0x3f);
  });
}

const BLANK = /\p{White_Space}/u;
const isBlank = (unit: string): boolean => BLANK.test(unit);

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const ASCII = /^[\x00-\x7f]*$/;

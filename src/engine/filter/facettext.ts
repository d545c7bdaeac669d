// The normal form in which strings of documents and values of filters are compared. Called when columns are
// filled (ingest/indexing.ts) and when filters and sorts are evaluated.
import { TEXT_CUT } from "../../segment/columnkeys.ts";
import { trimmed } from "../../trimming.ts";

/** Bytes of a text that a column holds as they are. */
const STORED_BYTES_MAX = 468;
/**
 * Of the digest of a longer one, behind its beginning and TEXT_CUT. Its bytes are those that no character
 * begins with: nothing that is looked for in texts is found in them.
 */
const DIGEST_BYTES = 10;
const DIGEST_FIRST = 0x80;
const DIGEST_BITS = 6;
/** Greater than TEXT_CUT. */
const BEHIND_CUT = 0xff;

/** Trimmed, in compatibility decomposition, in lower case; accents count. */
export function facetText(text: string): string {
  const inner = trimmed(text, isBlank);
  return ASCII.test(inner) ? inner.toLowerCase() : inner.normalize("NFKD").toLowerCase();
}

/**
 * The bytes by which a column holds a string: of a long one the beginning, and a digest of all of it, so that
 * strings which begin alike are different values.
 */
export function storedFacetText(text: string): Uint8Array {
  const bytes = Buffer.from(facetText(text));
  if (bytes.length <= STORED_BYTES_MAX) return bytes;
  return Buffer.concat([beginningOf(bytes), Uint8Array.of(TEXT_CUT), digestOf(bytes)]);
}

/**
 * Where a text splits what a column holds in order: before (else behind) all that are equal to it. Texts that
 * begin alike for longer than a column holds count as equal.
 */
export function splitOf(text: string, isBehind: boolean): Uint8Array {
  const bytes = Buffer.from(facetText(text));
  if (bytes.length <= STORED_BYTES_MAX) return isBehind ? Buffer.concat([bytes, Uint8Array.of(0)]) : bytes;
  return Buffer.concat([beginningOf(bytes), Uint8Array.of(isBehind ? BEHIND_CUT : TEXT_CUT)]);
}

/** Is a text in normal form more than a column holds of it? */
export function isLong(normal: string): boolean {
  return normal.length * 3 > STORED_BYTES_MAX && Buffer.byteLength(normal) > STORED_BYTES_MAX;
}

/** As many whole characters as there is room for. */
function beginningOf(bytes: Uint8Array): Uint8Array {
  let end = STORED_BYTES_MAX;
  while ((bytes[end] & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}

/** FNV-1a with two starts, 30 bits of each: not against those who look for equal digests on purpose. */
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

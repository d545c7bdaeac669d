// The normal form in which strings of documents and values of filters are compared. Called when columns are
// filled (ingest/indexing.ts) and when filters and sorts are evaluated.

/** Longer strings of documents are cut here, at a character: the tail does not count. */
const FACET_BYTES_MAX = 468;

/** Trimmed, in compatibility decomposition, in lower case; accents count. */
export function facetText(text: string): string {
  const trimmed = text.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, "");
  return ASCII.test(trimmed) ? trimmed.toLowerCase() : trimmed.normalize("NFKD").toLowerCase();
}

/** The form in which a column holds a string. */
export function storedFacetText(text: string): string {
  const normal = facetText(text);
  if (normal.length * 3 <= FACET_BYTES_MAX) return normal;
  const bytes = Buffer.from(normal);
  if (bytes.length <= FACET_BYTES_MAX) return normal;
  let end = FACET_BYTES_MAX;
  while ((bytes[end] & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end).toString();
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const ASCII = /^[\x00-\x7f]*$/;

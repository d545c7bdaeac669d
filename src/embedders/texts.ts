// Texts of bounded size. Used where prompts are made (prompts.ts), and where providers refuse long texts
// (rest.ts).

/** The longest beginning with at most this many bytes of UTF-8 that ends with a whole character. */
export function cutToBytes(text: string, bytesMax: number): string {
  const enough = text.length * UNIT_BYTES_MAX;
  if (enough <= bytesMax) return text;
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(Math.min(bytesMax, enough))).read);
}

/** Most bytes of UTF-8 for one UTF-16 unit. */
const UNIT_BYTES_MAX = 3;

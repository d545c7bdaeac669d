// Decoder of LZ4 blocks, byte by byte; undefined for blocks that break a rule or make more than `most` bytes.
export function decompress(block: Uint8Array, most: number): Uint8Array | undefined {
  const out: number[] = [];
  let at = 0;
  const count = (nibble: number): number => {
    let sum = nibble;
    if (nibble === 15) {
      do {
        if (at >= block.length) return Number.POSITIVE_INFINITY;
        sum += block[at];
      } while (block[at++] === 255);
    }
    return sum;
  };
  while (at < block.length) {
    const token = block[at++];
    const literals = count(token >> 4);
    if (literals > block.length - at || out.length + literals > most) return undefined;
    for (let end = at + literals; at < end; at++) out.push(block[at]);
    if (at === block.length) return Uint8Array.from(out);
    if (at + 2 > block.length) return undefined;
    const offset = block[at] | (block[at + 1] << 8);
    at += 2;
    const match = count(token & 15) + 4;
    if (offset === 0 || offset > out.length || out.length + match > most) return undefined;
    for (let n = 0; n < match; n++) out.push(out[out.length - offset]);
  }
  return undefined;
}

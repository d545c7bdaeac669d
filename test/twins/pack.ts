// Packs 128 numbers bit by bit: value i goes to lane i % 4, bits (i >> 2) * width and up.
export function packBlock(values: readonly number[], width: number): Uint8Array {
  const out = new Uint8Array(16 * width);
  values.forEach((value, index) => {
    for (let bit = 0; bit < width; bit++) {
      const at = (index >> 2) * width + bit;
      const byte = (at >> 5) * 16 + (index & 3) * 4 + ((at & 31) >> 3);
      out[byte] |= ((value >>> bit) & 1) << (at & 7);
    }
  });
  return out;
}

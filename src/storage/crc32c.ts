// CRC32C (Castagnoli) for everything that TypeScript writes itself: log records, manifests, tombstones. The
// chunks of segments are checked by the kernel of the core, which gives the same numbers. Table-driven, eight
// bytes a step ("slicing by 8": Kounavis and Berry, A Systematic Approach to Building High Performance
// Software-based CRC Generators, 2005).

/** The polynomial 0x1EDC6F41, bits reversed. */
const POLYNOMIAL = 0x82f63b78;
const SLICES = 8;

/**
 * Checksum of bytes [start, end), an unsigned 32-bit number. `seed` is the checksum of the bytes before them,
 * so that crc32c(b, 0, n, crc32c(a)) is the checksum of a and b together.
 */
export function crc32c(bytes: Uint8Array, start = 0, end = bytes.length, seed = 0): number {
  let crc = ~seed;
  let at = start;
  for (const last = end - SLICES; at <= last; at += SLICES) {
    const low = crc ^ (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24));
    crc =
      table[7 * 256 + (low & 255)] ^
      table[6 * 256 + ((low >>> 8) & 255)] ^
      table[5 * 256 + ((low >>> 16) & 255)] ^
      table[4 * 256 + (low >>> 24)] ^
      table[3 * 256 + bytes[at + 4]] ^
      table[2 * 256 + bytes[at + 5]] ^
      table[256 + bytes[at + 6]] ^
      table[bytes[at + 7]];
  }
  for (; at < end; at++) crc = (crc >>> 8) ^ table[(crc ^ bytes[at]) & 255];
  return ~crc >>> 0;
}

/**
 * The four bytes, as a little-endian number, that lead from the checksum of the bytes before them to the
 * checksum of all. There is exactly one answer: each byte follows from the highest byte of the table entry
 * that it chose.
 */
export function bytesBetween(before: number, after: number): number {
  let crc = ~after;
  for (let step = 0; step < 4; step++) {
    const high = crc >>> 24;
    const byte = table.findIndex((entry) => entry >>> 24 === high);
    crc = ((crc ^ table[byte]) << 8) | byte;
  }
  return (crc ^ ~before) >>> 0;
}

/** Row k of the table, 256 numbers, gives the effect of a byte that is followed by k zero bytes. */
const table = makeTable();

function makeTable(): Int32Array {
  const rows = new Int32Array(SLICES * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    rows[byte] = crc;
  }
  for (let i = 256; i < rows.length; i++) rows[i] = (rows[i - 256] >>> 8) ^ rows[rows[i - 256] & 255];
  return rows;
}

// The checksum of bytes in linear memory (assembly/crc32c.ts), as segment files store it for each chunk.

export interface Crc32cExports {
  /** CRC32C of `length` bytes as an i32. */
  crc32c(pointer: number, length: number): number;
}

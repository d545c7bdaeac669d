// Checksums of bytes in linear memory (assembly/crc32c.ts): chunks of segment files, records of logs.
import type { Core } from "./core.ts";

export interface Crc32cExports {
  /** CRC32C of `length` bytes as an i32. */
  crc32c(pointer: number, length: number): number;
}

/** CRC32C of `length` bytes at `pointer`, as an unsigned number. */
export function crc32c(core: Core, pointer: number, length: number): number {
  return core.exports.crc32c(pointer, length) >>> 0;
}

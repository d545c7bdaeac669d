// CRC32C (Castagnoli) of a range of bytes: the checksum of every page of a segment file and of every record
// of a log. Slicing-by-8 after Kounavis and Berry, "A Systematic Approach to Building High Performance
// Software-Based CRC Generators" (2005): eight tables of 256 u32, table k holds the remainder of one byte
// followed by k zero bytes.
//
//   TABLES  | table 0: 1 KiB | table 1: 1 KiB | ... | table 7: 1 KiB |
//
// The tables are computed at the first call instead of being shipped: 8 KiB less in the binary.

/** The polynomial 0x1EDC6F41 with its bits reversed. */
const POLYNOMIAL: u32 = 0x82f63b78;
const TABLES: usize = memory.data(8192, 16);
/** Written last, and never zero: tells whether the tables are there. */
const LAST_ENTRY: usize = TABLES + 8188;

/** Checksum of `length` bytes at `pointer`, as the bits of a u32. Reads nothing behind them. */
export function crc32c(pointer: usize, length: i32): i32 {
  if (load<u32>(LAST_ENTRY) == 0) fillTables();
  let crc: u32 = 0xffffffff;
  const end = pointer + <usize>length;
  for (; pointer + 8 <= end; pointer += 8) {
    const low = crc ^ load<u32>(pointer);
    const high = load<u32>(pointer, 4);
    crc =
      load<u32>(TABLES + ((low & 255) << 2), 7168) ^
      load<u32>(TABLES + (((low >> 8) & 255) << 2), 6144) ^
      load<u32>(TABLES + (((low >> 16) & 255) << 2), 5120) ^
      load<u32>(TABLES + ((low >> 24) << 2), 4096) ^
      load<u32>(TABLES + ((high & 255) << 2), 3072) ^
      load<u32>(TABLES + (((high >> 8) & 255) << 2), 2048) ^
      load<u32>(TABLES + (((high >> 16) & 255) << 2), 1024) ^
      load<u32>(TABLES + ((high >> 24) << 2));
  }
  for (; pointer < end; pointer++) crc = step(crc ^ load<u8>(pointer));
  return <i32>~crc;
}

/** Shifts one byte out of the remainder. */
function step(crc: u32): u32 {
  return (crc >> 8) ^ load<u32>(TABLES + ((crc & 255) << 2));
}

function fillTables(): void {
  for (let byte: u32 = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (POLYNOMIAL & (0 - (crc & 1)));
    store<u32>(TABLES + (byte << 2), crc);
  }
  for (let at: usize = TABLES; at < TABLES + 7168; at += 4) store<u32>(at, step(load<u32>(at)), 1024);
}

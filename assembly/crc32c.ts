// CRC32C (Castagnoli) of a range of bytes: the checksum of every chunk of a segment file; for what the host
// writes itself see src/storage/crc32c.ts. Slicing-by-8 after Kounavis and Berry, "A Systematic Approach to
// Building High Performance Software-Based CRC Generators" (2005): eight tables of 256 u32, table k holds the
// remainder of one byte followed by k zero bytes.
//
// Each step has to wait for the previous one. So two streams of 1 KiB are read side by side, which takes
// little more time than one: since the checksum is linear, that of the first stream is moved over as many
// zero bytes as the second has, and added to it. Four more tables say what each byte of a remainder becomes
// when it is moved that far.
//
//   TABLES  | table 0: 1 KiB | table 1: 1 KiB | ... | table 7: 1 KiB |
//   MOVES   | byte 0: 1 KiB | byte 1: 1 KiB | byte 2: 1 KiB | byte 3: 1 KiB |
//
// The tables are computed at the first call instead of being shipped: 12 KiB less in the binary.

/** The polynomial 0x1EDC6F41 with its bits reversed. */
const POLYNOMIAL: u32 = 0x82f63b78;
const TABLES: usize = memory.data(8192, 16);
const STREAM_BYTES: usize = 1024;
const MOVES: usize = memory.data(4096, 16);
const ZEROS: usize = memory.data(8, 8);
/** Written last, and never zero: tells whether the tables are filled. */
const LAST_ENTRY: usize = MOVES + 4092;

/** Checksum of `length` bytes at `pointer`, as the bits of a u32. Reads no further. */
export function crc32c(pointer: usize, length: i32): i32 {
  if (load<u32>(LAST_ENTRY) == 0) fillTables();
  let crc: u32 = 0xffffffff;
  const end = pointer + <usize>length;
  for (; pointer + 2 * STREAM_BYTES <= end; pointer += 2 * STREAM_BYTES) {
    let second: u32 = 0;
    for (let at = pointer, middle = pointer + STREAM_BYTES; at < middle; at += 8) {
      crc = stepEight(crc, at);
      second = stepEight(second, at + STREAM_BYTES);
    }
    crc = move(crc) ^ second;
  }
  for (; pointer + 8 <= end; pointer += 8) crc = stepEight(crc, pointer);
  for (; pointer < end; pointer++) crc = step(crc ^ load<u8>(pointer));
  return <i32>~crc;
}

/** The remainder after the eight bytes at `pointer`. */
@inline
function stepEight(crc: u32, pointer: usize): u32 {
  const low = crc ^ load<u32>(pointer);
  const high = load<u32>(pointer, 4);
  return (
    load<u32>(TABLES + ((low & 255) << 2), 7168) ^
    load<u32>(TABLES + (((low >> 8) & 255) << 2), 6144) ^
    load<u32>(TABLES + (((low >> 16) & 255) << 2), 5120) ^
    load<u32>(TABLES + ((low >> 24) << 2), 4096) ^
    load<u32>(TABLES + ((high & 255) << 2), 3072) ^
    load<u32>(TABLES + (((high >> 8) & 255) << 2), 2048) ^
    load<u32>(TABLES + (((high >> 16) & 255) << 2), 1024) ^
    load<u32>(TABLES + ((high >> 24) << 2))
  );
}

/** The remainder after as many zero bytes as a stream is long. */
@inline
function move(crc: u32): u32 {
  return (
    load<u32>(MOVES + ((crc & 255) << 2)) ^
    load<u32>(MOVES + (((crc >> 8) & 255) << 2), 1024) ^
    load<u32>(MOVES + (((crc >> 16) & 255) << 2), 2048) ^
    load<u32>(MOVES + ((crc >> 24) << 2), 3072)
  );
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
  for (let place = 0; place < 4; place++) fillMoves(MOVES + (place << 10), place << 3);
}

/**
 * Fills the table that moves the byte at bit `shift` of a remainder: single bits are moved, other values are
 * their sums.
 */
function fillMoves(table: usize, shift: u32): void {
  store<u32>(table, 0);
  for (let bit: u32 = 1; bit < 256; bit <<= 1) {
    let moved = bit << shift;
    for (let bytes: usize = 0; bytes < STREAM_BYTES; bytes += 8) moved = stepEight(moved, ZEROS);
    for (let low: u32 = 0; low < bit; low++) {
      store<u32>(table + ((bit + low) << 2), moved ^ load<u32>(table + (low << 2)));
    }
  }
}

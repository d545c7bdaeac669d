// What the tokenizer knows about single characters: properties, lower case and decomposition, from the
// generated tables.
import {
  CHARACTER_BLOCK_LEN,
  CHARACTER_BLOCKS,
  CHARACTER_CLASSES,
  CLASS_PROPERTIES,
} from "./tables/characters";
import {
  DECOMPOSITION_BLOCK_COUNT,
  DECOMPOSITION_BLOCK_LEN,
  DECOMPOSITION_BLOCKS,
  DECOMPOSITION_LENGTHS,
  DECOMPOSITION_TEXTS,
} from "./tables/decompositions";
import {
  LOWERCASE_BLOCK_LEN,
  LOWERCASE_BLOCKS,
  LOWERCASE_DELTAS,
  LOWERCASE_NUMBERS,
} from "./tables/lowercase";

/**
 * Where the decompositions of each block begin, u16: these sums are left out of the file. Instances that
 * share a memory write the same values.
 */
const DECOMPOSITION_STARTS: usize = memory.data(DECOMPOSITION_BLOCK_COUNT << 1);
sumDecompositionStarts();

export const PROPERTY_MARK: u32 = 1 << 7;
export const PROPERTY_NUMERIC: u32 = 1 << 8;
export const PROPERTY_DECOMPOSES: u32 = 1 << 9;
export const PROPERTY_HAS_LOWERCASE: u32 = 1 << 10;
/** A control character that is not white space. */
export const PROPERTY_CONTROL: u32 = 1 << 11;

/** The properties of tables/characters.ts. */
export function characterProperties(codePoint: u32): u32 {
  const place = packed(codePoint);
  const block: u32 = load<u8>(CHARACTER_BLOCKS + <usize>(place / CHARACTER_BLOCK_LEN));
  const inBlock = place % CHARACTER_BLOCK_LEN;
  const number: u32 = load<u8>(CHARACTER_CLASSES + <usize>(block * CHARACTER_BLOCK_LEN + inBlock));
  return <u32>load<u16>(CLASS_PROPERTIES + <usize>(number << 1));
}

export function propertyScript(properties: u32): u32 {
  return properties & 31;
}

/** CHARACTER_HARD, CHARACTER_SOFT or 0: the kind of a default separator. */
export function propertySeparator(properties: u32): u32 {
  return (properties >> 5) & 3;
}

/** Lower case of a character with PROPERTY_HAS_LOWERCASE. */
export function characterLowercase(codePoint: u32): u32 {
  const place = packed(codePoint);
  const block: u32 = load<u8>(LOWERCASE_BLOCKS + <usize>(place / LOWERCASE_BLOCK_LEN));
  const inBlock = place % LOWERCASE_BLOCK_LEN;
  const number: u32 = load<u8>(LOWERCASE_NUMBERS + <usize>(block * LOWERCASE_BLOCK_LEN + inBlock));
  return codePoint + load<u32>(LOWERCASE_DELTAS + <usize>(number << 2));
}

/** Bytes of the decomposition of a character with PROPERTY_DECOMPOSES; 0 for Hangul syllables. */
export function decompositionBytes(codePoint: u32): u32 {
  const place = packed(codePoint);
  return <u32>load<u8>(decompositionBlock(place) + <usize>(place % DECOMPOSITION_BLOCK_LEN));
}

/** Address of the UTF-8 of the decomposition: the start of the block plus the lengths before it. */
export function decompositionText(codePoint: u32): usize {
  const place = packed(codePoint);
  const start: u32 = load<u16>(DECOMPOSITION_STARTS + <usize>((place / DECOMPOSITION_BLOCK_LEN) << 1));
  const before = bytesBefore(decompositionBlock(place), place % DECOMPOSITION_BLOCK_LEN);
  return DECOMPOSITION_TEXTS + <usize>(start + before);
}

function sumDecompositionStarts(): void {
  let sum: u32 = 0;
  for (let block: u32 = 0; block < DECOMPOSITION_BLOCK_COUNT; block++) {
    store<u16>(DECOMPOSITION_STARTS + <usize>(block << 1), <u16>sum);
    sum += bytesBefore(decompositionBlock(block * DECOMPOSITION_BLOCK_LEN), DECOMPOSITION_BLOCK_LEN);
  }
}

/** Sum of the first `count` lengths in a block. */
function bytesBefore(block: usize, count: u32): u32 {
  const before = i8x16.splat(<i8>count);
  const low = i8x16.lt_u(i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), before);
  const high = i8x16.lt_u(i8x16(16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31), before);
  const pairs = i16x8.add(
    i16x8.extadd_pairwise_i8x16_u(v128.and(v128.load(block), low)),
    i16x8.extadd_pairwise_i8x16_u(v128.and(v128.load(block, 16), high)),
  );
  const sums = i32x4.extadd_pairwise_i16x8_u(pairs);
  return (
    i32x4.extract_lane(sums, 0) +
    i32x4.extract_lane(sums, 1) +
    i32x4.extract_lane(sums, 2) +
    i32x4.extract_lane(sums, 3)
  );
}

export function isAsciiPunctuation(codePoint: u32): bool {
  return codePoint - 0x21 < 15 || codePoint - 0x3a < 7 || codePoint - 0x5b < 6 || codePoint - 0x7b < 4;
}

function decompositionBlock(place: u32): usize {
  const block: u32 = load<u8>(DECOMPOSITION_BLOCKS + <usize>(place / DECOMPOSITION_BLOCK_LEN));
  return DECOMPOSITION_LENGTHS + <usize>(block * DECOMPOSITION_BLOCK_LEN);
}

/**
 * Place of a character in the tables; characters above them, which have no properties, share the place of
 * U+FFFF, which has none either.
 */
function packed(codePoint: u32): u32 {
  if (codePoint < 0x20000) return codePoint;
  if (codePoint - 0x2f800 < 0x220) return codePoint - 0x2f800 + 0x20000;
  if (codePoint - 0xe0100 < 0xf0) return codePoint - 0xe0100 + 0x20220;
  return 0xffff;
}

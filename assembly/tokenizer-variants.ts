// Chinese characters with several forms: simplified, old or variant ones are folded to one of them, mostly
// the traditional one (tokenizer-normalizer.ts applies this to decomposed text of Chinese runs).
import {
  VARIANT_BITS,
  VARIANT_FAR,
  VARIANT_FAR_FORMS,
  VARIANT_FAR_LEN,
  VARIANT_FIRST,
  VARIANT_FORMS,
  VARIANT_GROUP_BLOCKS,
  VARIANT_LEN,
  VARIANT_STARTS,
} from "./tables/variants";

/** The form that a character is folded to, or the character itself. */
export function foldVariant(codePoint: u32): u32 {
  const place = codePoint - VARIANT_FIRST;
  if (place >= VARIANT_LEN) return codePoint;
  const block = place >> 6;
  const bits = load<u64>(VARIANT_BITS + (<usize>block << 3));
  const bit: u64 = (<u64>1) << (place & 63);
  if ((bits & bit) == 0) return codePoint;
  const before = variantsBefore(block) + <u32>popcnt(bits & (bit - 1));
  const form: u32 = load<u16>(VARIANT_FORMS + (<usize>before << 1));
  const far = form - VARIANT_FAR;
  return far < VARIANT_FAR_LEN ? load<u32>(VARIANT_FAR_FORMS + (<usize>far << 2)) : form;
}

/**
 * Number of characters with such a form in earlier blocks; those before its group are counted in the table.
 */
function variantsBefore(block: u32): u32 {
  const group = block / VARIANT_GROUP_BLOCKS;
  let count: u32 = load<u16>(VARIANT_STARTS + (<usize>group << 1));
  for (let each = group * VARIANT_GROUP_BLOCKS; each < block; each++)
    count += <u32>popcnt(load<u64>(VARIANT_BITS + (<usize>each << 3)));
  return count;
}

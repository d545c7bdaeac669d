// Foldings of single letters that belong to one script (tokenizer-normalizer.ts applies them to decomposed
// text).

/** Stands for a character that is removed. */
export const NOTHING: u32 = 0;

/** Quotes, d with stroke, dotless i. The caller turns the ligatures ae and oe into two letters. */
export function foldLatin(codePoint: u32): u32 {
  switch (codePoint) {
    case 0x2018:
    case 0x2019:
    case 0x201b:
      return 0x27;
    case 0xd0:
    case 0xf0:
    case 0x110:
    case 0x111:
      return 0x64;
    case 0x131:
      return 0x69;
    default:
      return codePoint;
  }
}

/** Persian forms of letters, digits and punctuation; the zero width non-joiner is removed. */
export function foldPersian(codePoint: u32): u32 {
  if (codePoint - 0x6f0 < 10) return codePoint - 0x6f0 + 0x30;
  switch (codePoint) {
    case 0x64a:
    case 0x649:
    case 0x6c0:
      return 0x6cc;
    case 0x643:
      return 0x6a9;
    case 0x60c:
      return 0x2c;
    case 0x61f:
      return 0x3f;
    case 0x200c:
      return NOTHING;
    default:
      return codePoint;
  }
}

/** Tatweel is removed; forms of alef, alef maksura and teh marbuta become the letters that people type. */
export function foldArabic(codePoint: u32): u32 {
  switch (codePoint) {
    case 0x640:
      return NOTHING;
    case 0x622:
    case 0x623:
    case 0x625:
    case 0x671:
      return 0x627;
    case 0x649:
      return 0x64a;
    case 0x629:
      return 0x647;
    default:
      return codePoint;
  }
}

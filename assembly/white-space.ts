// White space as Unicode defines it (property White_Space), found in UTF-8 text: for trimming words before
// they are indexed. Most of it is a plain space in the decomposed text that words are; the others are looked
// for here. Used inside the core. Words seldom have any, so callers check the first and the last byte first.

/** First address from `text` on that is not white space. */
export function trimStart(text: usize, end: usize): usize {
  while (text < end) {
    const bytes = whiteSpaceBytes(text, end);
    if (!bytes) break;
    text += bytes;
  }
  return text;
}

/** Address after the last byte before `end` that is not white space. */
export function trimEnd(text: usize, end: usize): usize {
  while (text < end) {
    let bytes: usize = 1;
    while (bytes <= 3 && (text + bytes > end || whiteSpaceBytes(end - bytes, end) != bytes)) bytes++;
    if (bytes > 3) break;
    end -= bytes;
  }
  return end;
}

/** Length of the white space character at `at`, 0 when the character there is another one. */
function whiteSpaceBytes(at: usize, end: usize): usize {
  const first: u32 = load<u8>(at);
  if (first < 0x80) return first == 0x20 || first - 9 < 5 ? 1 : 0;
  if (at + 2 > end) return 0;
  // U+0085.
  if (first == 0xc2) return load<u8>(at, 1) == 0x85 ? 2 : 0;
  if (at + 3 > end) return 0;
  const rest = (<u32>load<u8>(at, 1) << 8) | load<u8>(at, 2);
  // U+1680, U+2028 and U+2029.
  if (first == 0xe1) return rest == 0x9a80 ? 3 : 0;
  return first == 0xe2 && (rest == 0x80a8 || rest == 0x80a9) ? 3 : 0;
}

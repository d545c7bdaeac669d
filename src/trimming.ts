// Trims long texts. A regular expression that ends in `+$` starts again at each place of every inner run,
// which takes minutes when such a run is long; use this instead.

/** `isTrimmed`: whether to remove a UTF-16 unit at either end. */
export function trimmed(text: string, isTrimmed: (unit: string) => boolean): string {
  const ended = withoutEnd(text, isTrimmed);
  let from = 0;
  while (from < ended.length && isTrimmed(ended[from])) from++;
  return ended.slice(from);
}

export function withoutEnd(text: string, isTrimmed: (unit: string) => boolean): string {
  let to = text.length;
  while (to > 0 && isTrimmed(text[to - 1])) to--;
  return text.slice(0, to);
}

export const isSlash = (unit: string): boolean => unit === "/";

// Texts without what stands at their ends. Used wherever a text may be long: a regular expression that ends
// in `+$` begins anew at each place of every inner run, which takes minutes where such a run is long.

/** `isTrimmed`: of one UTF-16 unit. */
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

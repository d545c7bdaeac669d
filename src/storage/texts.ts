// Texts that a decoder of MessagePack would not read as they were written: it takes a byte order mark from
// the beginning of longer ones. They are written with a NUL before it. Called by tasks/codec.ts and
// segment/manifeststate.ts.

const MARKED = /^\0*\ufeff/;

/** Needs a mark, or has one. */
export const isMarked = (text: string): boolean => MARKED.test(text);

export const markText = (text: string): string => (isMarked(text) ? `\0${text}` : text);

/** What an earlier version wrote is left as it is, unless it begins with a NUL and a byte order mark. */
export const unmarkText = (text: string): string =>
  isMarked(text) && text[0] === "\0" ? text.slice(1) : text;

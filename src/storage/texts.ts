// Texts that a decoder of MessagePack would not read back as they were written, since it drops a byte order
// mark at the beginning of longer ones. They are written with a NUL in front. Called by tasks/codec.ts and
// segment/manifeststate.ts.

const MARKED = /^\0*\ufeff/;

/** True for a text that needs the mark, or already has one. */
export const isMarked = (text: string): boolean => MARKED.test(text);

export const markText = (text: string): string => (isMarked(text) ? `\0${text}` : text);

/**
 * Texts written by an earlier version stay as they are, unless they begin with a NUL and a byte order mark.
 */
export const unmarkText = (text: string): string =>
  isMarked(text) && text[0] === "\0" ? text.slice(1) : text;

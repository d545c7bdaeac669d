// Characters in UTF-16 strings. Used where a text is walked character by character while code units are
// counted.

/** Code units of the character at a place, which must not be the end of the text. */
export const unitsAt = (text: string, at: number): number => (text.codePointAt(at)! > 0xffff ? 2 : 1);

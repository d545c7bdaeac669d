// Characters in strings of UTF-16. Called by all that goes through a text character by character, and counts
// code units.

/** Code units of the character at a place of a text, which is not its end. */
export const unitsAt = (text: string, at: number): number => (text.codePointAt(at)! > 0xffff ? 2 : 1);

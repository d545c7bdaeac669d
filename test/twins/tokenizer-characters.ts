// Character classes for the twin of the tokenizer: the range lists of tools/character-ranges.mjs as sets and
// maps, and UTF-8 read character by character with TextDecoder.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

interface CharacterRanges {
  scripts: Record<string, string>;
  armenian: string;
  hardSeparators: string;
  softSeparators: string;
  nonSpacingMarks: string;
  eachCodePoint(ranges: string, visit: (codePoint: number) => void): void;
}

/** One character of a text with the bytes it came from. */
export interface Character {
  text: string;
  start: number;
  end: number;
}

const { ideographVariants } = await import(pathToFileURL(resolve("tools/ideograph-variants.mjs")).href);
const ranges: CharacterRanges = await import(pathToFileURL(resolve("tools/character-ranges.mjs")).href);

/** Script of each character, "Other" when it has none; Armenian counts in the vote only. */
const scripts = new Map<string, string>();
for (const [name, list] of [...Object.entries(ranges.scripts), ["Armenian", ranges.armenian]]) {
  for (const character of charactersOf(list)) if (!scripts.has(character)) scripts.set(character, name);
}
/** In the order that decides among equally frequent ones. */
export const scriptNames = [...Object.keys(ranges.scripts), "Armenian"];
export const scriptOf = (character: string): string => scripts.get(character) ?? "Other";

export const hardSeparators = new Set([
  ...charactersOf(ranges.hardSeparators),
  ", ",
  ". ",
  "\u17D4\u179B\u17D4",
]);
export const softSeparators = new Set(charactersOf(ranges.softSeparators));
/** Chinese characters with another form, and the form that they are folded to. */
export const variants: Map<string, string> = ideographVariants();
export const nonSpacingMarks = new Set(charactersOf(ranges.nonSpacingMarks));

/**
 * Characters of bytes that may be invalid. Each U+FFFD stands for the bytes that TextDecoder replaces by one.
 */
export function charactersOfUtf8(bytes: Uint8Array): Character[] {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const characters: Character[] = [];
  for (let start = 0; start < bytes.length; ) {
    const decoded = [1, 2, 3, 4].map((width) => decoder.decode(bytes.subarray(start, start + width)));
    const whole = decoded.findIndex((text) => Array.from(text).length === 1 && text !== "\uFFFD");
    const replaced = decoded.slice(0, 3).lastIndexOf("\uFFFD");
    const width = Math.min((whole >= 0 ? whole : replaced) + 1, bytes.length - start);
    const text = whole >= 0 ? decoded[whole] : "\uFFFD";
    characters.push({ text, start, end: start + width });
    start += width;
  }
  return characters;
}

function charactersOf(list: string): string[] {
  const characters: string[] = [];
  ranges.eachCodePoint(list, (codePoint) => characters.push(String.fromCodePoint(codePoint)));
  return characters;
}

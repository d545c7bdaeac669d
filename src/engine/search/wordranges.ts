// Ranges of words in the dictionaries of an index. Made by vocabulary.ts, walked by wordunion.ts.

/** Words of a segment: ordinals [from, to) of its dictionary. */
export interface Range {
  from: number;
  to: number;
}

/** One range per segment, empty where there is none. */
export type Ranges = readonly Range[];

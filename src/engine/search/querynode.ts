// The nodes of the graph of a query: made by derive.ts, written for the core by records.ts.
import type { Phrase } from "./parse.ts";
import type { PrefixRange, Word } from "./vocabulary.ts";

/** A part of the query: terms `from` to `to`, at the query positions `first` to `last`. */
export interface Node {
  from: number;
  to: number;
  first: number;
  last: number;
  size: number;
  text: string;
  ngram: boolean;
  /** The phrase that the node stands for; in that case nothing below is set. */
  phrase: Phrase | null;
  exact: Word | null;
  prefix: PrefixRange | null;
  one: Word[];
  two: Word[];
  split: Phrase | null;
  synonyms: Phrase[];
  /** Typos allowed: 0, 1 or 2. */
  budget: number;
}

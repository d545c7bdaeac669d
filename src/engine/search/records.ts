// Words, phrases and nodes of a query as records of the core (assembly/search/records.ts), each written
// once in a search. Called by searchcore.ts.
import type { Core } from "../../core/core.ts";
import type { Scratch } from "../../core/scratch.ts";
import {
  HOLE,
  MISSING,
  NODE_CACHED,
  NODE_LEN,
  NODE_NGRAM,
  PART_LEN,
  PHRASE_COUNT,
  PHRASE_HEAD_LEN,
  RANGES_LEN,
} from "../../core/search.ts";
import type { ReaderShare } from "../reader.ts";
import type { Phrase } from "./parse.ts";
import type { Node } from "./querynode.ts";
import type { Vocabulary, Word } from "./vocabulary.ts";
import type { Ranges } from "./wordranges.ts";

export class RecordWriter {
  readonly #core: Core;
  readonly #scratch: Scratch;
  readonly #vocabulary: Vocabulary;
  readonly #segments: number;
  readonly #ranges = new Map<Ranges, number>();
  readonly #phrases = new Map<string, number>();

  constructor({ core, scratch }: ReaderShare, segments: number, vocabulary: Vocabulary) {
    this.#core = core;
    this.#scratch = scratch;
    this.#segments = segments;
    this.#vocabulary = vocabulary;
  }

  /** Record of the words in some ranges. */
  ranges(ranges: Ranges): number {
    let pointer = this.#ranges.get(ranges);
    if (pointer === undefined) {
      pointer = this.#scratch.allocZeroed(this.#bytes);
      this.#writeRanges(pointer, ranges);
      this.#ranges.set(ranges, pointer);
    }
    return pointer;
  }

  /** Record of one term of one segment; written anew each time. */
  term(segment: number, ordinal: number): number {
    const pointer = this.#scratch.allocZeroed(this.#bytes);
    const at = pointer / 4 + RANGES_LEN + PART_LEN * segment;
    this.#core.u32[at] = ordinal;
    this.#core.u32[at + 1] = ordinal + 1;
    return pointer;
  }

  phrase({ slots }: Phrase): number {
    const key = JSON.stringify(slots);
    let pointer = this.#phrases.get(key);
    if (pointer === undefined) {
      const words = slots.map((text) => this.#slot(text));
      pointer = this.#scratch.allocZeroed(4 * (PHRASE_HEAD_LEN + words.length));
      this.#core.u32[pointer / 4 + PHRASE_COUNT] = words.length;
      this.#core.u32.set(words, pointer / 4 + PHRASE_HEAD_LEN);
      this.#phrases.set(key, pointer);
    }
    return pointer;
  }

  /** Records of nodes, one after another. */
  nodes(nodes: readonly Node[]): number {
    const records = nodes.map((node) => this.#node(node));
    const pointer = this.#scratch.allocZeroed(4 * NODE_LEN * nodes.length);
    records.forEach((record, i) => {
      this.#core.u32.set(record, pointer / 4 + NODE_LEN * i);
    });
    return pointer;
  }

  get #bytes(): number {
    return 4 * (RANGES_LEN + PART_LEN * this.#segments);
  }

  #slot(text: string | null): number {
    if (text === null) return HOLE;
    const word = this.#vocabulary.find(text);
    return word ? this.ranges(word.ranges) : MISSING;
  }

  #node(node: Node): number[] {
    const { exact, prefix, one, two, split, synonyms, phrase } = node;
    const flags = (node.ngram ? NODE_NGRAM : 0) | (prefix?.cached ? NODE_CACHED : 0);
    return [
      node.from,
      node.to,
      node.first,
      node.last,
      node.size,
      flags,
      node.budget,
      exact ? this.ranges(exact.ranges) : 0,
      prefix ? this.ranges(prefix.ranges) : 0,
      ...this.#words(one),
      ...this.#words(two),
      split ? this.phrase(split) : 0,
      this.#list(synonyms.map((synonym) => this.phrase(synonym))),
      synonyms.length,
      phrase ? this.phrase(phrase) : 0,
    ];
  }

  /** Address and length of a list of words, which lie one after another. */
  #words(words: readonly Word[]): [list: number, count: number] {
    if (words.length === 0) return [0, 0];
    const bytes = this.#bytes;
    const first = this.#scratch.allocZeroed(bytes * words.length);
    words.forEach(({ ranges }, i) => {
      this.#writeRanges(first + bytes * i, ranges);
    });
    return [this.#list(words.map((_, i) => first + bytes * i)), words.length];
  }

  #list(addresses: readonly number[]): number {
    if (addresses.length === 0) return 0;
    const pointer = this.#scratch.alloc(4 * addresses.length);
    this.#core.u32.set(addresses, pointer / 4);
    return pointer;
  }

  #writeRanges(pointer: number, ranges: Ranges): void {
    const { u32 } = this.#core;
    let at = pointer / 4 + RANGES_LEN;
    for (const { from, to } of ranges) {
      u32[at] = from;
      u32[at + 1] = to;
      at += PART_LEN;
    }
  }
}

// `_formatted` and `_matchesPosition` by their definitions: every word of a text is compared with every word
// the query stands for, every run of matches is looked at. The search is compared with it.
import type { Token } from "../../../src/core/tokenizer.ts";
import { parseQuery } from "../../../src/engine/search/parse.ts";
import { type NaiveIndex, type TestDocument, tokenizer } from "./naiveindex.ts";
import { type NaiveNode, NaiveQuery } from "./naivequery.ts";

export interface NaiveFormat {
  highlight: boolean;
  crop: number;
  marker: string;
  tags: [string, string];
}

/** A match in words of the text (both included) and in bytes. */
interface Found {
  words: [number, number];
  bytes: [number, number];
  /** Where its last word ends, of which it may be a part. */
  wordEnd: number;
  positions: number[];
}

/** A word of the text: its token and the token's place among all. */
interface Place {
  token: Token;
  at: number;
}

type Value = TestDocument[string];

const isSeparator = ({ kind }: Token): boolean => kind === "hard" || kind === "soft";
const characters = (text: string): string[] => [...text];

export class NaiveFormatter {
  readonly #nodes: NaiveNode[];
  readonly #prefixed: (node: NaiveNode) => boolean;

  constructor(index: NaiveIndex, q: string) {
    tokenizer.configure(index.settings);
    const { terms } = parseQuery(tokenizer.tokenize(q), index.settings.prefixSearch !== "disabled");
    const nodes = new NaiveQuery(index, null).nodes(terms);
    this.#prefixed = (node) => terms[node.to].prefix;
    this.#nodes = nodes.sort((a, b) => Number(a.ngram) - Number(b.ngram));
  }

  formatted(document: TestDocument, format: NaiveFormat): Record<string, unknown> {
    const values = Object.entries(document).map(([name, value]) => [name, this.#value(value, format)]);
    return Object.fromEntries(values);
  }

  positions(document: TestDocument): Record<string, unknown> {
    const all: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(document)) {
      const leaves = Array.isArray(value) ? value : [value];
      leaves.forEach((leaf, i) => {
        const found = this.#matches(tokenizer.tokenize(String(leaf)), String(leaf));
        const indices = Array.isArray(value) ? { indices: [i] } : {};
        const bounds = found.map(({ bytes: [start, end] }) => ({ start, length: end - start, ...indices }));
        if (found.length) all[name] = bounds;
      });
    }
    return all;
  }

  #value(value: Value, format: NaiveFormat): unknown {
    return Array.isArray(value)
      ? value.map((text) => this.#text(text, format))
      : this.#text(String(value), format);
  }

  #text(text: string, { highlight, crop, marker, tags }: NaiveFormat): string {
    const tokens = tokenizer.tokenize(text);
    const matches = this.#matches(tokens, text);
    const bytes = Buffer.from(text);
    const [from, to] = crop ? windowOf(tokens, matches, crop) : [0, bytes.length];
    const touch = (isTouching: (match: Found) => boolean) =>
      highlight && matches.some(isTouching) ? tags.join("") : "";
    let out = from > 0 ? marker + touch(({ wordEnd }) => wordEnd === from) : "";
    for (let at = from; at < to; ) {
      const match = highlight
        ? matches.find(({ bytes: [start, end] }) => Math.max(start, from) === at && end > at)
        : undefined;
      const later = matches.map(({ bytes: [start] }) => start).filter((start) => start > at);
      const end = match ? Math.min(match.bytes[1], to) : Math.min(to, ...(highlight ? later : []));
      const part = bytes.subarray(at, end).toString();
      out += match ? tags[0] + part + tags[1] : part;
      at = end;
    }
    if (to === bytes.length) return out;
    return out + touch(({ bytes: [start] }) => start === to) + marker;
  }

  #matches(tokens: readonly Token[], text: string): Found[] {
    const words = tokens.map((token, at) => ({ token, at })).filter(({ token }) => !isSeparator(token));
    const found: Found[] = [];
    for (let i = 0; i < words.length; ) {
      const match = this.#sequence(words, i) ?? this.#word(words, i, text);
      if (match) found.push(match);
      i = match ? match.words[1] + 1 : i + 1;
    }
    return found;
  }

  #sequence(words: readonly Place[], i: number): Found | null {
    for (const node of this.#nodes) {
      const phrases = node.phrase ? [node.phrase] : [...node.synonyms, ...(node.split ? [node.split] : [])];
      for (const { slots } of phrases) {
        if (!slots.every((slot, k) => slot !== null && words[i + k]?.token.lemma === slot)) continue;
        const last = i + slots.length - 1;
        const bytes: Found["bytes"] = [words[i].token.start, words[last].token.end];
        return { words: [i, last], bytes, wordEnd: words[last].token.end, positions: positionsOf(node) };
      }
    }
    return null;
  }

  #word(words: readonly Place[], i: number, text: string): Found | null {
    const { token } = words[i];
    const found = (node: NaiveNode, end: number): Found => {
      const bytes: Found["bytes"] = [token.start, end];
      return { words: [i, i], bytes, wordEnd: token.end, positions: positionsOf(node) };
    };
    // Whole words first, then those that stand for more of the query.
    const rank = (node: NaiveNode) => (this.#prefixed(node) ? 1000 : 0) + node.first - node.last;
    for (const node of this.#nodes.toSorted((a, b) => rank(a) - rank(b))) {
      const typos = [...node.words[1], ...node.words[2]].sort();
      if (!this.#prefixed(node)) {
        if ([node.exact, ...typos].includes(token.lemma)) return found(node, token.end);
        continue;
      }
      const whole = node.isCached ? [node.text] : [];
      const derived = [...whole, ...(node.exact ? [node.exact] : []), ...node.words[0], ...typos];
      const word = derived.find((word) => token.lemma.startsWith(word));
      if (word === undefined) continue;
      const typed = characters(word).slice(0, characters(node.text).length).join("");
      return found(node, token.start + headBytes(text, token, Buffer.byteLength(typed)));
    }
    return null;
  }
}

const positionsOf = ({ first, last }: NaiveNode): number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

/** Letters with their marks, until their folded forms have so many bytes. */
function headBytes(text: string, { start, end }: Token, lemmaBytes: number): number {
  let head = 0;
  let folded = 0;
  const raw = Buffer.from(text).subarray(start, end).toString();
  for (const [letter] of raw.matchAll(/\P{M}\p{M}*|^\p{M}+/gu)) {
    if (folded >= lemmaBytes) break;
    folded += Buffer.byteLength(
      tokenizer
        .tokenize(letter)
        .map(({ lemma }) => lemma)
        .join(""),
    );
    head += Buffer.byteLength(letter);
  }
  return head;
}

function windowOf(tokens: readonly Token[], matches: readonly Found[], size: number): [number, number] {
  const words = tokens.map((_, at) => at).filter((at) => !isSeparator(tokens[at]));
  const end = tokens.at(-1)?.end ?? 0;
  if (!matches.length) return grown(tokens, 0, 0, size);
  const run = bestRun(matches, size);
  const [first, last] = [run[0].words[0], run[run.length - 1].words[1]];
  const count = last - first + 1;
  if (count <= size) return grown(tokens, words[first], words[last] + 1, size - count);
  // Too long for itself: its first words, and everything before them.
  const kept = words[first + size - 1];
  const next = words[first + size];
  const separators = tokens.slice(kept + 1, next);
  return [0, separators.at(-1)?.start ?? tokens[kept]?.end ?? end];
}

/** Of the runs of matches that fit and are part of no longer one that does: the best, the first on ties. */
function bestRun(matches: readonly Found[], size: number): readonly Found[] {
  const fits = (a: number, b: number) =>
    a >= 0 && b < matches.length && matches[b].words[1] - matches[a].words[0] < size;
  let best: readonly Found[] = matches.slice(0, 1);
  let most = -Infinity;
  for (let a = 0; a < matches.length; a++) {
    for (let b = a; b < matches.length; b++) {
      if (!fits(a, b) || fits(a - 1, b) || fits(a, b + 1)) continue;
      const run = matches.slice(a, b + 1);
      // The last match, when it fills the window by itself, is passed over.
      const [first, last] = run[0].words;
      if (a === matches.length - 1 && last - first + 1 === size) continue;
      if (scoreOf(run) <= most) continue;
      best = run;
      most = scoreOf(run);
    }
  }
  return best;
}

/** Three numbers in one: positions met, then closeness, then pairs in order. */
function scoreOf(run: readonly Found[]): number {
  const met = new Set(run.flatMap(({ positions }) => positions)).size;
  let gaps = 0;
  let ordered = 0;
  run.forEach(({ words: [first, last], positions }, i) => {
    gaps += last - first;
    ordered += last - first;
    if (i === 0) return;
    gaps += Math.min(7, first - run[i - 1].words[1]);
    if (positions[0] > run[i - 1].positions[0]) ordered++;
  });
  return (met * 1000 - gaps) * 1000 + ordered;
}

/** Takes tokens left and right of [from, to) until there are `rest` more words; returns bytes. */
function grown(tokens: readonly Token[], from: number, to: number, rest: number): [number, number] {
  let [left, right, missing] = [from, to, rest];
  const take = (side: "left" | "right") => {
    const token = side === "left" ? tokens[--left] : tokens[right++];
    if (!isSeparator(token)) missing--;
  };
  while (missing > 0 && (left > 0 || right < tokens.length)) {
    const [before, after] = [tokens[left - 1], tokens[right]];
    if (!before) take("right");
    else if (!after) take("left");
    else if (!isSeparator(before) && !isSeparator(after)) {
      take("left");
      if (missing > 0) take("right");
    } else if (!isSeparator(before)) take("left");
    else if (!isSeparator(after)) take("right");
    else if (before.kind === after.kind) {
      take("left");
      if (missing > 1) take("right");
    } else take(before.kind === "soft" ? "left" : "right");
  }
  const end = tokens.at(-1)?.end ?? 0;
  return [left > 0 ? tokens[left - 1].end : 0, right < tokens.length ? tokens[right].start : end];
}

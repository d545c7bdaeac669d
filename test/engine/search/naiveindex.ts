// Documents as the definitions of the ranking see them, without any data structure: every question is
// answered by looking at all words of all documents. Used by the naive ranker, which the search is compared
// with.
import { Core } from "../../../src/core/core.ts";
import { Tokenizer } from "../../../src/core/tokenizer.ts";
import { defaultSettings } from "../../../src/engine/defaultsettings.ts";
import { mergeSettings } from "../../../src/engine/settings.ts";
import type { Settings, SettingsPatch } from "../../../src/schemas/settings.ts";

export type TestDocument = { id: number } & Record<string, string | number | string[]>;

export interface Occurrence {
  word: string;
  field: string;
  position: number;
}

export interface NaiveDocument {
  id: number;
  occurrences: Occurrence[];
  /** Values of the field that `distinct` looks at. */
  groups: string[];
}

/** Fields that a search looks at. */
export type Allowed = (field: string) => boolean;

export const tokenizer = new Tokenizer(new Core());
const LEAF_STEP = 8;
const NEAR_MAX = 3;
const NUMERIC = /^[\p{N}!-/:-@[-`{-~]+$/u;

export class NaiveIndex {
  readonly settings: Settings;
  readonly documents: NaiveDocument[];
  readonly words: string[];

  constructor(documents: readonly TestDocument[], patch: SettingsPatch) {
    this.settings = mergeSettings(defaultSettings(), patch);
    tokenizer.configure(this.settings);
    this.documents = documents.map((document) => this.#read(document));
    const words = new Set(this.documents.flatMap(({ occurrences }) => occurrences.map(({ word }) => word)));
    this.words = [...words].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  }

  get fields(): string[] {
    return [...new Set(this.documents.flatMap(({ occurrences }) => occurrences.map(({ field }) => field)))];
  }

  /** Place of a field in searchableAttributes, -1 when it is not searchable. */
  weight(field: string): number {
    const { searchableAttributes } = this.settings;
    return searchableAttributes.includes("*") ? 0 : searchableAttributes.indexOf(field);
  }

  get weightMax(): number {
    const { searchableAttributes } = this.settings;
    return searchableAttributes.includes("*") ? 0 : searchableAttributes.length - 1;
  }

  /** True when a word in this field allows no typos. */
  isExact(word: string, field: string): boolean {
    const { disableOnAttributes, disableOnNumbers } = this.settings.typoTolerance;
    return disableOnAttributes.includes(field) || (disableOnNumbers && NUMERIC.test(word));
  }

  isTolerant(word: string): boolean {
    return this.documents.some(({ occurrences }) =>
      occurrences.some((one) => one.word === word && !this.isExact(word, one.field)),
    );
  }

  wordCount(document: NaiveDocument, field: string): number {
    return document.occurrences.filter((one) => one.field === field).length;
  }

  /** Distance 1 to 3 of the nearest b behind an a in one field. */
  near(a: string, b: string, { occurrences }: NaiveDocument): number | undefined {
    let least: number | undefined;
    for (const left of occurrences) {
      if (left.word !== a) continue;
      for (const right of occurrences) {
        const distance = right.position - left.position;
        if (right.word !== b || right.field !== left.field || distance < 1 || distance > NEAR_MAX) continue;
        least = Math.min(least ?? distance, distance);
      }
    }
    return least;
  }

  #read({ id, ...fields }: TestDocument): NaiveDocument {
    const occurrences: Occurrence[] = [];
    const add = (field: string, values: readonly (string | number)[]) => {
      if (this.weight(field) < 0) return;
      let start = 0;
      for (const value of values) {
        const words = positioned(String(value), start).map((one) => ({ ...one, field }));
        occurrences.push(...words);
        start = (words.at(-1)?.position ?? start) + LEAF_STEP;
      }
    };
    add("id", [id]);
    for (const [field, value] of Object.entries(fields)) add(field, Array.isArray(value) ? value : [value]);
    const tags = fields.tags;
    const groups = (Array.isArray(tags) ? tags : []).map((tag) => tag.toLowerCase());
    return { id, occurrences, groups };
  }
}

function positioned(text: string, start: number): { word: string; position: number }[] {
  const words: { word: string; position: number }[] = [];
  let position = -1;
  let isHard = false;
  for (const { kind, lemma } of tokenizer.tokenize(text)) {
    if (kind === "hard") isHard = true;
    if (kind !== "word" && kind !== "stop") continue;
    position = position < 0 ? start : position + (isHard ? LEAF_STEP : 1);
    isHard = false;
    if (kind === "word") words.push({ word: lemma, position });
  }
  return words;
}

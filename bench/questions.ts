// The searches for a set, and the settings for them: queries with recorded answers from the folder
// ../shared/relevance, if it has some for the set, else queries made from its texts. Called by the parts and
// by several benchmarks.
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Dataset } from "./datasets.ts";
import { makeQueries } from "./queries.ts";

/** Parameters of a search. */
export type Question = { q: string } & Record<string, unknown>;

export interface QuestionClass {
  name: string;
  questions: Question[];
}

export interface Questions {
  settings: Record<string, unknown>;
  classes: QuestionClass[];
}

/** Set -> name of its recordings. */
const RECORDINGS: Record<string, string> = { geonames: "cities", debian: "debian", npm: "npm", pypi: "pypi" };
const PAGE_LEN = 20;

/** `perClass`: most questions of each class. */
export function questionsAbout(dataset: Dataset, perClass: number): Questions {
  const file = resolve(`../shared/relevance/${RECORDINGS[dataset.name]}.json`);
  if (!existsSync(file)) {
    const classes = makeQueries(dataset, perClass).map(({ name, queries }) => {
      return { name, questions: queries.map((q) => ({ q })) };
    });
    return { settings: { searchableAttributes: dataset.fields }, classes };
  }
  const { settings, queries } = JSON.parse(readFileSync(file, "utf8"));
  const classes = new Map<string, Question[]>();
  for (const { class: name, expect: _, ...question } of queries) {
    classes.set(name, [...(classes.get(name) ?? []), question]);
  }
  return {
    settings,
    classes: [...classes].map(([name, all]) => ({ name, questions: all.slice(0, perClass) })),
  };
}

/** The body that the recordings were made with: a page of ids and scores. */
export function pageOf(question: Question, { primaryKey }: Dataset): Record<string, unknown> {
  return { ...question, limit: PAGE_LEN, attributesToRetrieve: [primaryKey], showRankingScore: true };
}

let asked = 0;

/**
 * The same question in a form that was not used before: servers cache answers, and the speed of a cached
 * answer is another matter. Where nothing is highlighted, the tag changes nothing.
 */
export function anew<Body extends object>(body: Body): Body & { highlightPreTag: string } {
  return { ...body, highlightPreTag: `<em id="${asked++}">` };
}

/** The classes of plain words: other engines have no other parameters, and no query syntax. */
export function plainClasses(classes: readonly QuestionClass[]): QuestionClass[] {
  const isPlain = ({ q, ...more }: Question) => !/"|(?:^|\s)-/.test(q) && Object.keys(more).length === 0;
  return classes.filter(({ questions }) => questions.every(isPlain));
}

/** The classes of single words, whole or incomplete. */
export function wordClasses(classes: readonly QuestionClass[]): QuestionClass[] {
  return classes.filter(({ name }) => ["one word", "oneWord", "prefix"].includes(name));
}

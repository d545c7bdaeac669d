// The types of the library, tried by the compiler: what is written here must compile, and the lines after an
// expected error must not. It is also held that the plain declarations of src/library say what the schemas
// and views say. Nothing runs; store.test.ts asks for this file.
import type * as searches from "../../src/library/searches.ts";
import type { SettingsChange } from "../../src/library/settings.ts";
import type { Store } from "../../src/library/store.ts";
import type * as tasks from "../../src/library/tasks.ts";
import type { FetchBody } from "../../src/schemas/documents.ts";
import type { FacetSearchBody } from "../../src/schemas/facetsearch.ts";
import type { FederationBody, MultiSearchQuery } from "../../src/schemas/multisearch.ts";
import type { SearchBody } from "../../src/schemas/search.ts";
import type { SettingsPatch } from "../../src/schemas/settings.ts";
import type { TaskStatus, TaskType } from "../../src/tasks/kinds.ts";
import type { SummarizedTask, TaskView } from "../../src/tasks/views.ts";

/** True when each can stand for the other, and they have the same fields. */
type Same<A, B> = [keyof A, keyof B] extends [keyof B, keyof A]
  ? A extends B
    ? B extends A
      ? true
      : false
    : false
  : false;

/** The same without the word that its lists are only read: those of the schemas are not said to be. */
type Written<T> = T extends readonly (infer Item)[]
  ? Written<Item>[]
  : T extends object
    ? { [Name in keyof T]: Written<T[Name]> }
    : T;

/** The declarations say more of criteria, and less of languages. */
type Plain<T> = Omit<T, "locales" | "sort">;

export const same: {
  search: Same<Written<Plain<searches.SearchParameters>>, Plain<SearchBody>>;
  fetch: Same<Written<Plain<searches.FetchParameters>>, Plain<FetchBody>>;
  facets: Same<Written<Plain<searches.FacetSearchParameters>>, Plain<FacetSearchBody>>;
  query: Same<Written<Plain<searches.MultiSearchQuery>>, Plain<MultiSearchQuery>>;
  federation: Same<searches.FederationParameters, FederationBody>;
  status: Same<{ a: tasks.TaskStatus }, { a: TaskStatus }>;
  type: Same<{ a: tasks.TaskType }, { a: TaskType }>;
  enqueued: Same<tasks.EnqueuedTask, SummarizedTask>;
  task: Same<tasks.Task, Omit<TaskView, "network">>;
} = {
  search: true,
  fetch: true,
  facets: true,
  query: true,
  federation: true,
  status: true,
  type: true,
  enqueued: true,
  task: true,
};

/** Settings that have no effect are not declared; languages are texts. */
export type SettingsHold = keyof SettingsChange extends keyof SettingsPatch ? true : never;
export const settings: SettingsHold = true;

interface Movie {
  id: number;
  title: string;
  cast: { name: string }[];
}

interface Book {
  id: number;
  title: string;
  pages: number;
}

export async function use(store: Store): Promise<string> {
  const movies = store.index<Movie>("movies");
  await movies.add([{ id: 1, title: "Kiki", cast: [] }], { primaryKey: "id" });
  await movies.update({ id: 1, title: "Kiki's Delivery Service" });
  await movies.updateSettings({ filterableAttributes: ["cast.name"], typoTolerance: { enabled: false } });
  const { hits } = await movies.search("kiki", { attributesToRetrieve: ["title"], sort: ["title:desc"] });
  const [fields, filter] = [["title", "id"] as const, ["id > 1", ["id < 9"]] as const];
  await movies.search("kiki", { attributesToRetrieve: fields, filter, facets: fields });
  const taskUid: number = (await movies.delete([1, "2"]).enqueued).taskUid;
  // @ts-expect-error: no such field
  await movies.search("kiki", { facets: ["genre"] });
  // @ts-expect-error: a criterion names a direction
  await movies.search("kiki", { sort: ["title"] });
  // @ts-expect-error: no such parameter
  await movies.search("kiki", { size: 3 });
  // @ts-expect-error: a field is missing
  await movies.add([{ id: 2, title: "Ponyo" }]);
  // @ts-expect-error: no such setting
  await movies.updateSettings({ stopwords: [] });
  // @ts-expect-error: hits have the fields of documents
  String(hits[0].name);
  const { hits: works } = await store.index<Movie | Book>("works").search("kiki", {
    attributesToRetrieve: ["title", "pages"],
    facets: ["cast.name"],
  });
  await store.multiSearch<Movie | Book>({ queries: [{ indexUid: "works", sort: ["pages:asc"] }] });
  // @ts-expect-error: no type of the union has such a field
  await store.index<Movie | Book>("works").search("kiki", { facets: ["genre"] });
  const pages: number[] = works.map((work) => ("pages" in work ? work.pages : work.cast.length));
  const anything = await store.index("books").search({ q: "x", facets: ["any", "field.below"] });
  return `${hits[0].title} ${hits[0]._formatted?.title} ${anything.hits[0].any} ${taskUid} ${pages}`;
}

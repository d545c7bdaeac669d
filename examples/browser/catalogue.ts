// The catalogue: where its index lies, what is asked of it, and the copy for offline use. Called by app.ts.
import {
  type Filter,
  open,
  type SearchAnswer,
  type Store,
  type StoreIndex,
  TarsierError,
} from "tarsier/browser";

export interface Package {
  id: string;
  name: string;
  version: string;
  section: string;
  priority: string;
  /** In kB. */
  installedSize: number;
  synopsis: string;
  description: string;
  tags: string[];
  homepage?: string;
}

/** What the visitor asks for. */
export interface Question {
  q: string;
  sort: "" | "installedSize:asc" | "installedSize:desc" | "name:asc";
  /** Chosen values by field. */
  chosen: Readonly<Record<Facet, ReadonlySet<string>>>;
  /** Expression about the installed size; empty: any. */
  size: string;
  limit: number;
}

export type Facet = "section" | "priority" | "tags";
export const FACETS: readonly Facet[] = ["section", "priority", "tags"];

/** Stand for the beginning and the end of a match: no text has them. */
export const MATCH_START = "\u{e000}";
export const MATCH_END = "\u{e001}";

/** Where `tarsier pack` has put the files. */
const BUNDLE = "catalogue";
const INDEX = "packages";
/** Folder of the copy, and where it is noted that there is one. */
const FOLDER = "catalogue";
const KEPT = "catalogue-is-kept";

export class Catalogue {
  readonly isKept: boolean;
  readonly #store: Store;
  readonly #index: StoreIndex<Package>;

  /** The copy if there is one that no other tab has open, else the files of the server. */
  static async open(): Promise<Catalogue> {
    if (localStorage.getItem(KEPT) !== null) {
      try {
        return new Catalogue(await open({ folder: FOLDER }), true);
      } catch (error) {
        if (!(error instanceof TarsierError)) throw error;
      }
    }
    return new Catalogue(await open({ bundle: BUNDLE }), false);
  }

  /** Copies the files into this browser; opens the copy. */
  static async keep(onProgress: (part: number) => void): Promise<Catalogue> {
    const report = (bytes: number, total: number) => onProgress(bytes / total);
    const store = await open({ folder: FOLDER, bundle: BUNDLE, onProgress: report });
    localStorage.setItem(KEPT, "yes");
    return new Catalogue(store, true);
  }

  private constructor(store: Store, isKept: boolean) {
    this.#store = store;
    this.#index = store.index<Package>(INDEX);
    this.isKept = isKept;
  }

  async count(): Promise<number> {
    return (await this.#index.stats()).numberOfDocuments;
  }

  search({ q, sort, chosen, size, limit }: Question): Promise<SearchAnswer<Package>> {
    const filter: string[][] = FACETS.flatMap((facet) =>
      chosen[facet].size > 0
        ? [[...chosen[facet]].map((value) => `${facet} = ${JSON.stringify(value)}`)]
        : [],
    );
    return this.#index.search(q, {
      limit,
      filter: [...filter, ...(size === "" ? [] : [[size]])] satisfies Filter,
      ...(sort !== "" && { sort: [sort] }),
      facets: [...FACETS],
      attributesToRetrieve: ["id", "name", "version", "section", "installedSize", "tags"],
      attributesToHighlight: ["name", "synopsis", "description"],
      attributesToCrop: ["description:24"],
      highlightPreTag: MATCH_START,
      highlightPostTag: MATCH_END,
    });
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

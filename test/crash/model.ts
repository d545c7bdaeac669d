// What a server must hold after a list of writes, in the simplest terms: maps of documents. The crash tests
// apply the tasks they find, in order, and compare.

export type Document = { id: number } & Record<string, unknown>;

export type Write =
  | { kind: "add"; index: string; method: "replace" | "update"; documents: Document[] }
  /** Documents with an id that is refused. */
  | { kind: "addInvalid"; index: string }
  | { kind: "delete"; index: string; ids: number[] }
  | { kind: "clear"; index: string }
  | { kind: "settings"; index: string; patch: Record<string, unknown> }
  | { kind: "create"; index: string; primaryKey: "id" | null }
  | { kind: "drop"; index: string }
  | { kind: "swap"; pair: [string, string] }
  /** Counts `edits` of every document up by a function. */
  | { kind: "edit"; index: string }
  | { kind: "dump" }
  | { kind: "snapshot" };

export type Status = "succeeded" | "failed";

export interface IndexModel {
  documents: Map<number, Document>;
  settings: Record<string, unknown>;
}

export class Model {
  readonly indexes = new Map<string, IndexModel>();

  /** Carries a write out. Returns the ends its task may have: inside a batch some failures never come up. */
  apply(write: Write): Status[] {
    switch (write.kind) {
      case "add":
        this.#add(this.#made(write.index), write);
        return ["succeeded"];
      case "addInvalid":
        this.#made(write.index);
        // The deletion of the index, or of all documents, in the same batch takes its place.
        return ["failed", "succeeded"];
      case "delete":
        return this.#change(write.index, ({ documents }) => {
          for (const id of write.ids) documents.delete(id);
        });
      case "clear":
        return this.#change(write.index, ({ documents }) => documents.clear());
      case "settings":
        change(this.#made(write.index).settings, write.patch);
        return ["succeeded"];
      case "create":
        if (this.indexes.has(write.index)) return ["failed"];
        this.#made(write.index);
        return ["succeeded"];
      case "drop":
        return this.indexes.delete(write.index) ? ["succeeded"] : ["failed"];
      case "swap":
        return this.#swap(write.pair);
      case "edit":
        return this.#change(write.index, ({ documents }) => {
          for (const document of documents.values()) document.edits = Number(document.edits ?? 0) + 1;
        });
      case "dump":
      case "snapshot":
        return ["succeeded"];
    }
  }

  #made(uid: string): IndexModel {
    const index = this.indexes.get(uid) ?? { documents: new Map(), settings: {} };
    this.indexes.set(uid, index);
    return index;
  }

  #change(uid: string, change: (index: IndexModel) => void): Status[] {
    const index = this.indexes.get(uid);
    if (!index) return ["failed"];
    change(index);
    return ["succeeded"];
  }

  #add({ documents }: IndexModel, write: Extract<Write, { kind: "add" }>): void {
    for (const document of write.documents) {
      const old = write.method === "update" ? documents.get(document.id) : undefined;
      const { _vectors, ...shown } = document;
      documents.set(document.id, { ...old, ...shown });
    }
  }

  #swap([a, b]: [string, string]): Status[] {
    const [first, second] = [this.indexes.get(a), this.indexes.get(b)];
    if (!first || !second) return ["failed"];
    this.indexes.set(a, second).set(b, first);
    return ["succeeded"];
  }
}

/** Top-level field name -> number of documents that hold it. */
export function fieldDistribution({ documents }: IndexModel): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const document of documents.values()) {
    for (const name of Object.keys(document)) counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** Ids of the documents that hold a word in a searchable field, ascending. */
export function idsWith({ documents, settings }: IndexModel, word: string): number[] {
  const searchable = (settings.searchableAttributes ?? ["*"]) as string[];
  const isSearchable = (name: string) => searchable.includes("*") || searchable.includes(name);
  const holds = (document: Document) =>
    Object.entries(document).some(
      ([name, value]) => isSearchable(name) && typeof value === "string" && value.split(" ").includes(word),
    );
  return [...documents.values()]
    .filter(holds)
    .map(({ id }) => id)
    .sort((a, b) => a - b);
}

/** A setting takes the place of the older one; an embedder keeps what the patch does not tell of it. */
function change(settings: IndexModel["settings"], patch: IndexModel["settings"]): void {
  const [older, newer] = [settings, patch].map(
    ({ embedders }) => (embedders ?? {}) as Record<string, object>,
  );
  const embedders = Object.fromEntries(
    Object.entries(newer).map(([name, embedder]) => [name, { ...older[name], ...embedder }]),
  );
  Object.assign(settings, patch, "embedders" in patch && { embedders: { ...older, ...embedders } });
}

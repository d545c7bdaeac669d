// An index as plain objects: what batches must do to documents, told in the simplest way. model.test.ts
// compares the engine with it.
import type { Operation, OperationResult } from "../../src/engine/engine.ts";
import { ownerCheck } from "../../src/engine/shard.ts";
import { type JsonNode, parseJson } from "../twins/json.ts";

/** An operation as the tests write it: a payload is the texts of its documents. */
export type ModelOperation =
  | (Omit<Extract<Operation, { kind: "add" }>, "payload"> & { documents: string[] })
  | Exclude<Operation, { kind: "add" }>;

/** A result with the code of its error. */
export type ModelResult = Omit<OperationResult, "error"> & { error: string | null };

/** Top-level fields in order: name, then the value as it was sent. */
export type ModelDocument = Map<string, string>;

export interface ModelSettings {
  searchableAttributes: string[];
  stopWords: string[];
}

const RESET: ModelSettings = { searchableAttributes: ["*"], stopWords: [] };

export class IndexModel {
  primaryKey: string | null = null;
  settings = RESET;
  /** By docid. */
  documents = new Map<number, { id: string; document: ModelDocument }>();

  /** Runs a batch; operations are refused one by one, as in the engine. */
  run(operations: readonly ModelOperation[]): ModelResult[] {
    const work = new ModelBatch(this, operations);
    const results = operations.map((operation) => {
      try {
        return { taskUid: operation.taskUid, error: null, ...work.apply(operation) };
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return { taskUid: operation.taskUid, error: error.code };
      }
    });
    work.finish();
    return results;
  }

  /** Ascending. */
  get docids(): number[] {
    return [...this.documents.keys()].sort((a, b) => a - b);
  }

  docidOf(id: string): number | undefined {
    return this.docids.find((docid) => this.documents.get(docid)!.id === id);
  }

  get fieldDistribution(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { document } of this.documents.values()) {
      for (const name of document.keys()) if (name !== "_vectors") counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  }
}

class Refusal extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

class ModelBatch {
  readonly #model: IndexModel;
  readonly #mixed: boolean;
  /** Documents by id after the operations so far. */
  readonly #content = new Map<string, ModelDocument>();
  /** Numbers that ids had before the batch. */
  readonly #old = new Map<string, number>();
  /** Ids of documents that some operation put there, in order of their first time. */
  readonly #added = new Set<string>();
  #cleared = false;

  constructor(model: IndexModel, operations: readonly ModelOperation[]) {
    this.#model = model;
    this.#mixed = operations.some(({ kind }) => kind === "add");
    for (const [docid, { id, document }] of model.documents) {
      this.#old.set(id, docid);
      this.#content.set(id, document);
    }
  }

  apply(operation: ModelOperation): object {
    switch (operation.kind) {
      case "add":
        return { indexedDocuments: this.#add(operation) };
      case "deleteIds":
        return this.#delete(new Set(operation.ids));
      case "clear":
        return this.#clear();
      case "settings":
        this.#setSettings(operation.patch as Partial<Record<keyof ModelSettings, string[] | null>>);
        return {};
      case "primaryKey":
        if (this.#content.size > 0 && this.#model.primaryKey !== operation.primaryKey) {
          throw new Refusal("index_primary_key_already_exists");
        }
        this.#model.primaryKey = operation.primaryKey;
        return {};
      default:
        throw new Error(`the model knows no ${operation.kind}`);
    }
  }

  /**
   * Documents get their numbers: old ones keep theirs, new ones take the lowest that was free before the
   * batch.
   */
  finish(): void {
    const model = this.#model;
    const taken = new Set(this.#cleared ? [] : model.documents.keys());
    const next = new Map<number, { id: string; document: ModelDocument }>();
    const put = (docid: number, id: string) => next.set(docid, { id, document: this.#content.get(id)! });
    if (!this.#cleared) for (const [id, docid] of this.#old) if (this.#content.has(id)) put(docid, id);
    let docid = 0;
    for (const id of this.#added) {
      if (!this.#content.has(id) || (!this.#cleared && this.#old.has(id))) continue;
      while (taken.has(docid)) docid++;
      put(docid++, id);
    }
    model.documents = next;
  }

  #add(operation: Extract<ModelOperation, { kind: "add" }>): number {
    const { documents, method, primaryKey, skipCreation, shard } = operation;
    const known = this.#model.primaryKey;
    if (known !== null && method !== "replace" && primaryKey !== null && primaryKey !== known) {
      throw new Refusal("index_primary_key_already_exists");
    }
    if (documents.length === 0) {
      this.#model.primaryKey ??= primaryKey;
      return 0;
    }
    const parsed = documents.map(membersOf);
    const key = known ?? primaryKey ?? inferred(parsed[0]);
    const ids = parsed.map((document) => idOf(document.get(key)));
    this.#model.primaryKey = key;
    const isOwn = (id: string) => !shard || ownerCheck(shard)(Buffer.from(id));
    ids.forEach((id, i) => {
      if (!isOwn(id) && method === "replace") this.#content.delete(id);
      const before = this.#content.get(id);
      if (!before && (skipCreation || !isOwn(id))) return;
      const joined = {
        replace: parsed[i],
        update: new Map([...(before ?? []), ...parsed[i]]),
        complete: new Map([...parsed[i], ...(before ?? [])]),
      };
      this.#content.set(id, joined[method]);
      this.#added.add(id);
    });
    return new Set(ids.filter(isOwn)).size;
  }

  #delete(ids: Set<string>): object {
    let deleted = 0;
    for (const id of ids) if (this.#content.delete(id)) deleted++;
    return { deletedDocuments: this.#mixed ? ids.size : deleted, distinctIds: ids.size };
  }

  #clear(): object {
    const deletedDocuments = this.#content.size;
    this.#content.clear();
    this.#cleared = true;
    return { deletedDocuments };
  }

  #setSettings(patch: Partial<Record<keyof ModelSettings, string[] | null>>): void {
    const model = this.#model;
    for (const name of ["searchableAttributes", "stopWords"] as const) {
      const value = patch[name];
      if (value !== undefined) model.settings = { ...model.settings, [name]: value ?? RESET[name] };
    }
  }
}

/** Fields by name; a repeated one keeps its place and takes its last value. */
export function membersOf(text: string): ModelDocument {
  return new Map(
    parseJson(text).children.map(({ name, value }: { name: string; value: JsonNode }) => [
      name,
      value.source,
    ]),
  );
}

function inferred(document: ModelDocument): string {
  const candidates = [...document.keys()].filter((name) => name.toLowerCase().endsWith("id"));
  if (candidates.length === 0) throw new Refusal("index_primary_key_no_candidate_found");
  if (candidates.length > 1) throw new Refusal("index_primary_key_multiple_candidates_found");
  return candidates[0];
}

function idOf(source: string | undefined): string {
  if (source === undefined) throw new Refusal("missing_document_id");
  const text = source.startsWith('"') ? (JSON.parse(source) as string) : source;
  const isInteger = /^-?\d{1,20}$/.test(text) && source !== "-0" && fits64(text);
  const isFine = source.startsWith('"') ? /^[\w-]{1,511}$/.test(text) : isInteger;
  if (!isFine) throw new Refusal("invalid_document_id");
  return text;
}

function fits64(text: string): boolean {
  const value = BigInt(text);
  return value >= -(2n ** 63n) && value < 2n ** 64n;
}

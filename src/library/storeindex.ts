// One index of a Store, over the Operations of its door. Made by storefront.ts.
import type { Addition, Deletion, Operations } from "./operations.ts";
import { isStream, parsed, piecesFrom, piecesOf } from "./payloads.ts";
import { pending } from "./pendingtask.ts";
import { refusal } from "./refusal.ts";
import type {
  FacetSearchAnswer,
  FacetSearchParameters,
  FetchAnswer,
  FetchParameters,
  Filter,
  SearchAnswer,
  SearchParameters,
  SimilarAnswer,
  SimilarParameters,
} from "./searches.ts";
import type { SettingName, Settings, SettingsChange } from "./settings.ts";
import type {
  AdditionOptions,
  ByteSource,
  Documents,
  Edit,
  IndexInfo,
  IndexStats,
  SourceOptions,
  StoreIndex,
  WriteOptions,
} from "./store.ts";
import type { EnqueuedTask, PendingTask } from "./tasks.ts";

type Method = "replace" | "update";

const ID_KINDS = new Set(["string", "number", "bigint"]);

export class FrontIndex<D extends object> implements StoreIndex<D> {
  readonly uid: string;
  readonly #operations: Operations;

  constructor(operations: Operations, uid: string) {
    this.#operations = operations;
    this.uid = uid;
  }

  add(documents: Documents<D>, options: AdditionOptions = {}): PendingTask {
    return this.#sendDocuments(documents, options, "replace");
  }

  update(documents: Documents<Partial<D>>, options: AdditionOptions = {}): PendingTask {
    return this.#sendDocuments(documents, options, "update");
  }

  addFrom(source: ByteSource, options: SourceOptions): PendingTask {
    return this.#sendBytes(source, options, "replace");
  }

  updateFrom(source: ByteSource, options: SourceOptions): PendingTask {
    return this.#sendBytes(source, options, "update");
  }

  delete(ids: string | number | readonly (string | number)[], options: WriteOptions = {}): PendingTask {
    // What is not a list of ids goes on as one id: the operation checks it and refuses it.
    const list = typeof ids === "object" && ids !== null && Symbol.iterator in ids ? [...ids] : [ids];
    return this.#remove({ by: "ids", ids: list }, options);
  }

  deleteByFilter(filter: Filter, options: WriteOptions = {}): PendingTask {
    return this.#remove({ by: "filter", filter }, options);
  }

  deleteAll(options: WriteOptions = {}): PendingTask {
    return this.#remove({ by: "all" }, options);
  }

  edit(edit: Edit, options: WriteOptions = {}): PendingTask {
    return this.#write((operations) => operations.editDocuments(this.uid, edit, options));
  }

  async get(id: string | number, parts = {}): Promise<D> {
    if (!ID_KINDS.has(typeof id)) throw refusal("The id of a document", "a text or an integer", id);
    return parsed(await this.#operations.document(this.uid, String(id), parts)) as D;
  }

  async fetch(parameters: FetchParameters<D> = {}): Promise<FetchAnswer<D>> {
    const asked = parameters as FetchParameters;
    return parsed(await this.#operations.documents(this.uid, asked)) as FetchAnswer<D>;
  }

  async search(
    first?: string | null | SearchParameters<D>,
    more: SearchParameters<D> = {},
  ): Promise<SearchAnswer<D>> {
    const parameters = (typeof first === "string" ? { ...more, q: first } : (first ?? more)) as object;
    return parsed(await this.#operations.search(this.uid, parameters)) as SearchAnswer<D>;
  }

  async facetSearch(parameters: FacetSearchParameters<D>): Promise<FacetSearchAnswer> {
    const asked = parameters as unknown as FacetSearchParameters;
    return parsed(await this.#operations.facetSearch(this.uid, asked)) as FacetSearchAnswer;
  }

  async similar(parameters: SimilarParameters<D>): Promise<SimilarAnswer<D>> {
    const asked = parameters as unknown as SimilarParameters;
    return parsed(await this.#operations.similar(this.uid, asked)) as SimilarAnswer<D>;
  }

  async settings(): Promise<Settings<D>> {
    return (await this.#operations.settings(this.uid)) as unknown as Settings<D>;
  }

  updateSettings(change: SettingsChange<D>): PendingTask {
    return this.#write((operations) => operations.updateSettings(this.uid, change as SettingsChange));
  }

  resetSettings(names: readonly SettingName[] | null = null): PendingTask {
    return this.#write((operations) => operations.resetSettings(this.uid, names));
  }

  async info(): Promise<IndexInfo> {
    return this.#operations.index(this.uid);
  }

  async stats(): Promise<IndexStats> {
    return this.#operations.indexStats(this.uid);
  }

  setPrimaryKey(primaryKey: string): PendingTask {
    return this.#write((operations) => operations.updateIndex(this.uid, { primaryKey }));
  }

  rename(uid: string): PendingTask {
    return this.#write((operations) => operations.updateIndex(this.uid, { uid }));
  }

  compact(): PendingTask {
    return this.#write((operations) => operations.compactIndex(this.uid));
  }

  drop(): PendingTask {
    return this.#write((operations) => operations.deleteIndex(this.uid));
  }

  #sendDocuments(documents: Documents<object>, options: AdditionOptions, method: Method): PendingTask {
    const addition = { ...options, format: "json" as const, method, isWhole: !isStream(documents) };
    return this.#send(piecesOf(documents), addition);
  }

  #sendBytes(source: ByteSource, options: SourceOptions, method: Method): PendingTask {
    const addition = { ...options, method, isWhole: !isStream(source) };
    return this.#send(piecesFrom(source, String(options?.format)), addition);
  }

  #send(pieces: AsyncIterable<Uint8Array>, addition: Addition): PendingTask {
    return this.#write((operations) => operations.addDocuments(this.uid, pieces, addition));
  }

  #remove(deletion: Deletion, options: WriteOptions): PendingTask {
    return this.#write((operations) => operations.deleteDocuments(this.uid, deletion, options));
  }

  #write(ask: (operations: Operations) => Promise<EnqueuedTask>): PendingTask {
    return pending(this.#operations, () => ask(this.#operations));
  }
}

// All operations over the instance and the engine of this process, on behalf of one requester. The routes
// make one for a request, the library makes one for itself. Bodies are checked by the caller: the routes by
// their schemas, the library by checked.ts.
import type { Addition, Deletion, DocumentPartsAsked, TaskQuery } from "../library/operations.ts";
import type { Edit, IndexInfo, IndexPage, IndexStats, StoreStats, WriteOptions } from "../library/store.ts";
import type { SharedWrite } from "../network/sharedwrites.ts";
import type { FetchBody } from "../schemas/documents.ts";
import type { FacetSearchBody } from "../schemas/facetsearch.ts";
import type { FieldsBody } from "../schemas/indexfields.ts";
import type { MultiSearchBody } from "../schemas/multisearch.ts";
import { PAGE_LIMIT_DEFAULT } from "../schemas/parameters.ts";
import type { SearchBody } from "../schemas/search.ts";
import type { SettingName, SettingsPatch } from "../schemas/settings.ts";
import type { SimilarParameters } from "../schemas/similar.ts";
import type { Page } from "../tasks/filter.ts";
import type { Registration } from "../tasks/registration.ts";
import type { BatchView, SummarizedTask, TaskView } from "../tasks/views.ts";
import { listDocuments, readDocument } from "./documentreads.ts";
import { addDocuments, deleteDocuments, editDocuments } from "./documentwrites.ts";
import { features, setFeatures } from "./features.ts";
import { searchAsFederation } from "./federation.ts";
import { type IndexFieldPage, listFields } from "./indexfields.ts";
import { searchEach } from "./multisearch.ts";
import { searchFacet, searchSimilar } from "./otherreads.ts";
import { newRequestUid } from "./requestuid.ts";
import { runSearch } from "./search.ts";
import type { OperationServices, Requester } from "./services.ts";
import { readSetting, readSettings, resetSettings, updateSettings } from "./settings.ts";
import { sharingOf } from "./sharing.ts";
import { searchOf } from "./singlesearch.ts";
import { indexStats, type StatsOptions, storeStats } from "./stats.ts";
import { type SwapAsked, swapsOf } from "./swaps.ts";
import { readTaskPage, readTaskSelection } from "./taskparameters.ts";

export class LocalOperations {
  readonly #services: OperationServices;
  readonly #requester: Requester;

  constructor(services: OperationServices, requester: Requester) {
    this.#services = services;
    this.#requester = requester;
  }

  addDocuments(
    indexUid: string,
    pieces: AsyncIterable<Uint8Array>,
    addition: Addition,
  ): Promise<SummarizedTask> {
    return addDocuments(this.#services, this.#requester, indexUid, pieces, addition);
  }

  deleteDocuments(indexUid: string, deletion: Deletion, options: WriteOptions): Promise<SummarizedTask> {
    return deleteDocuments(this.#services, this.#requester, indexUid, deletion, options);
  }

  editDocuments(indexUid: string, edit: Edit, options: WriteOptions): Promise<SummarizedTask> {
    return editDocuments(this.#services, this.#requester, indexUid, edit, options);
  }

  document(indexUid: string, id: string, parts: DocumentPartsAsked): Promise<Uint8Array> {
    return readDocument(this.#services, indexUid, id, parts);
  }

  documents(indexUid: string, body: FetchBody): Promise<Uint8Array> {
    return listDocuments(this.#services, indexUid, body);
  }

  search(indexUid: string, body: SearchBody): Promise<Uint8Array> {
    return runSearch(this.#services, searchOf(this.#requester, indexUid, body, newRequestUid()));
  }

  facetSearch(indexUid: string, body: FacetSearchBody): Promise<Uint8Array> {
    return searchFacet(this.#services, this.#requester, indexUid, body);
  }

  similar(indexUid: string, body: SimilarParameters): Promise<Uint8Array> {
    return searchSimilar(this.#services, this.#requester, indexUid, body);
  }

  async multiSearch({ federation, queries }: MultiSearchBody): Promise<Uint8Array> {
    if (federation) return searchAsFederation(this.#services, this.#requester, { federation, queries });
    return searchEach(this.#services, this.#requester, queries);
  }

  settings(indexUid: string): Promise<Record<string, unknown>> {
    return readSettings(this.#services, indexUid);
  }

  setting(indexUid: string, name: SettingName): Promise<unknown> {
    return readSetting(this.#services, indexUid, name);
  }

  updateSettings(indexUid: string, patch: SettingsPatch): Promise<SummarizedTask> {
    return updateSettings(this.#services, this.#requester, indexUid, patch);
  }

  async resetSettings(indexUid: string, names: readonly SettingName[] | null): Promise<SummarizedTask> {
    return resetSettings(this.#services, this.#requester, indexUid, names);
  }

  async indexes({ offset = 0, limit = PAGE_LIMIT_DEFAULT }): Promise<IndexPage> {
    const { visible } = this.#requester.access;
    const { results, total } = this.#services.instance.indexes(offset, limit, visible);
    return { results, offset, limit, total };
  }

  async index(uid: string): Promise<IndexInfo> {
    return this.#services.instance.index(uid);
  }

  async createIndex({
    uid,
    primaryKey = null,
  }: {
    uid: string;
    primaryKey?: string | null;
  }): Promise<SummarizedTask> {
    this.#requester.access.checkUse(uid, "Field `.uid`: ");
    const write = { method: "POST" as const, path: "/indexes", body: { json: { uid, primaryKey } } };
    return this.#share({ type: "indexCreation", indexUid: uid, primaryKey }, write);
  }

  async updateIndex(
    indexUid: string,
    { uid = null, primaryKey = null }: { uid?: string | null; primaryKey?: string | null },
  ): Promise<SummarizedTask> {
    if (uid !== null) this.#requester.access.checkUse(uid, "Field `.uid`: ");
    const update = { type: "indexUpdate" as const, indexUid, primaryKey, newIndexUid: uid };
    const body = { json: { uid: uid ?? undefined, primaryKey } };
    return this.#share(update, { method: "PATCH", path: `/indexes/${indexUid}`, body });
  }

  async deleteIndex(indexUid: string): Promise<SummarizedTask> {
    const write = { method: "DELETE" as const, path: `/indexes/${indexUid}`, body: null };
    return this.#share({ type: "indexDeletion", indexUid }, write);
  }

  fields(indexUid: string, body: FieldsBody): Promise<IndexFieldPage> {
    return listFields(this.#services, indexUid, body);
  }

  async compactIndex(indexUid: string): Promise<SummarizedTask> {
    return this.#services.instance.register({ type: "indexCompaction", indexUid });
  }

  async swapIndexes(swaps: readonly SwapAsked[]): Promise<SummarizedTask> {
    const write = { method: "POST" as const, path: "/swap-indexes", body: { json: swaps } };
    return this.#share({ type: "indexSwap", swaps: swapsOf(swaps, this.#requester.access) }, write);
  }

  async stats(options: StatsOptions = {}): Promise<StoreStats> {
    return storeStats(this.#services, this.#requester, options);
  }

  async indexStats(indexUid: string, options: StatsOptions = {}): Promise<IndexStats> {
    return indexStats(this.#services, indexUid, options);
  }

  async tasks(query: TaskQuery): Promise<Page<TaskView>> {
    const { filter, paging } = readTaskPage(query);
    return this.#services.instance.tasks(filter, paging, this.#requester.access.visible);
  }

  async task(uid: number): Promise<TaskView> {
    return this.#services.instance.task(uid, this.#requester.access.visible);
  }

  async batches(query: TaskQuery): Promise<Page<BatchView>> {
    const { filter, paging } = readTaskPage(query);
    return this.#services.instance.batches(filter, paging, this.#requester.access.visible);
  }

  async batch(uid: number): Promise<BatchView> {
    return this.#services.instance.batch(uid, this.#requester.access.visible);
  }

  /** `originalFilter`: the query as details show it. */
  async cancelTasks(query: TaskQuery, originalFilter: string): Promise<SummarizedTask> {
    const filter = readTaskSelection(query);
    return this.#services.instance.cancelTasks(filter, this.#requester.access.visible, originalFilter);
  }

  async deleteTasks(query: TaskQuery, originalFilter: string): Promise<SummarizedTask> {
    const filter = readTaskSelection(query);
    return this.#services.instance.deleteTasks(filter, this.#requester.access.visible, originalFilter);
  }

  async features(): Promise<Record<string, boolean | null>> {
    return features(this.#services.instance);
  }

  setFeatures(switches: Record<string, boolean | null | undefined>): Promise<Record<string, boolean | null>> {
    return setFeatures(this.#services.instance, switches);
  }

  #share(registration: Registration, write: SharedWrite): Promise<SummarizedTask> {
    return sharingOf(this.#services, this.#requester).register(registration, write);
  }
}

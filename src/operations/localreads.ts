// Searches and lists, on the instance and the engine of this process, on behalf of one requester: the part of
// local.ts that a page needs to show something, without settings and everything that writes.
import type { DocumentPartsAsked, TaskQuery } from "../library/operations.ts";
import type { IndexInfo, IndexPage, IndexStats, StoreStats } from "../library/store.ts";
import type { FetchBody } from "../schemas/documents.ts";
import type { FacetSearchBody } from "../schemas/facetsearch.ts";
import type { FieldsBody } from "../schemas/indexfields.ts";
import type { MultiSearchBody } from "../schemas/multisearch.ts";
import { PAGE_LIMIT_DEFAULT } from "../schemas/parameters.ts";
import type { SearchBody } from "../schemas/search.ts";
import type { SimilarParameters } from "../schemas/similar.ts";
import { type Page, type PageOfUids, wholePage } from "../tasks/filter.ts";
import type { BatchView, TaskView } from "../tasks/views.ts";
import { listDocuments, readDocument } from "./documentreads.ts";
import { features } from "./features.ts";
import { searchAsFederation } from "./federation.ts";
import { type IndexFieldPage, listFields } from "./indexfields.ts";
import { searchEach } from "./multisearch.ts";
import { searchFacet, searchSimilar } from "./otherreads.ts";
import { newRequestUid } from "./requestuid.ts";
import { runSearch } from "./search.ts";
import type { OperationServices, Requester } from "./services.ts";
import { searchOf } from "./singlesearch.ts";
import { indexStats, type StatsOptions, storeStats } from "./stats.ts";
import { readTaskPage } from "./taskparameters.ts";

export class LocalReads {
  protected readonly services: OperationServices;
  protected readonly requester: Requester;

  constructor(services: OperationServices, requester: Requester) {
    this.services = services;
    this.requester = requester;
  }

  document(indexUid: string, id: string, parts: DocumentPartsAsked): Promise<Uint8Array> {
    return readDocument(this.services, this.requester, { indexUid, documentId: id }, parts);
  }

  documents(indexUid: string, body: FetchBody): Promise<Uint8Array> {
    return listDocuments(this.services, this.requester, indexUid, body);
  }

  search(indexUid: string, body: SearchBody): Promise<Uint8Array> {
    return runSearch(this.services, searchOf(this.requester, indexUid, body, newRequestUid()));
  }

  facetSearch(indexUid: string, body: FacetSearchBody): Promise<Uint8Array> {
    return searchFacet(this.services, this.requester, indexUid, body);
  }

  similar(indexUid: string, body: SimilarParameters): Promise<Uint8Array> {
    return searchSimilar(this.services, this.requester, indexUid, body);
  }

  async multiSearch({ federation, queries }: MultiSearchBody): Promise<Uint8Array> {
    if (federation) return searchAsFederation(this.services, this.requester, { federation, queries });
    return searchEach(this.services, this.requester, queries);
  }

  async indexes({ offset = 0, limit = PAGE_LIMIT_DEFAULT }): Promise<IndexPage> {
    const { visible } = this.requester.access;
    const { results, total } = this.services.instance.indexes(offset, limit, visible);
    return { results, offset, limit, total };
  }

  async index(uid: string): Promise<IndexInfo> {
    return this.services.instance.index(uid);
  }

  fields(indexUid: string, body: FieldsBody): Promise<IndexFieldPage> {
    return listFields(this.services, indexUid, body);
  }

  async stats(options: StatsOptions = {}): Promise<StoreStats> {
    return storeStats(this.services, this.requester, options);
  }

  async indexStats(indexUid: string, options: StatsOptions = {}): Promise<IndexStats> {
    return indexStats(this.services, indexUid, options);
  }

  async tasks(query: TaskQuery): Promise<Page<TaskView>> {
    return wholePage(this.taskPage(query));
  }

  taskPage(query: TaskQuery): PageOfUids<TaskView> {
    const { filter, paging } = readTaskPage(query);
    return this.services.instance.taskPage(filter, paging, this.requester.access.visible);
  }

  async task(uid: number): Promise<TaskView> {
    return this.services.instance.task(uid, this.requester.access.visible);
  }

  batchPage(query: TaskQuery): PageOfUids<BatchView> {
    const { filter, paging } = readTaskPage(query);
    return this.services.instance.batchPage(filter, paging, this.requester.access.visible);
  }

  async batch(uid: number): Promise<BatchView> {
    return this.services.instance.batch(uid, this.requester.access.visible);
  }

  async features(): Promise<Record<string, boolean | null>> {
    return features(this.services.instance);
  }
}

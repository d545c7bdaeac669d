// All operations, on the instance and the engine of this process, on behalf of one requester. The routes make
// one per request, the library makes one for itself. Bodies have been checked by the caller: by the schemas
// of the routes, or by checked.ts for the library.
import type { Addition, Deletion, TaskQuery } from "../library/operations.ts";
import type { Edit, WriteOptions } from "../library/store.ts";
import type { SharedWrite } from "../network/sharedwrites.ts";
import type { SettingName, SettingsPatch } from "../schemas/settings.ts";
import type { Registration } from "../tasks/registration.ts";
import type { SummarizedTask } from "../tasks/views.ts";
import { addDocuments, deleteDocuments, editDocuments } from "./documentwrites.ts";
import { setFeatures } from "./features.ts";
import { LocalReads } from "./localreads.ts";
import { readSetting, readSettings, resetSettings, updateSettings } from "./settings.ts";
import { sharingOf } from "./sharing.ts";
import { type SwapAsked, swapsOf } from "./swaps.ts";
import { readTaskSelection } from "./taskparameters.ts";

export class LocalOperations extends LocalReads {
  addDocuments(
    indexUid: string,
    pieces: AsyncIterable<Uint8Array>,
    addition: Addition,
  ): Promise<SummarizedTask> {
    return addDocuments(this.services, this.requester, indexUid, pieces, addition);
  }

  deleteDocuments(indexUid: string, deletion: Deletion, options: WriteOptions): Promise<SummarizedTask> {
    return deleteDocuments(this.services, this.requester, indexUid, deletion, options);
  }

  editDocuments(indexUid: string, edit: Edit, options: WriteOptions): Promise<SummarizedTask> {
    return editDocuments(this.services, this.requester, indexUid, edit, options);
  }

  settings(indexUid: string): Promise<Record<string, unknown>> {
    return readSettings(this.services, indexUid);
  }

  setting(indexUid: string, name: SettingName): Promise<unknown> {
    return readSetting(this.services, indexUid, name);
  }

  updateSettings(indexUid: string, patch: SettingsPatch): Promise<SummarizedTask> {
    return updateSettings(this.services, this.requester, indexUid, patch);
  }

  async resetSettings(indexUid: string, names: readonly SettingName[] | null): Promise<SummarizedTask> {
    return resetSettings(this.services, this.requester, indexUid, names);
  }

  async createIndex({
    uid,
    primaryKey = null,
  }: {
    uid: string;
    primaryKey?: string | null;
  }): Promise<SummarizedTask> {
    this.requester.access.checkUse(uid, "Field `.uid`: ");
    const write = { method: "POST" as const, path: "/indexes", body: { json: { uid, primaryKey } } };
    return this.#share({ type: "indexCreation", indexUid: uid, primaryKey }, write);
  }

  async updateIndex(
    indexUid: string,
    { uid = null, primaryKey = null }: { uid?: string | null; primaryKey?: string | null },
  ): Promise<SummarizedTask> {
    if (uid !== null) this.requester.access.checkUse(uid, "Field `.uid`: ");
    const update = { type: "indexUpdate" as const, indexUid, primaryKey, newIndexUid: uid };
    const body = { json: { uid: uid ?? undefined, primaryKey } };
    return this.#share(update, { method: "PATCH", path: `/indexes/${indexUid}`, body });
  }

  async deleteIndex(indexUid: string): Promise<SummarizedTask> {
    const write = { method: "DELETE" as const, path: `/indexes/${indexUid}`, body: null };
    return this.#share({ type: "indexDeletion", indexUid }, write);
  }

  async compactIndex(indexUid: string): Promise<SummarizedTask> {
    const { place } = this.requester;
    return this.services.instance.register({ type: "indexCompaction", indexUid, place });
  }

  async swapIndexes(swaps: readonly SwapAsked[]): Promise<SummarizedTask> {
    const write = { method: "POST" as const, path: "/swap-indexes", body: { json: swaps } };
    return this.#share({ type: "indexSwap", swaps: swapsOf(swaps, this.requester.access) }, write);
  }

  /** `originalFilter`: the query string as the details of the task show it. */
  async cancelTasks(query: TaskQuery, originalFilter: string): Promise<SummarizedTask> {
    const filter = readTaskSelection(query);
    return this.services.instance.cancelTasks(filter, this.requester.access.visible, originalFilter);
  }

  async deleteTasks(query: TaskQuery, originalFilter: string): Promise<SummarizedTask> {
    const filter = readTaskSelection(query);
    return this.services.instance.deleteTasks(filter, this.requester.access.visible, originalFilter);
  }

  setFeatures(switches: Record<string, boolean | null | undefined>): Promise<Record<string, boolean | null>> {
    return setFeatures(this.services.instance, switches);
  }

  #share(registration: Registration, write: SharedWrite): Promise<SummarizedTask> {
    return sharingOf(this.services, this.requester).register(registration, write);
  }
}

// How requests name an index and the state of it that they need. Made by the catalog (src/tasks/catalog.ts),
// taken by engines.

export interface IndexHandle {
  folder: string;
  indexUid: string;
  /** From the newest IndexDescription: the reader catches up with it first. */
  version: number;
}

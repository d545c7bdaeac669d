// The texts of `batchStrategy`: why a batch holds just these tasks.
import type { TaskType } from "./kinds.ts";

export const strategies = {
  single: (type: TaskType, uid: number) =>
    `created with only task ${uid}: tasks of type \`${type}\` stand alone`,
  sameType: (type: TaskType, last: number) =>
    `stopped after task ${last}: tasks of type \`${type}\` are not mixed with other types`,
  allEnqueued: () => "batched all enqueued tasks",
  allOfIndex: (indexUid: string) => `batched all enqueued tasks for index \`${indexUid}\``,
  taskLimit: (limit: number) => `reached the limit of ${limit} tasks in a batch`,
  sizeLimit: (limit: number, total: number) =>
    `reached the limit of ${limit} bytes of documents in a batch, with ${total} bytes`,
  memoryLimit: (limit: number, total: number) =>
    `reached the limit of ${limit} bytes of memory for the tasks of a batch, with ${total} bytes`,
  singleNext: (type: TaskType, uid: number) =>
    `stopped before task ${uid}: tasks of type \`${type}\` stand alone`,
  keyDiffersFromIndex: (uid: number, key: string, ofIndex: string) =>
    `stopped before task ${uid}: its primary key \`${key}\` differs from \`${ofIndex}\` of the index`,
  keyDiffersAlone: (uid: number, key: string, ofIndex: string) =>
    `created with only task ${uid}: its primary key \`${key}\` differs from \`${ofIndex}\` of the index`,
  keyDiffersFromBatch: (uid: number, key: string, ofBatch: string) =>
    `stopped before task ${uid}: its primary key \`${key}\` differs from \`${ofBatch}\` of the batch`,
  keyWhileGuessing: (uid: number, key: string) =>
    `stopped before task ${uid}: its primary key \`${key}\` would interfere with guessing the key`,
  creationRights: (uid: number) =>
    `stopped before task ${uid}: it may create the index, and the tasks before it may not`,
  indexDeletion: (uid: number) => `stopped after task ${uid}: it deletes the index`,
  settingsThenDocuments: (uid: number) =>
    `stopped before task ${uid}: changes of settings and operations on documents are not mixed`,
  filterAfterDocuments: (uid: number) =>
    `stopped before task ${uid}: a deletion by filter must see the documents of the tasks before it`,
  documentsThenSettings: (uid: number) =>
    `stopped before task ${uid}: operations on documents are not mixed with changes of settings`,
};

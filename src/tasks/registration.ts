// What may be registered from outside, by kind, and how it becomes the kind that the journal keeps.
import type {
  DocumentAddition,
  DocumentEdition,
  DumpCreation,
  Export,
  IndexCreation,
  IndexDeletion,
  IndexSwap,
  IndexUpdate,
  SettingsUpdate,
  TaskKind,
  UpgradeDatabase,
} from "./kinds.ts";
import type { PayloadDraft } from "./payloads.ts";
import type { TaskNetwork } from "./task.ts";

type Work =
  | (Omit<DocumentAddition, "payload" | "payloadBytes"> & { payload: PayloadDraft | null })
  | { type: "documentDeletion"; indexUid: string; by: "ids"; ids: string[] }
  | { type: "documentDeletion"; indexUid: string; by: "filter"; filter: unknown }
  | { type: "documentDeletion"; indexUid: string; by: "all" }
  | DocumentEdition
  | SettingsUpdate
  | IndexCreation
  | IndexUpdate
  | IndexDeletion
  | IndexSwap
  | DumpCreation
  | Export
  | UpgradeDatabase
  | { type: "snapshotCreation" }
  | { type: "indexCompaction"; indexUid: string };

/**
 * One write, checked by the caller; `customMetadata` and `network` (where the task comes from) are shown in
 * every view of the task.
 */
export type Registration = Work & { customMetadata?: string; network?: TaskNetwork };

export function kindOf(registration: Registration): TaskKind {
  if (registration.type === "documentAdditionOrUpdate") return additionOf(registration);
  const { customMetadata: _, network: __, ...work } = registration;
  if (work.type === "documentDeletion" && work.by === "ids") return { ...work, count: work.ids.length };
  return work;
}

/** Field by field: objects made of the rest of others are slow to make and to pack, and these are most tasks. */
function additionOf(addition: Extract<Registration, { type: "documentAdditionOrUpdate" }>): DocumentAddition {
  const { type, indexUid, method, primaryKey, documentsCount, payload, shard } = addition;
  const { allowIndexCreation, skipCreation } = addition;
  const [name, payloadBytes] = [payload?.stored?.name ?? null, payload?.size ?? 0];
  return {
    ...{ type, indexUid, method, primaryKey, documentsCount, payload: name, payloadBytes },
    ...{ allowIndexCreation, skipCreation },
    ...(shard && { shard }),
  };
}

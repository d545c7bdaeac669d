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
import type { Origin, OutgoingDraft } from "./outgoing.ts";
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
  | { type: "indexCompaction"; indexUid: string }
  | { type: "networkTopologyChange"; members: string[] };

/**
 * One write, checked by the caller; `customMetadata` and `network` (where the task comes from) are shown in
 * every view of the task.
 */
export type Registration = Work & {
  customMetadata?: string;
  network?: TaskNetwork;
  /** What other servers are to get. */
  outgoing?: OutgoingDraft;
  /** Another server sent it: it is registered once, however often it is sent. */
  origin?: Origin;
};

export function kindOf(registration: Registration): TaskKind {
  const { customMetadata: _, network: __, outgoing: ___, origin: ____, ...work } = registration;
  if (work.type === "documentAdditionOrUpdate")
    return { ...work, payload: work.payload?.stored?.name ?? null, payloadBytes: work.payload?.size ?? 0 };
  if (work.type === "documentDeletion" && work.by === "ids") return { ...work, count: work.ids.length };
  return work;
}

// What may be registered from outside, by kind, and how it becomes the kind that the journal keeps.
import type {
  DocumentAddition,
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
import type { PayloadReservation } from "./payloads.ts";

type Work =
  | (Omit<DocumentAddition, "payload" | "payloadBytes"> & { payload: PayloadReservation | null })
  | { type: "documentDeletion"; indexUid: string; by: "ids"; ids: string[] }
  | { type: "documentDeletion"; indexUid: string; by: "filter"; filter: unknown }
  | { type: "documentDeletion"; indexUid: string; by: "all" }
  | SettingsUpdate
  | IndexCreation
  | IndexUpdate
  | IndexDeletion
  | IndexSwap
  | DumpCreation
  | Export
  | UpgradeDatabase
  | { type: "snapshotCreation" };

/** One write, checked by the caller; `customMetadata` is echoed in every view of the task. */
export type Registration = Work & { customMetadata?: string };

export function kindOf(registration: Registration, payloadBytes: number): TaskKind {
  const { customMetadata: _, ...work } = registration;
  if (work.type === "documentAdditionOrUpdate")
    return { ...work, payload: work.payload?.name ?? null, payloadBytes };
  if (work.type === "documentDeletion" && work.by === "ids") return { ...work, count: work.ids.length };
  return work;
}

// What can be registered from outside, by kind, and how it becomes the kind that the journal keeps.
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
import type { Place } from "./writeorder.ts";

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
 * One write, checked by the caller; `customMetadata` and `network` (the origin of the task) are shown in
 * every view of the task.
 */
export type Registration = Work & {
  customMetadata?: string;
  network?: TaskNetwork;
  /** The servers among which documents are spread, for whom sent the write. */
  sharers?: readonly string[];
  isMove?: true;
  /** The write as other servers are to receive it. */
  outgoing?: OutgoingDraft;
  /** Set when another server sent it: it is registered once, however often it is sent. */
  origin?: Origin;
  /** Among the writes of a program. */
  place?: Place | null;
};

export function kindOf(registration: Registration): TaskKind {
  if (registration.type === "documentAdditionOrUpdate") return additionOf(registration);
  const {
    customMetadata: _a,
    network: _b,
    sharers: _c,
    isMove: _d,
    outgoing: _e,
    origin: _f,
    place: _g,
    ...work
  } = registration;
  if (work.type === "documentDeletion" && work.by === "ids") return { ...work, count: work.ids.length };
  return work;
}

/** Field by field: most tasks are additions, and objects made by spreading are slow to make and to pack. */
function additionOf(addition: Extract<Registration, { type: "documentAdditionOrUpdate" }>): DocumentAddition {
  const { payload } = addition;
  const kind: DocumentAddition = {
    type: addition.type,
    indexUid: addition.indexUid,
    method: addition.method,
    primaryKey: addition.primaryKey,
    documentsCount: addition.documentsCount,
    payload: payload?.stored?.name ?? null,
    payloadBytes: payload?.size ?? 0,
    allowIndexCreation: addition.allowIndexCreation,
    skipCreation: addition.skipCreation,
  };
  if (addition.shard) kind.shard = addition.shard;
  return kind;
}

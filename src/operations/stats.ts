// Counts and sizes of indexes, as they are shown. Called by localreads.ts.
import type { IndexStats as ShownStats, StoreStats } from "../library/store.ts";
import type { IndexStats } from "../tasks/instanceinterface.ts";
import type { OperationServices, Requester } from "./services.ts";

/** How sizes are shown, and whether internal ones are. */
export interface StatsOptions {
  size?: (bytes: number) => number | string;
  showsInternal?: boolean;
}

export function storeStats(
  { instance }: OperationServices,
  { access: { visible } }: Requester,
  { size = plain, showsInternal }: StatsOptions,
): StoreStats {
  const { databaseBytes, indexes } = instance.allStats();
  const shown = [...indexes].filter(([uid]) => visible === null || visible(uid));
  shown.sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    databaseSize: size(databaseBytes) as number,
    usedDatabaseSize: size(databaseBytes) as number,
    lastUpdate: newest(shown.map(([, stats]) => stats.updatedAt)),
    indexes: Object.fromEntries(shown.map(([uid, stats]) => [uid, viewOf(stats, { size, showsInternal })])),
  };
}

export function indexStats(
  { instance }: OperationServices,
  indexUid: string,
  options: StatsOptions,
): ShownStats {
  return viewOf(instance.stats(indexUid), options);
}

const plain = (bytes: number): number => bytes;

function viewOf(
  { description, isIndexing, damage }: IndexStats,
  { size = plain, showsInternal = false }: StatsOptions,
): ShownStats {
  const { numberOfDocuments, rawDocumentBytes, diskBytes, fieldDistribution, embeddings } = description;
  const fields = Object.entries(fieldDistribution).sort(([a], [b]) => (a < b ? -1 : 1));
  const average = numberOfDocuments === 0 ? 0 : Math.floor(rawDocumentBytes / numberOfDocuments);
  return {
    numberOfDocuments,
    rawDocumentDbSize: size(rawDocumentBytes) as number,
    avgDocumentSize: size(average) as number,
    isIndexing,
    ...(showsInternal && { internalDatabaseSizes: { segments: size(diskBytes) } }),
    numberOfEmbeddings: embeddings.vectors,
    numberOfEmbeddedDocuments: embeddings.documents,
    fieldDistribution: Object.fromEntries(fields),
    // Not in the API of the peer; shown only when something is wrong.
    ...(damage !== null && { damage }),
  };
}

/** The latest of some RFC 3339 texts; null when there are none. */
function newest(dates: string[]): string | null {
  return dates.reduce<string | null>((best, date) => {
    return best === null || Date.parse(date) > Date.parse(best) ? date : best;
  }, null);
}

// GET /stats and GET /indexes/{uid}/stats: counts and sizes.
import { binarySize } from "../sizes.ts";
import type { IndexStats } from "../tasks/instance.ts";
import { accessOf } from "./access.ts";
import type { App, Services } from "./app.ts";
import { flag, type ParameterKind, parameter, readParameters } from "./parameters.ts";
import { indexUidOf } from "./paths.ts";

type SizeFormat = "raw" | "human";
type Size = (bytes: number) => number | string;

export function addStatsRoutes(app: App, { instance }: Services): void {
  app.get("/stats", { config: { action: "stats.get" } }, async (request) => {
    const { showInternalDatabaseSizes = false, sizeFormat } = readParameters(request.query, parameters);
    const { visible } = accessOf(request);
    const size = sizeIn(sizeFormat);
    const { databaseBytes, indexes } = instance.allStats();
    const shown = [...indexes].filter(([uid]) => visible === null || visible(uid));
    shown.sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      databaseSize: size(databaseBytes),
      usedDatabaseSize: size(databaseBytes),
      lastUpdate: newest(shown.map(([, stats]) => stats.updatedAt)),
      indexes: Object.fromEntries(
        shown.map(([uid, stats]) => [uid, viewOf(stats, size, showInternalDatabaseSizes)]),
      ),
    };
  });

  app.get("/indexes/:indexUid/stats", { config: { action: "stats.get" } }, async (request) => {
    const { showInternalDatabaseSizes = false, sizeFormat } = readParameters(request.query, parameters);
    return viewOf(instance.stats(indexUidOf(request)), sizeIn(sizeFormat), showInternalDatabaseSizes);
  });
}

const sizeFormat: ParameterKind<SizeFormat> = {
  expected: "`raw` or `human`",
  read: (raw, refuse) => (raw === "raw" || raw === "human" ? raw : refuse()),
};

const parameters = {
  showInternalDatabaseSizes: parameter(flag, "invalid_stats_show_internal_database_sizes"),
  sizeFormat: parameter(sizeFormat, "invalid_stats_size_format"),
};

function viewOf({ description, isIndexing, damage }: IndexStats, size: Size, showInternal: boolean) {
  const { numberOfDocuments, rawDocumentBytes, diskBytes, fieldDistribution, embeddings } = description;
  const fields = Object.entries(fieldDistribution).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    numberOfDocuments,
    rawDocumentDbSize: size(rawDocumentBytes),
    avgDocumentSize: size(numberOfDocuments === 0 ? 0 : Math.floor(rawDocumentBytes / numberOfDocuments)),
    isIndexing,
    ...(showInternal && { internalDatabaseSizes: { segments: size(diskBytes) } }),
    numberOfEmbeddings: embeddings.vectors,
    numberOfEmbeddedDocuments: embeddings.documents,
    fieldDistribution: Object.fromEntries(fields),
    // Of our own, and only where something is wrong.
    ...(damage !== null && { damage }),
  };
}

function sizeIn(format: SizeFormat = "raw"): Size {
  return format === "raw" ? (bytes) => bytes : binarySize;
}

/** The latest of RFC 3339 texts, null when there is none. */
function newest(dates: string[]): string | null {
  return dates.reduce<string | null>((best, date) => {
    return best === null || Date.parse(date) > Date.parse(best) ? date : best;
  }, null);
}

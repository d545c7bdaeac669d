// GET /stats and GET /indexes/{uid}/stats: counts and sizes.
import type { StatsOptions } from "../operations/stats.ts";
import { flag, type ParameterKind, parameter, readParameters } from "../schemas/parameters.ts";
import { binarySize } from "../sizes.ts";
import type { App, Services } from "./app.ts";
import { operationsOf } from "./operations.ts";
import { indexUidOf } from "./paths.ts";

type SizeFormat = "raw" | "human";
type Size = (bytes: number) => number | string;

export function addStatsRoutes(app: App, services: Services): void {
  app.get("/stats", { config: { action: "stats.get", parameters } }, async (request) => {
    return operationsOf(services, request).stats(optionsOf(request.query));
  });

  app.get("/indexes/:indexUid/stats", { config: { action: "stats.get", parameters } }, async (request) => {
    const options = optionsOf(request.query);
    return operationsOf(services, request).indexStats(indexUidOf(request), options);
  });
}

function optionsOf(query: unknown): StatsOptions {
  const { showInternalDatabaseSizes: showsInternal = false, sizeFormat } = readParameters(query, parameters);
  return { showsInternal, size: sizeIn(sizeFormat) };
}

const sizeFormat: ParameterKind<SizeFormat> = {
  expected: "`raw` or `human`",
  shown: { enum: ["raw", "human"] },
  read: (raw, refuse) => (raw === "raw" || raw === "human" ? raw : refuse()),
};

const parameters = {
  showInternalDatabaseSizes: parameter(flag, "invalid_stats_show_internal_database_sizes"),
  sizeFormat: parameter(sizeFormat, "invalid_stats_size_format"),
};

function sizeIn(format: SizeFormat = "raw"): Size {
  return format === "raw" ? (bytes) => bytes : binarySize;
}

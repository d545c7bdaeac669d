// What the routes answer, as schemas for their description (src/http/openapi.ts); test/http/openapi.test.ts
// checks the answers of a server against them.
import type { Static } from "typebox";
import * as Type from "typebox";
import { count, nullable, recordOf } from "./fields.ts";

const text = Type.String();
const flag = Type.Boolean();
const moment = Type.String({ description: "RFC 3339, UTC" });
const duration = nullable(Type.String({ description: "ISO 8601" }));
const anything = recordOf(Type.Unknown());
const counts = recordOf(count);
const status = Type.Enum(["enqueued", "processing", "succeeded", "failed", "canceled"]);
const type = Type.String({ description: "What kind of task, such as `documentAdditionOrUpdate`" });

export const ErrorAnswer = Type.Object({ message: text, code: text, type: text, link: text });

/** Of the Model Context Protocol. */
export const RpcErrorAnswer = Type.Object({
  jsonrpc: text,
  id: Type.Unknown(),
  error: Type.Object({ code: Type.Integer(), message: text }),
});

export const SummarizedTaskAnswer = Type.Object({
  taskUid: count,
  indexUid: nullable(text),
  status: Type.Literal("enqueued"),
  type,
  enqueuedAt: moment,
  customMetadata: Type.Optional(text),
});

export const TaskAnswer = Type.Object({
  uid: count,
  batchUid: nullable(count),
  indexUid: nullable(text),
  status,
  type,
  canceledBy: nullable(count),
  details: nullable(anything),
  error: nullable(ErrorAnswer),
  duration,
  enqueuedAt: moment,
  startedAt: nullable(moment),
  finishedAt: nullable(moment),
  network: Type.Optional(anything),
  customMetadata: Type.Optional(text),
});

export const BatchAnswer = Type.Object({
  uid: count,
  progress: nullable(
    Type.Object({
      steps: Type.Array(Type.Object({ currentStep: text, finished: count, total: count })),
      percentage: Type.Number(),
    }),
  ),
  details: anything,
  stats: anything,
  duration,
  startedAt: moment,
  finishedAt: nullable(moment),
  batchStrategy: text,
});

const queuePage = { total: count, limit: count, from: nullable(count), next: nullable(count) };
export const TaskPageAnswer = Type.Object({ results: Type.Array(TaskAnswer), ...queuePage });
export const BatchPageAnswer = Type.Object({ results: Type.Array(BatchAnswer), ...queuePage });

export const QueueCompactionAnswer = Type.Object({
  preSize: text,
  postSize: text,
  status: Type.Literal("succeeded"),
});

const page = { offset: count, limit: count, total: count };

export const IndexAnswer = Type.Object({
  uid: text,
  createdAt: moment,
  updatedAt: moment,
  primaryKey: nullable(text),
});
export const IndexPageAnswer = Type.Object({ results: Type.Array(IndexAnswer), ...page });

const ability = Type.Object({ enabled: flag });
const IndexFieldAnswer = Type.Object({
  name: text,
  displayed: ability,
  searchable: ability,
  sortable: ability,
  distinct: ability,
  /** `order`: set if a ranking rule sorts by the field. */
  rankingRule: Type.Object({ enabled: flag, order: Type.Optional(Type.Enum(["asc", "desc"])) }),
  filterable: Type.Object({
    enabled: flag,
    /** The order of its values as a facet. */
    sortBy: Type.Enum(["alpha", "count"]),
    facetSearch: flag,
    equality: flag,
    comparison: flag,
  }),
  localized: Type.Object({ locales: Type.Array(text) }),
});
export type IndexField = Static<typeof IndexFieldAnswer>;
export const IndexFieldPageAnswer = Type.Object({ results: Type.Array(IndexFieldAnswer), ...page });

const size = Type.Union([count, text], { description: "Bytes, or a text with `sizeFormat=human`" });
export const IndexStatsAnswer = Type.Object({
  numberOfDocuments: count,
  rawDocumentDbSize: size,
  avgDocumentSize: size,
  isIndexing: flag,
  internalDatabaseSizes: Type.Optional(recordOf(size)),
  numberOfEmbeddings: count,
  numberOfEmbeddedDocuments: count,
  fieldDistribution: counts,
  damage: Type.Optional(Type.String({ description: "What is damaged in its files" })),
});
export const StatsAnswer = Type.Object({
  databaseSize: size,
  usedDatabaseSize: size,
  lastUpdate: nullable(moment),
  indexes: recordOf(IndexStatsAnswer),
});

export const DocumentAnswer = anything;
export const DocumentPageAnswer = Type.Object({
  results: Type.Array(anything),
  ...page,
  remoteErrors: Type.Optional(anything),
});

const facets = {
  facetDistribution: Type.Optional(recordOf(counts)),
  facetStats: Type.Optional(recordOf(Type.Object({ min: Type.Number(), max: Type.Number() }))),
};
const searchFields = {
  hits: Type.Array(anything),
  processingTimeMs: count,
  offset: Type.Optional(count),
  limit: Type.Optional(count),
  estimatedTotalHits: Type.Optional(count),
  page: Type.Optional(count),
  hitsPerPage: Type.Optional(count),
  totalPages: Type.Optional(count),
  totalHits: Type.Optional(count),
  semanticHitCount: Type.Optional(count),
  degraded: Type.Optional(flag),
  performanceDetails: Type.Optional(recordOf(text)),
  requestUid: text,
  ...facets,
};
export const SearchAnswer = Type.Object({ ...searchFields, query: text });
export const MultiSearchAnswer = Type.Union([
  Type.Object({ results: Type.Array(Type.Object({ ...searchFields, query: text, indexUid: text })) }),
  Type.Object({
    ...searchFields,
    facetsByIndex: Type.Optional(anything),
    remoteErrors: Type.Optional(anything),
  }),
]);
export const FacetSearchAnswer = Type.Object({
  facetHits: Type.Array(Type.Object({ value: text, count })),
  facetQuery: nullable(text),
  processingTimeMs: count,
});
export const SimilarAnswer = Type.Object({
  hits: Type.Array(anything),
  id: text,
  processingTimeMs: count,
  offset: count,
  limit: count,
  estimatedTotalHits: count,
  performanceDetails: Type.Optional(recordOf(text)),
});

export const KeyAnswer = Type.Object({
  uid: text,
  key: text,
  name: nullable(text),
  description: nullable(text),
  actions: Type.Array(text),
  indexes: Type.Array(text),
  expiresAt: nullable(moment),
  createdAt: moment,
  updatedAt: moment,
});
export const KeyPageAnswer = Type.Object({ results: Type.Array(KeyAnswer), ...page });

export const WebhookAnswer = Type.Object({
  uuid: text,
  url: text,
  headers: recordOf(text, { description: "Their values are masked" }),
  isEditable: flag,
});
export const WebhookListAnswer = Type.Object({ results: Type.Array(WebhookAnswer) });

export const HealthAnswer = Type.Object({ status: Type.Literal("available") });
export const VersionAnswer = Type.Object({ commitSha: text, commitDate: text, pkgVersion: text });
export const FeaturesAnswer = recordOf(nullable(flag));
export const NetworkAnswer = Type.Object({
  self: nullable(text),
  sharding: Type.Optional(flag),
  remotes: anything,
});
export const SettingsAnswer = anything;
export const SettingAnswer = Type.Unknown({ description: "The value of the setting" });

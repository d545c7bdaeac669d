// What the description of the routes (openapi.ts) says of each: a sentence, and the answer. A route without a
// line here, or a line without a route, fails test/http/openapi.test.ts.
import type { TSchema } from "typebox";
import * as answers from "../schemas/answers.ts";

/** Null: there is no body. A text: the content type of a body without a schema. */
export type RouteText = [
  summary: string,
  status: number,
  answer: TSchema | string | null,
  /** Where a protocol of its own has other refusals as well. */
  otherRefusal?: TSchema,
];

const task = (summary: string): RouteText => [summary, 202, answers.SummarizedTaskAnswer];

/** Last part of the path of a setting, the method that sets it, and what it is. */
const SETTINGS: [path: string, method: "PUT" | "PATCH", words: string][] = [
  ["displayed-attributes", "PUT", "the attributes that hits show"],
  ["searchable-attributes", "PUT", "the attributes that are searched, the important ones first"],
  ["filterable-attributes", "PUT", "the attributes that filters and facets may name"],
  ["sortable-attributes", "PUT", "the attributes that hits may be sorted by"],
  ["foreign-keys", "PUT", "foreign keys, which this server does not have"],
  ["ranking-rules", "PUT", "the ranking rules, the important ones first"],
  ["stop-words", "PUT", "the words that searches ignore"],
  ["non-separator-tokens", "PUT", "the characters that no longer separate words"],
  ["separator-tokens", "PUT", "the characters that separate words beside the usual ones"],
  ["dictionary", "PUT", "the texts that are one word"],
  ["synonyms", "PUT", "the words that mean the same"],
  ["distinct-attribute", "PUT", "the attribute whose values are shown once"],
  ["proximity-precision", "PUT", "how exactly the distance of words counts"],
  ["typo-tolerance", "PATCH", "how many typos words may have"],
  ["faceting", "PATCH", "how many values of a facet are shown, in which order"],
  ["pagination", "PATCH", "how many hits can be paged through"],
  ["embedders", "PATCH", "what makes vectors of documents and queries"],
  ["search-cutoff-ms", "PUT", "the time that a search may take"],
  ["localized-attributes", "PUT", "the languages of attributes"],
  ["facet-search", "PUT", "whether values of facets can be searched"],
  ["prefix-search", "PUT", "whether the last word may be unfinished"],
  ["chat", "PATCH", "the chat, which this server does not have"],
];

const settingTexts = SETTINGS.flatMap(([path, method, words]): [string, RouteText][] => {
  const url = `/indexes/:indexUid/settings/${path}`;
  return [
    [`GET ${url}`, [`Reads ${words}.`, 200, answers.SettingAnswer]],
    [`${method} ${url}`, task(`Sets ${words}.`)],
    [`DELETE ${url}`, task(`Sets back to the default: ${words}.`)],
  ];
});

export const routeTexts: Readonly<Record<string, RouteText>> = {
  "GET /": ["A page to try searches; in production a short answer.", 200, "text/html"],
  "GET /health": ["Tells that the server answers.", 200, answers.HealthAnswer],
  "GET /version": ["Tells the version of the server.", 200, answers.VersionAnswer],
  "GET /openapi.json": ["This description.", 200, "application/json"],
  "GET /stats": ["Counts and sizes of all indexes.", 200, answers.StatsAnswer],
  "GET /metrics": ["Figures for Prometheus.", 200, "text/plain"],
  "GET /indexes": ["Lists the indexes.", 200, answers.IndexPageAnswer],
  "POST /indexes": task("Creates an index."),
  "POST /swap-indexes": task("Exchanges indexes, or gives them other names."),
  "GET /indexes/:indexUid": ["Describes an index.", 200, answers.IndexAnswer],
  "PATCH /indexes/:indexUid": task("Changes the primary key or the name of an index."),
  "DELETE /indexes/:indexUid": task("Deletes an index with its documents."),
  "POST /indexes/:indexUid/fields": ["Lists the fields of an index.", 200, answers.IndexFieldPageAnswer],
  "POST /indexes/:indexUid/compact": task("Merges the segments of an index into as few as may be."),
  "GET /indexes/:indexUid/stats": ["Counts and sizes of an index.", 200, answers.IndexStatsAnswer],
  "GET /indexes/:indexUid/settings": ["Reads all settings of an index.", 200, answers.SettingsAnswer],
  "PATCH /indexes/:indexUid/settings": task("Changes settings of an index; null sets one back."),
  "DELETE /indexes/:indexUid/settings": task("Sets all settings of an index back to their defaults."),
  ...Object.fromEntries(settingTexts),
  "GET /indexes/:indexUid/documents": ["Lists documents.", 200, answers.DocumentPageAnswer],
  "POST /indexes/:indexUid/documents/fetch": ["Lists documents.", 200, answers.DocumentPageAnswer],
  "GET /indexes/:indexUid/documents/:documentId": ["Reads a document.", 200, answers.DocumentAnswer],
  "POST /indexes/:indexUid/documents": task("Adds documents, or replaces those with the same ids."),
  "PUT /indexes/:indexUid/documents": task("Adds documents, or changes the given fields of known ones."),
  "DELETE /indexes/:indexUid/documents": task("Deletes all documents of an index."),
  "DELETE /indexes/:indexUid/documents/:documentId": task("Deletes a document."),
  "POST /indexes/:indexUid/documents/delete-batch": task("Deletes documents by their ids."),
  "POST /indexes/:indexUid/documents/delete": task("Deletes the documents of a filter."),
  "POST /indexes/:indexUid/documents/edit": task("Edits documents by a function."),
  "GET /indexes/:indexUid/search": ["Searches an index.", 200, answers.SearchAnswer],
  "POST /indexes/:indexUid/search": ["Searches an index.", 200, answers.SearchAnswer],
  "POST /indexes/:indexUid/facet-search": ["Searches the values of a facet.", 200, answers.FacetSearchAnswer],
  "GET /indexes/:indexUid/similar": ["Finds documents like another one.", 200, answers.SimilarAnswer],
  "POST /indexes/:indexUid/similar": ["Finds documents like another one.", 200, answers.SimilarAnswer],
  "POST /multi-search": ["Runs several searches, or makes one list of them.", 200, answers.MultiSearchAnswer],
  "GET /tasks": ["Lists tasks, the newest first.", 200, answers.TaskPageAnswer],
  "GET /tasks/:taskUid": ["Tells how far a task is.", 200, answers.TaskAnswer],
  "GET /tasks/:taskUid/documents": [
    "Reads the documents of a task until it ends.",
    200,
    "application/x-ndjson",
  ],
  "POST /tasks/cancel": ["Cancels tasks that are not finished.", 200, answers.SummarizedTaskAnswer],
  "POST /tasks/compact": ["Makes the file of the task queue smaller.", 200, answers.QueueCompactionAnswer],
  "DELETE /tasks": ["Deletes finished tasks from the history.", 200, answers.SummarizedTaskAnswer],
  "GET /batches": ["Lists batches of tasks, the newest first.", 200, answers.BatchPageAnswer],
  "GET /batches/:batchUid": ["Tells how far a batch is.", 200, answers.BatchAnswer],
  "POST /dumps": task("Writes everything into an archive that other versions can read."),
  "POST /snapshots": task("Copies the data folder as it is."),
  "POST /export": task("Sends indexes to another server."),
  "GET /experimental-features": ["Tells which features are on.", 200, answers.FeaturesAnswer],
  "PATCH /experimental-features": ["Turns features on and off.", 200, answers.FeaturesAnswer],
  "GET /network": ["Describes the network of servers.", 200, answers.NetworkAnswer],
  "PATCH /network": ["Changes the network of servers.", 200, answers.NetworkAnswer],
  "GET /webhooks": ["Lists the webhooks.", 200, answers.WebhookListAnswer],
  "POST /webhooks": ["Makes a webhook, called when tasks end.", 200, answers.WebhookAnswer],
  "GET /webhooks/:uuid": ["Describes a webhook.", 200, answers.WebhookAnswer],
  "PATCH /webhooks/:uuid": ["Changes a webhook.", 200, answers.WebhookAnswer],
  "DELETE /webhooks/:uuid": ["Deletes a webhook.", 204, null],
  "POST /logs/stream": ["Sends the log as it is written.", 200, "text/plain"],
  "DELETE /logs/stream": ["Ends the sending of the log.", 204, null],
  "POST /logs/stderr": ["Chooses what the server logs to its error output.", 204, null],
  "POST /mcp": [
    "The Model Context Protocol: tools for language models.",
    200,
    "application/json",
    answers.RpcErrorAnswer,
  ],
  "GET /keys": ["Lists the API keys.", 200, answers.KeyPageAnswer],
  "POST /keys": ["Makes an API key.", 201, answers.KeyAnswer],
  "GET /keys/:uidOrValue": ["Describes an API key.", 200, answers.KeyAnswer],
  "PATCH /keys/:uidOrValue": ["Changes the name or the description of an API key.", 200, answers.KeyAnswer],
  "DELETE /keys/:uidOrValue": ["Deletes an API key.", 204, null],
};

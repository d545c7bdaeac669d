// The bodies of the document routes, and DocumentsQuery: a listing as the engine gets it.
import type { Static } from "typebox";
import * as Type from "typebox";
import type { ErrorCode } from "../errors.ts";
import { DOCUMENT_ID_EXPECTED, DOCUMENT_ID_PATTERN } from "./documentid.ts";
import {
  bound,
  boundOf,
  filter,
  flag,
  late,
  nullable,
  optional,
  recordOf,
  strictObject,
  text,
  texts,
} from "./fields.ts";

const DOCUMENTS_LIMIT_DEFAULT = 20;

/** Field of a listing -> code of a bad value. Parameters of GET use the same codes. */
export const documentsCodes = {
  offset: "invalid_document_offset",
  limit: "invalid_document_limit",
  fields: "invalid_document_fields",
  retrieveVectors: "invalid_document_retrieve_vectors",
  ids: "invalid_document_ids",
  filter: "invalid_document_filter",
  sort: "invalid_document_sort",
  useNetwork: "invalid_document_use_network",
} satisfies Record<string, ErrorCode>;

const documentId = Type.Union([Type.String({ pattern: DOCUMENT_ID_PATTERN }), Type.Integer()], {
  description: DOCUMENT_ID_EXPECTED,
});

export const FetchBody = strictObject(
  {
    offset: Type.Optional(bound),
    limit: Type.Optional(bound),
    fields: optional(texts),
    retrieveVectors: Type.Optional(flag),
    ids: optional(Type.Array(late(documentId))),
    filter: optional(filter),
    sort: optional(Type.Union([texts, text])),
    useNetwork: optional(flag),
  },
  { "x-codes": documentsCodes },
);
export type FetchBody = Static<typeof FetchBody>;

/** Checked after the name of the index. */
export const FetchIds = strictObject(
  { ids: optional(Type.Array(documentId)) },
  { "x-codes": { ids: documentsCodes.ids } },
);

export const DeleteByFilterBody = strictObject(
  { filter },
  { "x-codes": { filter: "invalid_document_filter" }, "x-missing": { filter: "bad_request" } },
);

export const editCodes = {
  function: "invalid_document_edition_function_filter",
  filter: "invalid_document_filter",
  context: "invalid_document_edition_context",
} satisfies Record<string, ErrorCode>;

const context = nullable(recordOf(Type.Unknown(), { description: "an object" }));

/** Checked after the function and the filter. */
export const EditContext = strictObject({ context }, { "x-codes": editCodes });

export const EditBody = strictObject(
  {
    function: text,
    filter: optional(filter),
    context: Type.Optional(late(context)),
  },
  { "x-codes": editCodes, "x-missing": { function: "missing_document_edition_function" } },
);

const writeOptions = { customMetadata: Type.Optional(text) };
const writeCodes = { customMetadata: "invalid_index_custom_metadata" } as const;

/** Options of every write of documents; over HTTP they are query parameters. */
export const WriteOptionsBody = strictObject(writeOptions, { "x-codes": writeCodes });

/** Options of an addition besides its documents; over HTTP they are query parameters. */
export const AdditionOptionsBody = strictObject(
  {
    ...writeOptions,
    primaryKey: Type.Optional(text),
    skipCreation: Type.Optional(flag),
    format: Type.Enum(["json", "ndjson", "csv"]),
    csvDelimiter: Type.Optional(
      Type.String({ pattern: "^[\\0-\\x7f]$", description: "one ASCII character" }),
    ),
  },
  {
    "x-codes": {
      ...writeCodes,
      primaryKey: "invalid_index_primary_key",
      skipCreation: "invalid_skip_creation",
      format: "bad_request",
      csvDelimiter: "invalid_document_csv_delimiter",
    },
  },
);

/** Ids of documents to delete; over HTTP any JSON value is accepted. */
export const IdsBody = Type.Array(Type.Union([text, Type.Integer()]));

/** What to show of one document; over HTTP these are query parameters. */
export const DocumentPartsBody = strictObject(
  { fields: optional(texts), retrieveVectors: Type.Optional(flag), useNetwork: optional(flag) },
  { "x-codes": documentsCodes },
);

/** Any JSON value may be an id; what is not a string counts as its JSON text. */
export const DeleteBatchBody = Type.Array(Type.Unknown());

/**
 * A listing as the engine gets it. Null means: all fields, all ids, no filter, no sort. An empty `ids`
 * matches nothing.
 */
export interface DocumentsQuery {
  offset: number;
  limit: number;
  fields: string[] | null;
  retrieveVectors: boolean;
  ids: string[] | null;
  filter: Static<typeof filter> | null;
  sort: string[] | null;
  /** The answer also has `sortValues`, by which another server merges this listing. */
  hasSortValues?: boolean;
  /** The answer becomes part of a listing of several servers. */
  isPart?: boolean;
}

/** What to show of a document. `fields` null: all. */
export type DocumentParts = Pick<DocumentsQuery, "fields" | "retrieveVectors">;

/**
 * Fills in the defaults of a validated body. `sort` is already a list here (in GET and POST it may be a
 * text).
 */
export function documentsQueryOf(body: FetchBody, sort: string[] | null): DocumentsQuery {
  const { fields } = body;
  return {
    offset: boundOf(body.offset ?? 0),
    limit: boundOf(body.limit ?? DOCUMENTS_LIMIT_DEFAULT),
    fields: fields?.includes("*") ? null : (fields ?? null),
    retrieveVectors: body.retrieveVectors ?? false,
    ids: body.ids?.map(String) ?? null,
    filter: body.filter ?? null,
    sort,
  };
}

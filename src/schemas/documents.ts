// The bodies of the document routes, and DocumentsQuery, what the engine gets to list documents.
import type { Static } from "typebox";
import * as Type from "typebox";
import type { ErrorCode } from "../errors.ts";
import {
  filter,
  flag,
  late,
  nullable,
  optional,
  pageBound,
  pageBoundOf,
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

/** Characters and length of a document id; integers are written in decimal. */
export const ID_PATTERN = "^[A-Za-z0-9_-]{1,511}$";
const documentId = Type.Union([Type.String({ pattern: ID_PATTERN }), Type.Integer()]);

export const FetchBody = strictObject(
  {
    offset: Type.Optional(pageBound),
    limit: Type.Optional(pageBound),
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

/** What is looked at when the index is known to have a name that can be. */
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

/** What is looked at when function and filter are known to be right. */
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

/** What any write of documents may say; over HTTP these are parameters. */
export const WriteOptionsBody = strictObject(writeOptions, { "x-codes": writeCodes });

/** What an addition may say besides its documents; over HTTP these are parameters. */
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

/** Ids whose documents shall go; over HTTP any JSON value is let through. */
export const IdsBody = Type.Array(Type.Union([text, Type.Integer()]));

/** What shall be shown of one document; over HTTP these are parameters. */
export const DocumentPartsBody = strictObject(
  { fields: optional(texts), retrieveVectors: Type.Optional(flag), useNetwork: optional(flag) },
  { "x-codes": documentsCodes },
);

/** Any JSON value may stand for an id; what is not a string is taken as its JSON text. */
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
  /** The answer has `sortValues`, too: what another server merges this listing by. */
  hasSortValues?: boolean;
  /** The answer goes into a listing of several servers. */
  isPart?: boolean;
}

/** What is shown of a document. `fields`: null means all. */
export type DocumentParts = Pick<DocumentsQuery, "fields" | "retrieveVectors">;

/**
 * Fills in the defaults of a validated body. `sort` is a list here already (GET and POST write it as text
 * too).
 */
export function documentsQueryOf(body: FetchBody, sort: string[] | null): DocumentsQuery {
  const { fields } = body;
  return {
    offset: pageBoundOf(body.offset ?? 0),
    limit: pageBoundOf(body.limit ?? DOCUMENTS_LIMIT_DEFAULT),
    fields: fields?.includes("*") ? null : (fields ?? null),
    retrieveVectors: body.retrieveVectors ?? false,
    ids: body.ids?.map(String) ?? null,
    filter: body.filter ?? null,
    sort,
  };
}

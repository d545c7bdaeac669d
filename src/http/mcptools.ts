// The tools that a language model finds at /mcp (mcp.ts), each with its arguments and the request that it
// makes. They only read. What the routes check is not checked here as well.
import type { Static, TObject, TSchema } from "typebox";
import * as Type from "typebox";
import { TarsierError } from "../errors.ts";
import { filterKind, flag, strictObject, text, texts } from "../schemas/fields.ts";
import { checkIndexUid } from "../schemas/indexuid.ts";
import { nameList } from "../schemas/phrases.ts";
import { checker } from "../schemas/validator.ts";

/** A request to the routes of this server. */
export interface ToolRequest {
  method: "GET" | "POST";
  path: string;
  body?: unknown;
}

interface Tool {
  name: string;
  /** Tells the model what the tool is good for. */
  description: string;
  /** Schema of its arguments. */
  input: TSchema;
  requestOf(args: unknown): ToolRequest;
}

/** @throws TarsierError for an unknown tool, or for arguments that do not fit it */
export function readTool(name: string, args: unknown): ToolRequest {
  const found = tools.find((tool) => tool.name === name);
  if (found) return found.requestOf(args);
  const message = `There is no tool \`${name}\`, there are ${nameList(tools.map((tool) => tool.name))}`;
  throw new TarsierError("bad_request", { message });
}

const described = <S extends TSchema>(schema: S, description: string): S => ({ ...schema, description });

const indexUid = described(text, "Name of the index, as list_indexes tells it");
const offset = Type.Optional(
  Type.Integer({ minimum: 0, description: "Results to leave out at the beginning" }),
);
const limit = Type.Optional(Type.Integer({ minimum: 0, description: "Most results to return (20)" }));
const condition = Type.Optional(
  described(
    filterKind,
    'Filter expression over filterable attributes, such as `genre = "drama" AND year > 1999`',
  ),
);

export const tools: readonly Tool[] = [
  tool(
    "list_indexes",
    "Lists the indexes of this server with their primary keys.",
    { offset, limit },
    ({ offset = 0, limit = 20 }) => ({ method: "GET", path: `/indexes?offset=${offset}&limit=${limit}` }),
  ),
  tool(
    "search",
    "Searches an index. Words may be misspelled or unfinished; the most relevant documents come first.",
    {
      indexUid,
      q: Type.Optional(described(text, "What to look for; without it, all documents")),
      filter: condition,
      sort: Type.Optional(described(texts, "Sortable attributes, such as `year:desc`")),
      facets: Type.Optional(described(texts, "Filterable attributes whose values are to be counted")),
      attributesToRetrieve: Type.Optional(described(texts, "Attributes to return; without it, all of them")),
      matchingStrategy: Type.Optional(Type.Enum(["last", "all", "frequency"])),
      hybrid: Type.Optional(
        strictObject({
          embedder: text,
          semanticRatio: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
        }),
      ),
      showRankingScore: Type.Optional(flag),
      offset,
      limit,
    },
    ({ indexUid, ...body }) => ({ method: "POST", path: `${pathOf(indexUid)}/search`, body }),
  ),
  tool(
    "get_documents",
    "Lists documents of an index as they are, not ranked: all, those of a filter, or those of some ids.",
    {
      indexUid,
      ids: Type.Optional(Type.Array(Type.Union([Type.String(), Type.Integer()]))),
      filter: condition,
      fields: Type.Optional(described(texts, "Attributes to return; without it, all of them")),
      offset,
      limit,
    },
    ({ indexUid, ...body }) => ({ method: "POST", path: `${pathOf(indexUid)}/documents/fetch`, body }),
  ),
  tool(
    "get_settings",
    "Tells the settings of an index: what can be searched, filtered and sorted, which synonyms it has.",
    { indexUid },
    ({ indexUid }) => ({ method: "GET", path: `${pathOf(indexUid)}/settings` }),
  ),
  tool(
    "get_stats",
    "Tells how many documents an index has, and how many of them have which field.",
    { indexUid },
    ({ indexUid }) => ({ method: "GET", path: `${pathOf(indexUid)}/stats` }),
  ),
];

function tool<P extends Record<string, TSchema>>(
  name: string,
  description: string,
  properties: P,
  requestOf: (args: Static<TObject<P>>) => ToolRequest,
): Tool {
  const input = strictObject(properties);
  const check = checker(input);
  return { name, description, input, requestOf: (args) => requestOf(check(args)) };
}

/** Checked here because `..` would lead to another route. */
const pathOf = (uid: string): string => `/indexes/${checkIndexUid(uid, "Argument `indexUid`")}`;

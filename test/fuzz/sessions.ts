// Makes sessions of requests for targets/requests.ts: an index that has documents and settings, then requests
// to any route.
import type { TSchema } from "typebox";
import type { Random } from "../crash/random.ts";
import { anyValue, changedText, grown, strangeText } from "./making.ts";
import { valueFor } from "./schemavalues.ts";
import { FILTERS, SORTS } from "./targets/grammars.ts";

export interface Request {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | null;
}

export interface Route {
  method: string;
  url: string;
  body: TSchema | null;
}

const REQUESTS_MOST = 25;
const NAMES = ["id", "a", "b", "n.m", "_geo", "title", "*", "e", "_vectors"];
const INDEXES = ["alpha", "beta", "gamma", "no such", ""];
const WORDS = [
  "almond",
  "birch cactus",
  '"almond birch"',
  "-almond",
  "alm",
  "",
  "dasy",
  "漢字",
  "a b c d e f g h i j k",
];
const LIQUID = ["{{doc.title}}", "{% for f in fields %}{{f.name}}{% endfor %}", "{{doc.ghost}}", "{{"];
const URLS = ["http://127.0.0.1:9/x", "http://[::1]:9", "https://169.254.169.254/", "ftp://x", "not a url"];
const TYPES = [
  "application/json",
  "application/x-ndjson",
  "text/csv",
  "application/json; charset=utf-8",
  "text/plain",
];
const PARAMETERS = [
  "q",
  "limit",
  "offset",
  "page",
  "hitsPerPage",
  "filter",
  "sort",
  "facets",
  "attributesToRetrieve",
  "vector",
  "attributesToCrop",
  "cropLength",
  "attributesToHighlight",
  "showMatchesPosition",
  "matchingStrategy",
  "locales",
  "hybridEmbedder",
  "hybridSemanticRatio",
  "rankingScoreThreshold",
  "distinct",
  "showRankingScoreDetails",
  "id",
  "fields",
  "ids",
  "retrieveVectors",
  "primaryKey",
  "csvDelimiter",
  "skipCreation",
  "customMetadata",
  "embedder",
  "uids",
  "batchUids",
  "statuses",
  "types",
  "indexUids",
  "canceledBy",
  "from",
  "reverse",
  "beforeEnqueuedAt",
  "afterFinishedAt",
  "useNetwork",
  "media",
  "personalize",
  "unknown",
];

export class SessionMaker {
  readonly #routes: readonly Route[];

  constructor(routes: readonly Route[], only: RegExp) {
    this.#routes = routes.filter(({ url }) => only.test(url));
  }

  session(random: Random): Request[] {
    const count = random.between(5, REQUESTS_MOST);
    return [...opening(random), ...Array.from({ length: count }, () => this.#request(random))];
  }

  #request(random: Random): Request {
    const { method, url, body } = random.of(this.#routes);
    const path = url.replace(/:(\w+)/g, (_, name: string) => pathPart(name, random));
    const query = ["GET", "HEAD"].includes(method) || random.chance(0.15) ? queryOf(random) : "";
    const text = method === "GET" || method === "HEAD" ? null : bodyOf(body, random);
    return {
      method: random.chance(0.02) ? random.of(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]) : method,
      url: random.chance(0.03) ? changedText(random, path + query).replace(/^\/?/, "/") : path + query,
      headers: headersOf(random, text !== null),
      body: text,
    };
  }
}

/** Documents and settings, so that searches find something. */
function opening(random: Random): Request[] {
  const documents = Array.from({ length: random.between(1, 12) }, (_, id) => documentOf(random, id));
  const attributes = ["a", "b", "n.m", "_geo", "title"];
  const settings = { filterableAttributes: attributes, sortableAttributes: attributes, embedders: EMBEDDERS };
  const headers = { "content-type": "application/json" };
  return [
    { method: "PATCH", url: "/indexes/alpha/settings", headers, body: JSON.stringify(settings) },
    { method: "POST", url: "/indexes/alpha/documents", headers, body: JSON.stringify(documents) },
    { method: "PATCH", url: "/experimental-features", headers, body: JSON.stringify(features(random)) },
  ];
}

const EMBEDDERS = { e: { source: "userProvided", dimensions: 2 } };
const FEATURES = [
  "metrics",
  "logsRoute",
  "editDocumentsByFunction",
  "containsFilter",
  "network",
  "multimodal",
];

const features = (random: Random): object =>
  Object.fromEntries(FEATURES.map((name) => [name, random.chance(0.8)]));

function documentOf(random: Random, id: number): object {
  const title = random.of(WORDS);
  const _vectors = random.chance(0.5) ? { _vectors: { e: [id, 1] } } : {};
  const _geo = random.chance(0.5) ? { _geo: { lat: id, lng: -id } } : {};
  return { id, title, a: anyValue(random, NAMES), b: id % 3, n: { m: [id] }, ..._geo, ..._vectors };
}

function pathPart(name: string, random: Random): string {
  if (random.chance(0.05)) return encodeURIComponent(wellFormed(strangeText(random, 20)));
  if (name === "indexUid") return random.chance(0.8) ? "alpha" : random.of(["beta", "gamma", "a b", "*"]);
  return random.of(["0", "1", "2", "7", "alpha", "00000000-0000-4000-8000-000000000001"]);
}

/** URLs have no halves of characters. */
const wellFormed = (text: string): string => Buffer.from(text).toString();

function queryOf(random: Random): string {
  const pairs = Array.from({ length: random.of([0, 1, 1, 2, 4]) }, () => {
    const name = random.of(PARAMETERS);
    const value = wellFormed(String(vocabulary(name, random) ?? ""));
    return `${name}=${random.chance(0.9) ? encodeURIComponent(value) : value.replace(/[#\s]/g, "+")}`;
  });
  return pairs.length > 0 ? `?${pairs.join("&")}` : "";
}

function bodyOf(schema: TSchema | null, random: Random): string | null {
  if (random.chance(0.02)) return null;
  if (random.chance(0.03)) return strangeText(random);
  const value = schema
    ? valueFor(schema, random, vocabulary)
    : random.chance(0.7)
      ? Array.from({ length: random.between(0, 3) }, () => documentOf(random, random.between(0, 12)))
      : anyValue(random, NAMES);
  const text = JSON.stringify(value) ?? "";
  return random.chance(0.07) ? changedText(random, text, ['"', "}", "[", ":", "\\ud800", "[[[["]) : text;
}

function headersOf(random: Random, hasBody: boolean): Record<string, string> {
  const headers: Record<string, string> = {};
  if (hasBody) headers["content-type"] = random.chance(0.93) ? "application/json" : random.of(TYPES);
  if (random.chance(0.02))
    headers["content-encoding"] = random.of(["gzip", "br", "deflate", "identity", "x"]);
  if (random.chance(0.05))
    headers.authorization = random.of(["Bearer x", "Basic x", "Bearer ", "Bearer a.b.c"]);
  if (random.chance(0.03)) headers["accept-encoding"] = random.of(["gzip", "br;q=1", "*", "x;q=y"]);
  if (random.chance(0.03)) headers["x-meilisearch-client"] = "a".repeat(random.of([1, 5000]));
  return headers;
}

/** What a field takes most of the time. */
function vocabulary(field: string, random: Random): unknown {
  if (random.chance(0.06)) return strangeText(random);
  const kind = /^(filter|sort|q|vector|url|uid|function|limit|locales|csvDelimiter)$/.exec(field)?.[0];
  if (kind === "filter") return grown(random, FILTERS);
  if (kind === "sort") return grown(random, SORTS);
  if (kind === "q") return random.of(WORDS);
  if (kind === "url") return random.of(URLS);
  if (kind === "vector") return "1,0.5";
  if (kind === "uid") return random.of([...INDEXES, "00000000-0000-4000-8000-000000000002"]);
  if (kind === "function")
    return random.of(["doc.a = 1", "doc = ()", "if doc.b > 1 { doc.c = #{} }", "while(1);", ")"]);
  if (kind === "limit") return random.of(["0", "1", "20", "99999999999"]);
  if (kind === "locales") return random.of(["eng", "jpn", "xx"]);
  if (kind === "csvDelimiter") return random.of([",", ";", "\t", "é"]);
  if (/[iI]ndex|Uids?$/.test(field)) return random.of(INDEXES);
  if (/emplate|request|response|value/.test(field)) return random.of(LIQUID);
  if (/mbedder/.test(field)) return random.of(["e", "e", "default", "x"]);
  if (/At$/.test(field)) return random.of(["2020-01-01T00:00:00Z", "2020-01-01", "2999-12-31", "x"]);
  if (/actions/.test(field)) return random.of(["*", "search", "documents.*", "x"]);
  if (field === "rankingRules") return random.of(["words", "typo", "sort", "a:asc", "exactness", "x"]);
  return random.of(NAMES);
}

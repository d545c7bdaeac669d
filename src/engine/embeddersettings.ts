// The `embedders` setting: which fields a source takes, the checks of one embedder, merging by name and
// field, and how an embedder is shown. Calling the providers is not done here.
import { type ErrorCode, TarsierError } from "../errors.ts";
import {
  EMBEDDER_FIELDS,
  type EmbedderPatch,
  type EmbedderSettings,
  type EmbedderSource,
  type EmbeddersPatch,
} from "../schemas/embedders.ts";
import { nameList } from "../schemas/phrases.ts";
import { maskSecret } from "./secrets.ts";

export const EMBEDDERS_MAX = 256;
export const FRAGMENTS_MAX = 256;
export const DOCUMENT_TEMPLATE_DEFAULT_BYTES_MAX = 400;

/** Template of an embedder without one: every searchable field of the document in a line of its own. */
export const DOCUMENT_TEMPLATE_DEFAULT =
  "{% for field in fields %}{% if field.is_searchable and field.value != nil %}" +
  "{{ field.name }}: {{ field.value }}\n{% endif %}{% endfor %}";

type Embedders = Record<string, EmbedderSettings>;
type Field = keyof EmbedderPatch;

interface SourceRules {
  mandatory: Field[];
  allowed: Field[];
  /** What is shown for fields that were not set. */
  shown: Partial<EmbedderSettings>;
}

const template: Field[] = ["documentTemplate", "documentTemplateMaxBytes"];
const templateShown = {
  documentTemplate: DOCUMENT_TEMPLATE_DEFAULT,
  documentTemplateMaxBytes: DOCUMENT_TEMPLATE_DEFAULT_BYTES_MAX,
};

/** Every source takes `source`, `distribution` and `binaryQuantized` too. */
const SOURCE_RULES: Record<EmbedderSource, SourceRules> = {
  openAi: {
    mandatory: [],
    allowed: ["model", "apiKey", "dimensions", "url", ...template],
    shown: { model: "text-embedding-3-small", ...templateShown },
  },
  huggingFace: {
    mandatory: [],
    allowed: ["model", "revision", "pooling", ...template],
    shown: { model: "BAAI/bge-base-en-v1.5", pooling: "useModel", ...templateShown },
  },
  ollama: {
    mandatory: ["model"],
    allowed: ["apiKey", "dimensions", "url", ...template],
    shown: templateShown,
  },
  userProvided: { mandatory: ["dimensions"], allowed: [], shown: {} },
  rest: {
    mandatory: ["url", "request", "response"],
    allowed: ["apiKey", "dimensions", "headers", "indexingFragments", "searchFragments", ...template],
    shown: { headers: {}, ...templateShown },
  },
  composite: { mandatory: ["searchEmbedder", "indexingEmbedder"], allowed: [], shown: {} },
};

const COMMON: Field[] = ["source", "distribution", "binaryQuantized"];

/** Checks a patch that names its source; the others are checked once merged. */
export function checkEmbedders(patch: EmbeddersPatch): void {
  for (const [name, embedder] of Object.entries(patch)) {
    if (embedder?.source) checkEmbedder(name, embedder, embedder.source);
  }
}

/** The embedders after a patch: by name, inside a name field by field; null removes. */
export function mergeEmbedders(patch: EmbeddersPatch, current: Embedders): Embedders {
  const merged = { ...current };
  for (const [name, embedder] of Object.entries(patch)) {
    if (embedder === null) delete merged[name];
    else merged[name] = mergeEmbedder(name, current[name], embedder);
  }
  if (Object.keys(merged).length > EMBEDDERS_MAX) {
    const found = `${Object.keys(merged).length}`;
    throw refusal("Field `.embedders`", `at most ${EMBEDDERS_MAX} embedders`, found);
  }
  return merged;
}

/** An embedder as GET shows it: defaults of its source filled in, its key masked. */
export function shownEmbedder(embedder: EmbedderSettings): Record<string, unknown> {
  const { shown } = SOURCE_RULES[embedder.source];
  const all: Record<string, unknown> = maskedKey({ ...shown, ...embedder });
  if (embedder.indexingFragments) for (const field of template) delete all[field];
  if (embedder.source === "huggingFace" && embedder.model === undefined) {
    all.revision ??= "617ca489d9e86b49b8167676d8220688b99db36e";
  }
  return inOrder(all);
}

/** An embedder of a patch as task details show it: what was sent, its key masked. */
export function shownEmbedderPatch(patch: EmbedderPatch): Record<string, unknown> {
  return inOrder(maskedKey(patch));
}

function mergeEmbedder(
  name: string,
  current: EmbedderSettings | undefined,
  patch: EmbedderPatch,
): EmbedderSettings {
  const source = patch.source ?? current?.source ?? "openAi";
  const kept = current?.source === source ? EMBEDDER_FIELDS : COMMON;
  const merged: Record<string, unknown> = {};
  for (const field of EMBEDDER_FIELDS) {
    const before = kept.includes(field) ? current?.[field] : undefined;
    const value = patch[field] === undefined ? before : patch[field];
    if (value === null || value === undefined) continue;
    merged[field] = isFragments(field) ? mergeFragments(value as Fragments, before as Fragments) : value;
  }
  if (current?.binaryQuantized && merged.binaryQuantized !== true) {
    throw refusal(
      place(name, "binaryQuantized"),
      "true: quantised vectors cannot be restored",
      "another value",
    );
  }
  const embedder = { ...merged, source } as EmbedderSettings;
  checkEmbedder(name, embedder, source);
  return embedder;
}

type Fragments = Record<string, { value: unknown } | null>;

function isFragments(field: Field): boolean {
  return field === "indexingFragments" || field === "searchFragments";
}

/** By name; null removes. */
function mergeFragments(patch: Fragments, current: Fragments = {}): Fragments {
  const all = Object.entries({ ...current, ...patch }).filter(([, fragment]) => fragment !== null);
  if (all.length > FRAGMENTS_MAX)
    throw refusal("Field `.embedders`", `at most ${FRAGMENTS_MAX} fragments`, `${all.length}`);
  return Object.fromEntries(all);
}

function checkEmbedder(name: string, embedder: EmbedderPatch, source: EmbedderSource): void {
  const { mandatory, allowed } = SOURCE_RULES[source];
  const accepted = [...COMMON, ...mandatory, ...allowed];
  for (const field of Object.keys(embedder) as Field[]) {
    if (embedder[field] === undefined || accepted.includes(field)) continue;
    throw refusal(
      place(name, field),
      `one of the fields of source \`${source}\`: ${nameList(accepted)}`,
      `\`${field}\``,
    );
  }
  for (const field of mandatory) {
    if (embedder[field] !== undefined && embedder[field] !== null) continue;
    throw refusal(place(name, field), `a value, which source \`${source}\` requires`, "none");
  }
  if (typeof embedder.url === "string" && !URL.canParse(embedder.url)) {
    throw refusal(place(name, "url"), "an absolute URL", `\`${embedder.url}\``);
  }
  if (source === "rest") checkPlaceholders(name, embedder);
}

/** The request must say where the text goes, the response where the vector comes from. */
function checkPlaceholders(name: string, { request, response }: EmbedderPatch): void {
  const asked = JSON.stringify(request);
  if (!asked.includes('"{{text}}"') && !asked.includes('"{{fragment}}"')) {
    const expected = 'a string "{{text}}" (or "{{fragment}}") at the place of the input';
    throw refusal(place(name, "request"), expected, asked, "vector_embedding_error");
  }
  const answered = JSON.stringify(response);
  if (!answered.includes('"{{embedding}}"')) {
    const expected = 'a string "{{embedding}}" at the place of the vector';
    throw refusal(place(name, "response"), expected, answered, "vector_embedding_error");
  }
}

function place(name: string, field: string): string {
  return `Field \`.embedders.${name}.${field}\``;
}

function refusal(
  where: string,
  expected: string,
  found: string,
  code: ErrorCode = "invalid_settings_embedders",
): TarsierError {
  return new TarsierError(code, { message: `${where}: expected ${expected}, but found ${found}` });
}

function maskedKey<T extends { apiKey?: string | null }>(embedder: T): T {
  return typeof embedder.apiKey === "string"
    ? { ...embedder, apiKey: maskSecret(embedder.apiKey) }
    : embedder;
}

function inOrder(embedder: Record<string, unknown>): Record<string, unknown> {
  const present = EMBEDDER_FIELDS.filter((field) => embedder[field] !== undefined);
  return Object.fromEntries(present.map((field) => [field, embedder[field]]));
}

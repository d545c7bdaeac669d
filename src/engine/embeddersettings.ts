// The `embedders` setting: merging a patch by name and field, and how an embedder is shown. Its validity is
// checked in embedderchecks.ts; providers are called elsewhere (src/embedders).
import { compareBytes } from "../core/bytes.ts";
import { withDefaults } from "../embedders/defaults.ts";
import {
  EMBEDDER_FIELDS,
  type EmbedderPatch,
  type EmbedderSettings,
  type EmbedderSource,
  type EmbeddersPatch,
  type SubEmbedderPatch,
} from "../schemas/embedders.ts";
import { checkEmbedder, checkHalfSource, HALVES } from "./embedderchecks.ts";
import {
  COMMON_FIELDS,
  checkFieldsTaken,
  type EmbedderField,
  type EmbedderPlace,
  fieldPlace,
  refusal,
  TEMPLATE_FIELDS,
} from "./embedderfields.ts";
import { maskSecret } from "./secrets.ts";

/** The number of an embedder takes one byte, and so does that of a fragment in it. */
const EMBEDDERS_MAX = 255;
const FRAGMENTS_MAX = 255;

type Embedders = Record<string, EmbedderSettings>;

/** The embedders after a patch: merged by name, and field by field within a name; null removes. */
export function mergeEmbedders(patch: EmbeddersPatch, current: Embedders): Embedders {
  const merged = new Map(Object.entries(current));
  for (const [name, embedder] of Object.entries(patch)) {
    if (embedder === null) merged.delete(name);
    else merged.set(name, mergeEmbedder(name, merged.get(name), embedder));
  }
  if (merged.size > EMBEDDERS_MAX) {
    throw refusal("Field `.embedders`", `at most ${EMBEDDERS_MAX} embedders`, `${merged.size}`);
  }
  return Object.fromEntries(merged);
}

/** An embedder as GET shows it: with the defaults of its source, its keys masked. */
export function shownEmbedder(embedder: EmbedderSettings): Record<string, unknown> {
  const all: Record<string, unknown> = maskedKey(withDefaults(embedder));
  if (embedder.indexingFragments) for (const field of TEMPLATE_FIELDS) delete all[field];
  for (const half of HALVES) {
    const inner = embedder[half] as EmbedderSettings | undefined;
    if (inner) all[half] = shownEmbedder(inner);
  }
  if (embedder.searchEmbedder) {
    for (const field of TEMPLATE_FIELDS) delete (all.searchEmbedder as Record<string, unknown>)[field];
  }
  return inOrder(all);
}

/**
 * An embedder of a patch as task details show it: as it was sent, but with masked keys, and fragments by
 * name.
 */
export function shownEmbedderPatch(patch: EmbedderPatch): Record<string, unknown> {
  const { searchEmbedder, indexingEmbedder } = patch;
  return inOrder({
    ...maskedKey(patch),
    ...(searchEmbedder && { searchEmbedder: inOrder(maskedKey(searchEmbedder)) }),
    ...(indexingEmbedder && { indexingEmbedder: inOrder(maskedKey(indexingEmbedder)) }),
  });
}

function mergeEmbedder(
  name: string,
  current: EmbedderSettings | undefined,
  patch: EmbedderPatch,
): EmbedderSettings {
  const place = { name, half: null };
  const embedder = mergeFields(place, current, patch);
  for (const half of HALVES) {
    const inner = patch[half];
    if (!inner || embedder.source !== "composite") continue;
    const before = current?.source === "composite" ? current[half] : undefined;
    if (before === undefined) checkHalfSource({ name, half }, inner);
    embedder[half] = mergeFields({ name, half }, before as EmbedderSettings | undefined, inner);
  }
  if (current?.binaryQuantized && embedder.binaryQuantized !== true) {
    throw refusal(
      fieldPlace(place, "binaryQuantized"),
      "true: quantised vectors cannot be restored",
      embedder.binaryQuantized === false ? "false" : "none",
    );
  }
  checkEmbedder(place, embedder);
  return embedder;
}

/** An absent field is kept, null resets it; another source starts from its own defaults. */
function mergeFields(
  place: EmbedderPlace,
  current: EmbedderSettings | undefined,
  patch: EmbedderPatch | SubEmbedderPatch,
): EmbedderSettings {
  const source = patch.source ?? (patch.source === null ? null : current?.source) ?? "openAi";
  checkFieldsTaken(place, patch, source);
  const kept = current?.source === source ? EMBEDDER_FIELDS : fieldsKept(source);
  const merged: Record<string, unknown> = {};
  for (const field of EMBEDDER_FIELDS) {
    const before = kept.includes(field) ? current?.[field] : undefined;
    const sent: unknown = patch[field as keyof SubEmbedderPatch];
    const value = sent === undefined ? before : sent;
    if (value === null || value === undefined) continue;
    merged[field] = isFragments(field) ? mergeFragments(value as Fragments, before as Fragments) : value;
    if (merged[field] === undefined) delete merged[field];
  }
  return { ...merged, source } as EmbedderSettings;
}

/**
 * Fields that outlive a change of the source: how a document is presented does not depend on who embeds it.
 */
function fieldsKept(source: EmbedderSource): readonly EmbedderField[] {
  const hasTemplate = source !== "userProvided" && source !== "composite";
  return hasTemplate ? [...COMMON_FIELDS, ...TEMPLATE_FIELDS] : COMMON_FIELDS;
}

type Fragments = NonNullable<EmbedderPatch["indexingFragments"]>;

function isFragments(field: EmbedderField): boolean {
  return field === "indexingFragments" || field === "searchFragments";
}

/** Merged by name; null removes. Undefined when none is left. */
function mergeFragments(patch: Fragments, current: Fragments = {}): Fragments | undefined {
  const all = Object.entries({ ...current, ...patch }).filter(([, fragment]) => fragment !== null);
  if (all.length > FRAGMENTS_MAX) {
    throw refusal("Field `.embedders`", `at most ${FRAGMENTS_MAX} fragments`, `${all.length}`);
  }
  return all.length === 0 ? undefined : Object.fromEntries(all.sort(([a], [b]) => compareBytes(a, b)));
}

function maskedKey<T extends { apiKey?: string | null }>(embedder: T): T {
  return typeof embedder.apiKey === "string"
    ? { ...embedder, apiKey: maskSecret(embedder.apiKey) }
    : embedder;
}

function inOrder(embedder: object): Record<string, unknown> {
  const fields = embedder as Record<string, unknown>;
  const present = EMBEDDER_FIELDS.filter((field) => fields[field] !== undefined);
  return Object.fromEntries(present.map((field) => [field, fields[field]]));
}

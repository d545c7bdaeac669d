// Which fields each source of embedders takes and requires. Called by embeddersettings.ts and
// embedderchecks.ts.
import { type ErrorCode, TarsierError } from "../errors.ts";
import {
  EMBEDDER_FIELDS,
  type EmbedderPatch,
  type EmbedderSource,
  SOURCES,
  type SubEmbedderPatch,
} from "../schemas/embedders.ts";
import { nameList } from "../schemas/phrases.ts";

export type EmbedderField = keyof EmbedderPatch;

/** Where an embedder stands: its name, and which half it is of a composite one. */
export interface EmbedderPlace {
  name: string;
  half: "searchEmbedder" | "indexingEmbedder" | null;
}

/** Fields that every source takes. */
export const COMMON_FIELDS: readonly EmbedderField[] = ["source", "distribution", "binaryQuantized"];
export const TEMPLATE_FIELDS = ["documentTemplate", "documentTemplateMaxBytes"] as const;

interface SourceRules {
  mandatory: EmbedderField[];
  allowed: EmbedderField[];
}

const SOURCE_RULES: Record<EmbedderSource, SourceRules> = {
  openAi: { mandatory: [], allowed: ["model", "apiKey", "dimensions", "url", ...TEMPLATE_FIELDS] },
  huggingFace: { mandatory: [], allowed: ["model", "revision", "pooling", ...TEMPLATE_FIELDS] },
  ollama: { mandatory: ["model"], allowed: ["apiKey", "dimensions", "url", ...TEMPLATE_FIELDS] },
  userProvided: { mandatory: ["dimensions"], allowed: [] },
  rest: {
    mandatory: ["url", "request", "response"],
    allowed: ["apiKey", "dimensions", "headers", "indexingFragments", "searchFragments", ...TEMPLATE_FIELDS],
  },
  composite: { mandatory: ["searchEmbedder", "indexingEmbedder"], allowed: [] },
};

/** Fields that only make sense on the other side of a composite embedder, or for the whole of it. */
const NOT_IN_HALF: Record<"searchEmbedder" | "indexingEmbedder", readonly EmbedderField[]> = {
  searchEmbedder: [...TEMPLATE_FIELDS, "indexingFragments", "distribution", "binaryQuantized"],
  indexingEmbedder: ["searchFragments", "distribution", "binaryQuantized"],
};

const HALF_SOURCES: readonly EmbedderSource[] = SOURCES.filter(
  (source) => source !== "userProvided" && source !== "composite",
);

/** A field that is present, even if only to be reset, must be one that the source takes. */
export function checkFieldsTaken(
  place: EmbedderPlace,
  patch: EmbedderPatch | SubEmbedderPatch,
  source: EmbedderSource,
): void {
  if (place.half !== null && !HALF_SOURCES.includes(source)) {
    throw refusal(fieldPlace(place, "source"), `one of ${nameList(HALF_SOURCES)}`, `\`${source}\``);
  }
  const accepted = acceptedFields(place, source);
  for (const field of EMBEDDER_FIELDS) {
    if (!(field in patch) || patch[field as keyof SubEmbedderPatch] === undefined) continue;
    if (!accepted.includes(field)) throw notTaken(place, field, source);
  }
}

export function checkFieldsPresent(
  place: EmbedderPlace,
  embedder: EmbedderPatch | SubEmbedderPatch,
  source: EmbedderSource,
): void {
  for (const field of SOURCE_RULES[source].mandatory) {
    const value = embedder[field as keyof SubEmbedderPatch];
    if (value !== undefined && value !== null) continue;
    throw refusal(fieldPlace(place, field), `a value, which source \`${source}\` requires`, "none");
  }
}

export function fieldPlace({ name, half }: EmbedderPlace, field: EmbedderField): string {
  return `Field \`.embedders.${name}.${half === null ? "" : `${half}.`}${field}\``;
}

export function refusal(
  where: string,
  expected: string,
  found: string,
  code: ErrorCode = "invalid_settings_embedders",
): TarsierError {
  return new TarsierError(code, { message: `${where}: expected ${expected}, but found ${found}` });
}

function acceptedFields({ half }: EmbedderPlace, source: EmbedderSource): EmbedderField[] {
  const { mandatory, allowed } = SOURCE_RULES[source];
  const accepted = [...COMMON_FIELDS, ...mandatory, ...allowed];
  return half === null ? accepted : accepted.filter((field) => !NOT_IN_HALF[half].includes(field));
}

function notTaken(place: EmbedderPlace, field: EmbedderField, source: EmbedderSource): TarsierError {
  const others = SOURCES.filter((other) => acceptedFields({ ...place, half: null }, other).includes(field));
  const accepted = acceptedFields(place, source);
  const hints = [
    `source \`${source}\` takes ${nameList(EMBEDDER_FIELDS.filter((one) => accepted.includes(one)))}`,
    `\`${field}\` is a field of ${nameList(others)}`,
  ];
  if (place.half !== null && acceptedFields({ ...place, half: null }, source).includes(field)) {
    hints.push(`outside of \`${place.half}\` it would be accepted`);
  }
  return refusal(
    fieldPlace(place, field),
    `a field of source \`${source}\``,
    `\`${field}\` (${hints.join("; ")})`,
  );
}

// Defaults of embedders: templates, models, addresses. Used by the sources, by the checks of settings, and
// where settings are shown.
import type { EmbedderSettings } from "../schemas/embedders.ts";
import type { Distribution } from "./embedder.ts";

/** Template of an embedder without one: every searchable field of the document on a line of its own. */
export const DOCUMENT_TEMPLATE_DEFAULT =
  "{% for field in fields %}{% if field.is_searchable and field.value != nil %}" +
  "{{ field.name }}: {{ field.value }}\n{% endif %}{% endfor %}";

/** Longest text that a template may produce, unless the settings say otherwise. */
export const DOCUMENT_TEMPLATE_DEFAULT_BYTES_MAX = 400;

export const OPENAI_URL = "https://api.openai.com/v1/embeddings";
export const OLLAMA_URL = "http://localhost:11434/api/embeddings";

interface OpenAiModel {
  dimensions: number;
  /** Whether fewer dimensions can be requested. */
  isShortenable: boolean;
  distribution: Distribution;
}

export const OPENAI_MODELS: Readonly<Record<string, OpenAiModel>> = {
  "text-embedding-ada-002": {
    dimensions: 1536,
    isShortenable: false,
    distribution: { mean: 0.9, sigma: 0.08 },
  },
  "text-embedding-3-small": {
    dimensions: 1536,
    isShortenable: true,
    distribution: { mean: 0.75, sigma: 0.1 },
  },
  "text-embedding-3-large": {
    dimensions: 3072,
    isShortenable: true,
    distribution: { mean: 0.7, sigma: 0.1 },
  },
};

export const OPENAI_MODEL_DEFAULT = "text-embedding-3-small";

/** The default model of huggingFace, pinned to a commit as long as the settings name no model. */
export const HUGGING_FACE_MODEL_DEFAULT = "BAAI/bge-base-en-v1.5";
const HUGGING_FACE_REVISION_DEFAULT = "617ca489d9e86b49b8167676d8220688b99db36e";
const POOLING_DEFAULT = "useModel";

/** The settings completed by those defaults of their source that affect vectors. */
export function withDefaults(settings: EmbedderSettings): EmbedderSettings {
  const template = {
    documentTemplate: DOCUMENT_TEMPLATE_DEFAULT,
    documentTemplateMaxBytes: DOCUMENT_TEMPLATE_DEFAULT_BYTES_MAX,
  };
  switch (settings.source) {
    case "openAi":
      return { model: OPENAI_MODEL_DEFAULT, ...template, ...settings };
    case "huggingFace": {
      const pinned = settings.model === undefined ? { revision: HUGGING_FACE_REVISION_DEFAULT } : {};
      const model = { model: HUGGING_FACE_MODEL_DEFAULT, pooling: POOLING_DEFAULT } as const;
      return { ...model, ...pinned, ...template, ...settings };
    }
    case "ollama":
      return { ...template, ...settings };
    case "rest":
      return { headers: {}, ...(hasFragments(settings) ? {} : template), ...settings };
    default:
      return settings;
  }
}

/** A half of a composite embedder has only the fragments of its own side. */
export function hasFragments({ indexingFragments, searchFragments }: EmbedderSettings): boolean {
  return Object.keys({ ...indexingFragments, ...searchFragments }).length > 0;
}

/**
 * How similarities of an embedder are distributed: as set, else as known of its model, else of an embedder
 * inside.
 */
export function distributionOf(settings: EmbedderSettings): Distribution | null {
  if (settings.distribution) return settings.distribution;
  const { source, searchEmbedder, indexingEmbedder } = settings;
  if (source === "openAi") return OPENAI_MODELS[settings.model ?? OPENAI_MODEL_DEFAULT]?.distribution ?? null;
  if (source !== "composite") return null;
  const inside = [searchEmbedder, indexingEmbedder] as EmbedderSettings[];
  return inside.map(distributionOf).find((found) => found !== null) ?? null;
}

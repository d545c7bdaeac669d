// What embedders do where their settings are silent: templates, models, addresses. Read by the sources, by
// the checks of settings and by what is shown of them.
import type { EmbedderSettings } from "../schemas/embedders.ts";
import type { Distribution } from "./embedder.ts";

/** Template of an embedder without one: every searchable field of the document in a line of its own. */
export const DOCUMENT_TEMPLATE_DEFAULT =
  "{% for field in fields %}{% if field.is_searchable and field.value != nil %}" +
  "{{ field.name }}: {{ field.value }}\n{% endif %}{% endfor %}";

/** Longest text that a template gives, unless the settings say otherwise. */
export const DOCUMENT_TEMPLATE_DEFAULT_BYTES_MAX = 400;

export const OPENAI_URL = "https://api.openai.com/v1/embeddings";
export const OLLAMA_URL = "http://localhost:11434/api/embeddings";

interface OpenAiModel {
  dimensions: number;
  /** Whether vectors may be asked for with fewer dimensions. */
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

/** The model of huggingFace, pinned to a commit as long as nobody names a model. */
export const HUGGING_FACE_MODEL_DEFAULT = "BAAI/bge-base-en-v1.5";
const HUGGING_FACE_REVISION_DEFAULT = "617ca489d9e86b49b8167676d8220688b99db36e";
const POOLING_DEFAULT = "useModel";

/** The settings with the defaults of their source that matter to vectors. */
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

/** Each half of a composite embedder has those of its own side only. */
export function hasFragments({ indexingFragments, searchFragments }: EmbedderSettings): boolean {
  return Object.keys({ ...indexingFragments, ...searchFragments }).length > 0;
}

/** The similarity scores of an embedder: as set, else of the model, else of the embedders inside. */
export function distributionOf(settings: EmbedderSettings): Distribution | null {
  if (settings.distribution) return settings.distribution;
  const { source, searchEmbedder, indexingEmbedder } = settings;
  if (source === "openAi") return OPENAI_MODELS[settings.model ?? OPENAI_MODEL_DEFAULT]?.distribution ?? null;
  if (source !== "composite") return null;
  const inside = [searchEmbedder, indexingEmbedder] as EmbedderSettings[];
  return inside.map(distributionOf).find((found) => found !== null) ?? null;
}

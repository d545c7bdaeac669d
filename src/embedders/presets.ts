// How to talk to openAi, ollama and servers that users describe themselves: all take JSON over POST, so one
// description is enough. Called by embedders.ts; rest.ts makes the calls.
import { withoutSecrets } from "../outbound/urls.ts";
import type { EmbedderSettings } from "../schemas/embedders.ts";
import { hasFragments, OLLAMA_URL, OPENAI_MODELS, OPENAI_URL, withDefaults } from "./defaults.ts";
import type { ProviderDefaults } from "./embedder.ts";
import { userFault } from "./faults.ts";
import { type JsonTemplate, JsonTemplateMistake, parseJsonTemplate } from "./jsontemplate.ts";

export interface RestDescription {
  url: string;
  headers: Record<string, string>;
  request: JsonTemplate;
  response: JsonTemplate;
  /** Whether inputs are JSON values instead of texts. */
  takesFragments: boolean;
  /** Length of the vectors, if known. */
  dimensions: number | null;
  /**
   * Longer texts are shortened when the provider refuses them; a token has at least one byte. Null: no bound.
   */
  tokensMax: number | null;
  /** Status of an answer -> advice. */
  hints: Readonly<Record<number, string>>;
}

/** Throws vector_embedding_error if the two templates do not fit each other. */
export function describeRest(
  embedder: string,
  settings: EmbedderSettings,
  defaults: ProviderDefaults,
): RestDescription {
  if (settings.source === "openAi") return openAi(embedder, withDefaults(settings), defaults);
  if (settings.source === "ollama") return ollama(embedder, settings, defaults);
  const { url = "", apiKey, dimensions = null } = settings;
  const takesFragments = hasFragments(settings);
  const hints = {
    400: "Does the `request` of the settings have the form that the provider expects?",
    401: "Is the `apiKey`, or the header that stands for it, right?",
  };
  return {
    url,
    dimensions,
    hints,
    tokensMax: null,
    headers: headersOf(apiKey, settings.headers),
    ...restTemplates(embedder, settings.request, settings.response, takesFragments),
    takesFragments,
  };
}

/** Paths of the two ways in which Ollama embeds. */
export const OLLAMA_PATHS = ["/api/embed", "/api/embeddings"];

const OPENAI_TOKENS_MAX = 8191;

function openAi(embedder: string, settings: EmbedderSettings, defaults: ProviderDefaults): RestDescription {
  const { model = "", dimensions, url = OPENAI_URL } = settings;
  const known = OPENAI_MODELS[model];
  const shortened = dimensions !== undefined && known?.isShortenable ? { dimensions } : {};
  const request = { model, input: ["{{text}}", "{{..}}"], ...shortened };
  return {
    url,
    headers: headersOf(settings.apiKey ?? defaults.openAiKey ?? undefined),
    ...restTemplates(embedder, request, { data: [{ embedding: "{{embedding}}" }, "{{..}}"] }, false),
    takesFragments: false,
    dimensions: dimensions ?? known?.dimensions ?? null,
    tokensMax: OPENAI_TOKENS_MAX,
    hints: { 401: "Set `apiKey`, or the environment variable MEILI_OPENAI_API_KEY or OPENAI_API_KEY" },
  };
}

function ollama(embedder: string, settings: EmbedderSettings, defaults: ProviderDefaults): RestDescription {
  const { model = "", apiKey, dimensions = null } = settings;
  const url = settings.url ?? defaults.ollamaUrl ?? OLLAMA_URL;
  const takesMany = url.endsWith(OLLAMA_PATHS[0]);
  if (!takesMany && !url.endsWith(OLLAMA_PATHS[1])) {
    throw userFault(
      embedder,
      `the url of an ollama embedder ends in ${OLLAMA_PATHS.join(" or ")}, not so \`${withoutSecrets(url)}\``,
    );
  }
  const request = takesMany ? { model, input: ["{{text}}", "{{..}}"] } : { model, prompt: "{{text}}" };
  const response = takesMany ? { embeddings: ["{{embedding}}", "{{..}}"] } : { embedding: "{{embedding}}" };
  return {
    url,
    headers: headersOf(apiKey),
    ...restTemplates(embedder, request, response, false),
    takesFragments: false,
    dimensions,
    tokensMax: null,
    hints: { 404: `Has the model \`${model}\` been pulled?` },
  };
}

/** A custom header replaces one that would be sent otherwise. */
function headersOf(apiKey: string | undefined, custom: Record<string, string> = {}): Record<string, string> {
  const lower = Object.entries(custom).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    "content-type": "application/json",
    ...(apiKey && { authorization: `Bearer ${apiKey}` }),
    ...Object.fromEntries(lower),
  };
}

/** Both templates, and whether they fit each other. Throws vector_embedding_error. */
export function restTemplates(
  embedder: string,
  request: unknown,
  response: unknown,
  takesFragments: boolean,
): Pick<RestDescription, "request" | "response"> {
  const parsed = {
    request: parseRequest(embedder, request, takesFragments),
    response: parseResponse(embedder, response),
  };
  checkFit(embedder, parsed.request, parsed.response);
  return parsed;
}

/** A template that takes many inputs needs one that gives many vectors, and vice versa. */
export function checkFit(embedder: string, request: JsonTemplate, response: JsonTemplate): void {
  const [asks, answers] = [request.repeated !== null, response.repeated !== null];
  if (asks === answers) return;
  const [many, one] = asks ? ["request", "response"] : ["response", "request"];
  throw userFault(
    embedder,
    `\`${many}\` holds several inputs or vectors ("{{..}}"), but \`${one}\` a single one`,
  );
}

/** `takesFragments` null: either placeholder. Throws vector_embedding_error. */
export function parseRequest(
  embedder: string,
  request: unknown,
  takesFragments: boolean | null,
): JsonTemplate {
  if (takesFragments === null) {
    try {
      return parseRequest(embedder, request, true);
    } catch {
      return parseRequest(embedder, request, false);
    }
  }
  const placeholder = takesFragments ? "{{fragment}}" : "{{text}}";
  const why = takesFragments ? "with" : "without";
  const note = `. An embedder ${why} fragments takes \`${placeholder}\` for its input`;
  return attempt(embedder, note, () => parseJsonTemplate("request", request, placeholder));
}

export function parseResponse(embedder: string, response: unknown): JsonTemplate {
  return attempt(embedder, "", () => parseJsonTemplate("response", response, "{{embedding}}"));
}

function attempt<T>(embedder: string, note: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof JsonTemplateMistake)) throw error;
    throw userFault(embedder, error.message + note);
  }
}

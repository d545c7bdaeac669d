// Embedders as the engine sees them: they turn documents (in the write thread) and queries (on the search
// side) into vectors. `new Embedders(options).open(name, settings)` in embedders.ts makes one from its
// settings; the same settings give the same embedder, with its cache. change.ts tells which documents a
// change of settings sends to it again.
//
//   document -> promptsOf() -> prompts, and those that the stored document does not have -> embedDocuments()
//   query    -> embedQuery()
import type { TarsierError } from "../errors.ts";
import type { Options } from "../options.ts";
import type { OutboundClient } from "../outbound/client.ts";
import type { EmbedderSettings } from "../schemas/embedders.ts";

export interface Embedder {
  readonly name: string;
  readonly settings: EmbedderSettings;
  /**
   * What a document is turned into: nothing (the user brings vectors), one text (by a template), or one input
   * per indexing fragment.
   */
  readonly inputs: "none" | "text" | "fragments";
  /**
   * How similarities are distributed, from the settings or known of the model; scores are stretched by it.
   * Null: they are not.
   */
  readonly distribution: Distribution | null;
  /**
   * Length of every vector. May once ask the provider to embed a word. Rejects with vector_embedding_error.
   */
  dimensions(options?: EmbedOptions): Promise<number>;
  /**
   * Whether the embedder can work at all; called once, in the task that sets it. Finds out the dimensions,
   * and that both halves of a composite embedder embed alike. Rejects with vector_embedding_error.
   */
  check(options?: EmbedOptions): Promise<void>;
  /**
   * What is to be embedded of a document, not yet in the form of a provider. A template gives one prompt;
   * fragments give one each, by name, except those that do not render. `inputs: "none"` gives the text of the
   * default template, which is not embedded, but tells whether the user's vectors may be out of date. A
   * document that its template cannot render throws invalid_document_fields (or gives no prompt, if the
   * failure modes say so). Two versions of a document need different vectors exactly if their prompts differ.
   * Synchronous; calls no provider.
   */
  promptsOf(document: PromptDocument): Prompt[];
  /**
   * One vector per text, in their order. All texts are embedded, or the promise is rejected with
   * vector_embedding_error. A vector is null only where the failure modes ignore failing providers.
   */
  embedDocuments(texts: readonly string[], options?: EmbedOptions): Promise<(Float32Array | null)[]>;
  /**
   * For `inputs: "none"`: whether the failure modes let in a document that brings no vectors. If they do, the
   * failure that the document would have caused is logged.
   */
  excuses?(failure: TarsierError): boolean;
  /**
   * The vector of a query. With search fragments, exactly one must render with `q` and `media`; without them,
   * `media` is refused. Every failure is a vector_embedding_error.
   */
  embedQuery(query: EmbedderQuery, options?: QueryOptions): Promise<Float32Array>;
}

/** Opens the embedders of a thread; implemented by `Embedders`, whose constructor takes EmbedderOptions. */
export interface EmbedderProvider {
  /**
   * The embedder of these settings; the same name and settings give the same one. Loads what its source needs
   * and checks its templates, but calls no provider: rejects with vector_embedding_error or
   * invalid_settings_embedders. `dimensions`: the length of vectors that are already stored; given that, no
   * provider is asked for it.
   */
  open(name: string, settings: EmbedderSettings, dimensions?: number): Promise<Embedder>;
}

export interface Distribution {
  mean: number;
  sigma: number;
}

export interface PromptDocument {
  /** The id as messages show it. */
  id: string;
  /** The parsed document; templates do not see `_vectors`, `_geo` and `_geojson`. */
  fields: Readonly<Record<string, unknown>>;
  /** Whether a top-level field is a searchable attribute by its own name. */
  isSearchable: (field: string) => boolean;
}

export interface Prompt {
  /** Name of the indexing fragment; null for the text of a template. */
  readonly fragment: string | null;
  /** What is embedded: the text, or the rendered fragment as JSON. Equal texts get equal vectors. */
  readonly text: string;
}

export interface EmbedOptions {
  signal?: AbortSignal;
  /** Called after each answered request with the number of texts that have their vector. */
  progress?: (embedded: number, total: number) => void;
  /** Counts every attempt of a call, for the statistics of a batch. */
  calls?: CallStatistics;
  /** Names what a text belongs to, for messages: "document `7`". */
  describe?: (position: number) => string;
}

/**
 * `embedderRequests` in the statistics of a batch: the caller starts with zeros, every attempt adds to it.
 */
export interface CallStatistics {
  total: number;
  failed: number;
  lastError: string | null;
}

export interface EmbedderQuery {
  /** As sent, untrimmed. */
  q?: string | null;
  media?: unknown;
}

export interface QueryOptions {
  signal?: AbortSignal;
  /** Time left until the search must answer; the call and its repetitions end by then. */
  timeoutMs?: number;
}

/** Options that all embedders of a process share. */
export interface EmbedderOptions {
  client: Pick<OutboundClient, "request">;
  /** How many query vectors each embedder keeps; 0: none. */
  cacheEntries: number;
  /** Longest wait for one answer while documents are embedded. */
  requestTimeoutMs: number;
  /** Longest pause before one repetition. */
  retryWaitMs: number;
  /** Takes lines about failures that were ignored. */
  log: (line: string) => void;
  failureModes: readonly FailureMode[];
  /** Keys and addresses that the installation sets for every index. */
  defaults: ProviderDefaults;
}

type FailureMode = Options["experimentalConfigEmbedderFailureModes"][number];

export interface ProviderDefaults {
  openAiKey: string | null;
  ollamaUrl: string | null;
}

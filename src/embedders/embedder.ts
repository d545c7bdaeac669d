// What turns documents and queries into vectors, as the engine sees it: the write thread embeds documents
// with it, the search side queries. `new Embedders(options).open(name, settings)` in embedders.ts makes one
// from its settings; the same settings give the same embedder, with its cache. Which documents a change of
// the settings sends to it again is told by change.ts.
//
//   document -> promptsOf() -> prompts, and those that the stored document does not have -> embedDocuments()
//   query    -> embedQuery()
import type { Options } from "../options.ts";
import type { OutboundClient } from "../outbound/client.ts";
import type { EmbedderSettings } from "../schemas/embedders.ts";

export interface Embedder {
  readonly name: string;
  readonly settings: EmbedderSettings;
  /**
   * What a document is turned into: nothing (its vectors come from the user), one text (a template), or one
   * input for each indexing fragment.
   */
  readonly inputs: "none" | "text" | "fragments";
  /** Where similarities lie, from the settings or of the model: how scores are stretched. Null: they stay. */
  readonly distribution: Distribution | null;
  /**
   * Length of every vector. May ask the provider to embed a word, once. Rejects with vector_embedding_error.
   */
  dimensions(options?: EmbedOptions): Promise<number>;
  /**
   * Whether the embedder can work at all: for the task that sets it, once. Finds out the dimensions, and that
   * the two halves of a composite embedder make the same vectors. Rejects with vector_embedding_error.
   */
  check(options?: EmbedOptions): Promise<void>;
  /**
   * What there is to embed of a document, in no provider's form yet. A template gives one prompt, fragments
   * give one each, in the order of their names, without those that do not render; `inputs: "none"` gives
   * what the user's vectors stand for, by the default template, which nobody embeds. A document whose
   * template does not render throws invalid_document_fields (or gives none, where the failure modes say so).
   * Two documents need different vectors exactly where their prompts differ. Synchronous, and calls nobody.
   */
  promptsOf(document: PromptDocument): Prompt[];
  /**
   * One vector for each text, in their order; all are embedded, or the promise is rejected with
   * vector_embedding_error. Null instead of a vector only where the failure modes ignore failing providers.
   */
  embedDocuments(texts: readonly string[], options?: EmbedOptions): Promise<(Float32Array | null)[]>;
  /**
   * Vector of a query. With search fragments exactly one of them must render with `q` and `media`; without
   * them `media` is refused. Everything that goes wrong is a vector_embedding_error.
   */
  embedQuery(query: EmbedderQuery, options?: QueryOptions): Promise<Float32Array>;
}

/** Opens the embedders of a thread; implemented by `Embedders`, whose constructor takes EmbedderOptions. */
export interface EmbedderProvider {
  /**
   * The embedder of these settings; the same one for the same name and settings. Loads what its source needs
   * and checks its templates, but calls nobody: rejects with vector_embedding_error or
   * invalid_settings_embedders. `dimensions`: length of the vectors that are stored already; with it no
   * provider is asked for it again.
   */
  open(name: string, settings: EmbedderSettings, dimensions?: number): Promise<Embedder>;
}

export interface Distribution {
  mean: number;
  sigma: number;
}

export interface PromptDocument {
  /** As messages name it. */
  id: string;
  /** The parsed document; `_vectors`, `_geo` and `_geojson` are not shown to templates. */
  fields: Readonly<Record<string, unknown>>;
  /** Whether a field of the top level is a searchable attribute by its own name. */
  isSearchable: (field: string) => boolean;
}

export interface Prompt {
  /** Name of the indexing fragment; null for the text of a template. */
  readonly fragment: string | null;
  /** What is embedded: the text, or the rendered fragment as JSON. Equal texts have equal vectors. */
  readonly text: string;
}

export interface EmbedOptions {
  signal?: AbortSignal;
  /** Called after each answered request with the number of texts that have their vector. */
  progress?: (embedded: number, total: number) => void;
  /** Counts every attempt of a call, for the statistics of a batch. */
  calls?: CallStatistics;
  /** What a text belongs to, for messages: "document `7`". */
  describe?: (position: number) => string;
}

/** `embedderRequests` of a batch's statistics: the caller starts with zeros, each attempt adds to it. */
export interface CallStatistics {
  total: number;
  failed: number;
  lastError: string | null;
}

export interface EmbedderQuery {
  /** As sent, not trimmed. */
  q?: string | null;
  media?: unknown;
}

export interface QueryOptions {
  signal?: AbortSignal;
  /** What is left until the search must answer; the call and its repetitions end by then. */
  timeoutMs?: number;
}

/** What all embedders of a process share. */
export interface EmbedderOptions {
  client: Pick<OutboundClient, "request">;
  /** Embeddings of queries kept for each embedder; 0 keeps none. */
  cacheEntries: number;
  /** Longest wait for one answer while documents are embedded. */
  requestTimeoutMs: number;
  /** Longest wait before one repetition. */
  retryWaitMs: number;
  /** What was ignored, in a line. */
  log: (line: string) => void;
  failureModes: readonly FailureMode[];
  /** Keys and addresses that an installation sets for every index. */
  defaults: ProviderDefaults;
}

type FailureMode = Options["experimentalConfigEmbedderFailureModes"][number];

export interface ProviderDefaults {
  openAiKey: string | null;
  ollamaUrl: string | null;
}

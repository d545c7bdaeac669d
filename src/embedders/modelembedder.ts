// An embedder that asks a model: its templates make prompts of documents and queries, its source turns them
// into vectors. Made by embedders.ts for every source but userProvided and composite.
import { TarsierError } from "../errors.ts";
import type { EmbedderSettings } from "../schemas/embedders.ts";
import { embedInBatches } from "./batches.ts";
import type { QueryCache } from "./cache.ts";
import { distributionOf } from "./defaults.ts";
import type {
  Distribution,
  Embedder,
  EmbedderOptions,
  EmbedderQuery,
  EmbedOptions,
  Prompt,
  PromptDocument,
  QueryOptions,
} from "./embedder.ts";
import { userFault } from "./faults.ts";
import type { FragmentPrompts, QueryFragments, TextPrompts } from "./prompts.ts";
import type { VectorSource } from "./source.ts";

interface ModelParts {
  name: string;
  settings: EmbedderSettings;
  source: VectorSource;
  prompts: TextPrompts | FragmentPrompts;
  queries: QueryFragments | null;
  cache: QueryCache;
  /** Length of the vectors, if known. */
  dimensions: number | null;
  shared: EmbedderOptions;
}

export class ModelEmbedder implements Embedder {
  readonly name: string;
  readonly settings: EmbedderSettings;
  readonly inputs: "text" | "fragments";
  readonly distribution: Distribution | null;
  readonly #parts: ModelParts;
  #dimensions: number | null;
  #probe: Promise<number> | null = null;
  /** Queries that are being embedded now. */
  readonly #asked = new Map<string, { vector: Promise<Float32Array>; deadline: number }>();

  constructor(parts: ModelParts) {
    this.name = parts.name;
    this.settings = parts.settings;
    this.inputs = parts.queries === null ? "text" : "fragments";
    this.distribution = distributionOf(parts.settings);
    this.#parts = parts;
    this.#dimensions = parts.source.knownDimensions ?? parts.dimensions;
  }

  async dimensions(options: EmbedOptions = {}): Promise<number> {
    if (this.#dimensions !== null) return this.#dimensions;
    if (this.inputs === "fragments") {
      const reason = "its settings need `dimensions`, which cannot be found out with fragments";
      throw userFault(this.name, reason);
    }
    // A failed probe is repeated for the next caller.
    this.#probe ??= this.#askForDimensions(options).finally(() => {
      this.#probe = null;
    });
    this.#dimensions = await this.#probe;
    return this.#dimensions;
  }

  /** Asks the provider, unless the settings tell the length: what it said before may no longer hold. */
  async check(options: EmbedOptions = {}): Promise<void> {
    if (this.#parts.source.knownDimensions === null && this.inputs === "text") this.#dimensions = null;
    await this.dimensions(options);
  }

  promptsOf(document: PromptDocument): Prompt[] {
    const { prompts, shared } = this.#parts;
    try {
      return prompts.of(document);
    } catch (error) {
      const isIgnored = shared.failureModes.includes("ignore_document_template_failures");
      if (!isIgnored || !(error instanceof TarsierError)) throw error;
      shared.log(error.message);
      return [];
    }
  }

  async embedDocuments(
    texts: readonly string[],
    options: EmbedOptions = {},
  ): Promise<(Float32Array | null)[]> {
    const { source, shared } = this.#parts;
    return embedInBatches(
      { source, shared, complaint: this.#complaint, dimensions: this.#dimensions },
      texts,
      options,
    );
  }

  async embedQuery(query: EmbedderQuery, options: QueryOptions = {}): Promise<Float32Array> {
    const { queries, cache } = this.#parts;
    if (queries !== null) return this.#embedTogether(queries.of(query), options);
    if (query.media !== undefined && query.media !== null) {
      throw userFault(this.name, "`media` needs an embedder of source `rest` with fragments");
    }
    const text = query.q ?? "";
    const known = cache.get(text);
    if (known !== undefined) return known;
    const vector = await this.#embedTogether(text, options);
    cache.set(text, vector);
    return vector;
  }

  /** The same query, asked again meanwhile, shares the call if that has at least half of the time left. */
  #embedTogether(text: string, { signal, timeoutMs }: QueryOptions): Promise<Float32Array> {
    const now = performance.now();
    const timeLeft = timeoutMs ?? Number.POSITIVE_INFINITY;
    const known = this.#asked.get(text);
    if (known && !signal && known.deadline >= now + timeLeft / 2) return known.vector;
    const deadline = now + timeLeft;
    const vector = this.#embedOne(text, deadline, signal);
    // A call that its own caller may abort is not shared.
    if (signal) return vector;
    this.#asked.set(text, { vector, deadline });
    const forget = () => {
      if (this.#asked.get(text)?.vector === vector) this.#asked.delete(text);
    };
    vector.then(forget, forget);
    return vector;
  }

  async #embedOne(text: string, deadline: number, signal?: AbortSignal): Promise<Float32Array> {
    const options = { signal, complaint: this.#complaint, dimensions: this.#dimensions, deadline };
    const [vector] = await this.#parts.source.embed([text], options);
    return vector;
  }

  async #askForDimensions({ signal, calls }: EmbedOptions): Promise<number> {
    const [vector] = await this.#parts.source.embed([PROBE], { signal, calls, deadline: null });
    return vector.length;
  }

  /** The first vector decides the length of all others, unless it is known. */
  readonly #complaint = (vectors: readonly Float32Array[]): string | null => {
    this.#dimensions ??= vectors[0].length;
    const wrong = vectors.find(({ length }) => length !== this.#dimensions);
    if (wrong === undefined) return null;
    return `expected vectors of ${this.#dimensions} dimensions, but the provider answered ${wrong.length}`;
  };
}

const PROBE = "test";

// Vectors of a model that runs in this process, through the package @huggingface/transformers. It is large
// and only needed for this source, so users install it beside Tarsier themselves. Loaded by embedders.ts when
// such an embedder is opened; the package and the model follow with the first text.
import { messageOf } from "../errors.ts";
import type { OutboundClient } from "../outbound/client.ts";
import type { EmbedderSettings } from "../schemas/embedders.ts";
import { HUGGING_FACE_MODEL_DEFAULT, withDefaults } from "./defaults.ts";
import { embeddingError, userFault } from "./faults.ts";
import { type Pooling, poolingOf } from "./pooling.ts";
import type { SourceOptions, VectorSource } from "./source.ts";
import { type FeatureExtraction, importPackage, PACKAGE, type Transformers } from "./transformers.ts";

interface Model {
  extract: FeatureExtraction;
  pool: Pooling;
}

export class HuggingFaceSource implements VectorSource {
  readonly batchLength = 1;
  readonly knownDimensions = null;
  readonly #embedder: string;
  readonly #settings: EmbedderSettings;
  readonly #client: Pick<OutboundClient, "request">;
  readonly #load: () => Promise<Transformers>;
  #model: Promise<Model> | null = null;

  /** `client`: reads a small file of the model; the package itself reads the others. */
  constructor(
    embedder: string,
    settings: EmbedderSettings,
    client: Pick<OutboundClient, "request">,
    load: () => Promise<Transformers> = importPackage,
  ) {
    this.#embedder = embedder;
    this.#client = client;
    this.#settings = withDefaults(settings);
    this.#load = load;
  }

  async embed(texts: readonly string[], { signal, complaint }: SourceOptions): Promise<Float32Array[]> {
    this.#model ??= this.#open().catch((error) => {
      this.#model = null;
      throw error;
    });
    const { extract, pool } = await this.#model;
    const vectors: Float32Array[] = [];
    for (const text of texts) {
      signal?.throwIfAborted();
      const { dims, data } = await extract([text], { pooling: "none" }).catch((error) => {
        throw embeddingError(this.#embedder, "runtime", `the model failed: ${messageOf(error)}`);
      });
      vectors.push(pool(Float32Array.from(data), dims[dims.length - 1]));
    }
    const problem = complaint?.(vectors) ?? null;
    if (problem !== null) throw embeddingError(this.#embedder, "runtime", problem);
    return vectors;
  }

  async #open(): Promise<Model> {
    const { model = HUGGING_FACE_MODEL_DEFAULT, revision } = this.#settings;
    const { pipeline } = await this.#load().catch((error) => {
      const reason = `source \`huggingFace\` needs the package \`${PACKAGE}\` (npm install ${PACKAGE})`;
      throw userFault(this.#embedder, `${reason}: ${messageOf(error)}`);
    });
    try {
      const extract = await pipeline("feature-extraction", model, { revision, dtype: "fp32" });
      return { extract, pool: await poolingOf(this.#settings, (url) => this.#fetchText(url)) };
    } catch (error) {
      throw embeddingError(
        this.#embedder,
        "runtime",
        `model \`${model}\` cannot be loaded: ${messageOf(error)}`,
      );
    }
  }

  async #fetchText(url: string): Promise<string | null> {
    const { status, body } = await this.#client.request(url);
    if (status === 404) return null;
    if (status === 200) return new TextDecoder().decode(body);
    throw new Error(`\`${url}\` answered with status ${status}`);
  }
}

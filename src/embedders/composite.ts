// The embedder of source composite: one half embeds documents, the other queries. Made by embedders.ts.
import type { EmbedderSettings } from "../schemas/embedders.ts";
import { distributionOf, hasFragments } from "./defaults.ts";
import type {
  Distribution,
  Embedder,
  EmbedderQuery,
  EmbedOptions,
  Prompt,
  PromptDocument,
  QueryOptions,
} from "./embedder.ts";
import { userFault } from "./faults.ts";

export class CompositeEmbedder implements Embedder {
  readonly name: string;
  readonly settings: EmbedderSettings;
  readonly inputs: Embedder["inputs"];
  readonly distribution: Distribution | null;
  readonly #search: Embedder;
  readonly #indexing: Embedder;

  constructor(name: string, settings: EmbedderSettings, search: Embedder, indexing: Embedder) {
    this.name = name;
    this.settings = settings;
    this.inputs = indexing.inputs;
    this.distribution = distributionOf(settings);
    this.#search = search;
    this.#indexing = indexing;
  }

  dimensions(options?: EmbedOptions): Promise<number> {
    return this.#indexing.dimensions(options);
  }

  /** Every search compares vectors of one half with vectors of the other, so both must embed alike. */
  async check(options: EmbedOptions = {}): Promise<void> {
    const [searching, indexing] = [this.#search, this.#indexing];
    await indexing.check(options);
    await searching.check(options);
    const [wanted, found] = [await indexing.dimensions(options), await searching.dimensions(options)];
    if (wanted !== found) {
      const reason = `its indexing embedder has ${wanted} dimensions, but its search embedder ${found}`;
      throw userFault(this.name, reason);
    }
    // No probe is possible: it is not known what input fragments need.
    if (hasFragments(searching.settings) || hasFragments(indexing.settings)) return;
    const [one, other] = [
      await indexing.embedDocuments(PROBES, options),
      await searching.embedDocuments(PROBES, options),
    ];
    for (const [index, text] of PROBES.entries()) {
      const [left, right] = [one[index], other[index]];
      if (left === null || right === null || distance(left, right) <= DISTANCE_MAX) continue;
      const reason = `its two embedders disagree: their vectors of \`${text}\` have a cosine distance above`;
      throw userFault(this.name, `${reason} ${DISTANCE_MAX}. Both must use the same model`);
    }
  }

  promptsOf(document: PromptDocument): Prompt[] {
    return this.#indexing.promptsOf(document);
  }

  embedDocuments(texts: readonly string[], options?: EmbedOptions): Promise<(Float32Array | null)[]> {
    return this.#indexing.embedDocuments(texts, options);
  }

  async embedQuery(query: EmbedderQuery, options?: QueryOptions): Promise<Float32Array> {
    if (query.media !== undefined && query.media !== null) {
      throw userFault(this.name, "`media` needs an embedder of source `rest`, and this one is `composite`");
    }
    return this.#search.embedQuery(query, options);
  }
}

const PROBES = ["test", "a longer sentence about nothing in particular", "42, in numbers: forty-two"];
const DISTANCE_MAX = 0.01;

/** From 0 for equal directions to 1 for opposite ones. */
function distance(left: Float32Array, right: Float32Array): number {
  let [product, leftSquare, rightSquare] = [0, 0, 0];
  for (const [index, value] of left.entries()) {
    product += value * right[index];
    leftSquare += value * value;
    rightSquare += right[index] * right[index];
  }
  const norms = Math.sqrt(leftSquare * rightSquare);
  return norms === 0 ? 0 : (1 - product / norms) / 2;
}

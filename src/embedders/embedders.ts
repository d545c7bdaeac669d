// The embedders of a process: opens them from their settings and keeps them, with what they share. Made once
// in each thread that embeds.
import type { EmbedderSettings } from "../schemas/embedders.ts";
import { QueryCache } from "./cache.ts";
import { hasFragments } from "./defaults.ts";
import type { Embedder, EmbedderOptions, EmbedderProvider } from "./embedder.ts";
import { Lane } from "./lane.ts";
import { RecentMap } from "./recentmap.ts";
import type { VectorSource } from "./source.ts";
import { UserProvidedEmbedder } from "./userprovided.ts";

export class Embedders implements EmbedderProvider {
  readonly #options: EmbedderOptions;
  /** By name and settings. */
  readonly #opened = new RecentMap<string, Promise<Embedder>>(KEPT_LETTERS_MAX);
  /** By address and key of the provider. */
  readonly #lanes = new RecentMap<string, Lane>(KEPT_LETTERS_MAX);

  constructor(options: EmbedderOptions) {
    this.#options = options;
  }

  open(name: string, settings: EmbedderSettings, dimensions?: number): Promise<Embedder> {
    const key = JSON.stringify([name, settings, dimensions]);
    const known = this.#opened.get(key);
    if (known !== undefined) return known;
    const opened = this.#open(name, settings, dimensions ?? null);
    this.#opened.set(key, opened, OPENED_LETTERS + key.length);
    opened.catch(() => this.#opened.delete(key));
    return opened;
  }

  async #open(name: string, settings: EmbedderSettings, dimensions: number | null): Promise<Embedder> {
    if (settings.source === "userProvided") return new UserProvidedEmbedder(name, settings, this.#options);
    if (settings.source !== "composite") return this.#openModel(name, settings, dimensions);
    const [search, indexing] = [settings.searchEmbedder, settings.indexingEmbedder] as EmbedderSettings[];
    const { CompositeEmbedder } = await import("./composite.ts");
    const halves = [search, indexing].map((half) => this.#openModel(name, half, dimensions));
    const [searching, embedding] = await Promise.all(halves);
    return new CompositeEmbedder(name, settings, searching, embedding);
  }

  async #openModel(name: string, settings: EmbedderSettings, dimensions: number | null): Promise<Embedder> {
    const source = await this.#openSource(name, settings);
    const [{ ModelEmbedder }, { FragmentPrompts, QueryFragments, TextPrompts }] = await Promise.all([
      import("./modelembedder.ts"),
      import("./prompts.ts"),
    ]);
    const { indexingFragments, searchFragments } = settings;
    return new ModelEmbedder({
      name,
      settings,
      source,
      dimensions,
      shared: this.#options,
      prompts: hasFragments(settings)
        ? new FragmentPrompts(name, indexingFragments ?? {})
        : new TextPrompts(name, settings),
      queries: hasFragments(settings) ? new QueryFragments(name, searchFragments ?? {}) : null,
      cache: new QueryCache(this.#options.cacheEntries),
    });
  }

  async #openSource(name: string, settings: EmbedderSettings): Promise<VectorSource> {
    const options = this.#options;
    if (settings.source === "huggingFace") {
      const { HuggingFaceSource } = await import("./huggingface.ts");
      return new HuggingFaceSource(name, settings, options.client);
    }
    const [{ describeRest }, { RestSource }] = await Promise.all([
      import("./presets.ts"),
      import("./rest.ts"),
    ]);
    const description = describeRest(name, settings, options.defaults);
    const { url, headers } = description;
    return new RestSource(name, description, this.#laneOf(`${url}\n${headers.authorization}`), options);
  }

  #laneOf(key: string): Lane {
    const known = this.#lanes.get(key);
    if (known !== undefined) return known;
    const lane = new Lane();
    this.#lanes.set(key, lane, OPENED_LETTERS + key.length);
    return lane;
  }
}

/**
 * More than an installation uses at once; embedders whose settings are gone make room. A letter of a template
 * takes up to 200 bytes once it is parsed.
 */
const KEPT_LETTERS_MAX = 2 ** 21;
/** Weight of an embedder besides its settings. */
const OPENED_LETTERS = 2048;

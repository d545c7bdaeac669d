// What is known of the embedders of an index while the settings operations of a batch change them: above all
// the length of their vectors, for which some embedders must be asked. Called by ingest/batchwork.ts.
import { isDeepStrictEqual } from "node:util";
import { reembeddingFor } from "../../embedders/change.ts";
import type { EmbedderProvider } from "../../embedders/embedder.ts";
import type { EmbedderSettings } from "../../schemas/embedders.ts";
import type { EmbedderState } from "../../segment/manifeststate.ts";
import type { Work } from "../work.ts";
import { type EmbedderStates, type Embedders, nextState, opened, ownOf } from "./plan.ts";

export class EmbedderChanges {
  readonly #provider: EmbedderProvider;
  states: EmbedderStates;

  constructor(provider: EmbedderProvider, states: EmbedderStates) {
    this.#provider = provider;
    this.states = states;
  }

  /**
   * Moves from one `embedders` setting to the next; after an error nothing has changed.
   * @throws TarsierError `vector_embedding_error` when an embedder does not reveal the length of its vectors
   */
  *follow(before: Embedders, after: Embedders): Work<void> {
    const states: [string, EmbedderState][] = [];
    for (const [name, settings] of Object.entries(after)) {
      const earlier = ownOf(before, name);
      const known = earlier && ownOf(this.states, name);
      if (known && earlier === settings) states.push([name, known]);
      else {
        const dimensions = yield* this.#dimensions(name, settings, earlier, known);
        states.push([name, nextState(settings, known, dimensions)]);
      }
    }
    this.states = Object.fromEntries(states);
  }

  *#dimensions(
    name: string,
    settings: EmbedderSettings,
    before: EmbedderSettings | undefined,
    known: EmbedderState | undefined,
  ): Work<number> {
    const isSame =
      known !== undefined &&
      before !== undefined &&
      isStillChecked(before, settings) &&
      reembeddingFor(before, settings).kind !== "full";
    const stored = isSame ? known.dimensions : undefined;
    const embedder = yield* opened(this.#provider, name, settings, stored);
    if (stored !== undefined) return stored;
    let dimensions = 0;
    yield async (signal) => {
      await embedder.check({ signal });
      dimensions = await embedder.dimensions({ signal });
    };
    return dimensions;
  }
}

/**
 * Whether an embedder need not be asked again. The half of a composite one that embeds queries must fit the
 * other half, whichever of the two has changed.
 */
function isStillChecked(before: EmbedderSettings, after: EmbedderSettings): boolean {
  return (
    before.dimensions === after.dimensions &&
    before.indexingEmbedder?.dimensions === after.indexingEmbedder?.dimensions &&
    isDeepStrictEqual(before.searchEmbedder, after.searchEmbedder)
  );
}

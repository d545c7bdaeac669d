// Decides what a batch does about the vectors of each embedder: one plan per embedder, from the settings
// before and after the batch. Called by ingest/batchwork.ts and documentvectors.ts.
import { type Reembedding, reembeddingFor } from "../../embedders/change.ts";
import type { Embedder, EmbedderProvider } from "../../embedders/embedder.ts";
import type { EmbedderSettings } from "../../schemas/embedders.ts";
import type { EmbedderState } from "../../segment/manifeststate.ts";
import type { IndexReader } from "../reader.ts";
import type { Work } from "../work.ts";

export type Embedders = Readonly<Record<string, EmbedderSettings>>;
export type EmbedderStates = Readonly<Record<string, EmbedderState>>;

export interface EmbedderPlan {
  name: string;
  embedder: Embedder;
  /** The embedder as it was before the batch; null for a new one. */
  before: Embedder | null;
  change: Reembedding;
  dimensions: number;
  isBinary: boolean;
  /** Indexing fragment -> number of its slot. */
  slots: ReadonlyMap<string, number>;
}

export interface VectorPlan {
  embedders: readonly EmbedderPlan[];
  /** Embedders that the batch removes: vectors that users gave for them go back into the documents. */
  removed: readonly string[];
  /** Documents that the batch does not touch must be looked at, too. */
  rebuilds: boolean;
}

export function* planVectors(
  reader: IndexReader,
  provider: EmbedderProvider,
  after: Embedders,
  states: EmbedderStates,
): Work<VectorPlan> {
  const before: Embedders = reader.settings.embedders;
  const embedders: EmbedderPlan[] = [];
  for (const [name, settings] of Object.entries(after)) {
    const known = states[name];
    const stored = ownOf(reader.state.embedders, name);
    const earlier = stored && ownOf(before, name);
    const embedder = yield* opened(provider, name, settings, known.dimensions);
    // A length given in the settings is a hint: changing it should not cost embedding everything again.
    const isFound = (settings.dimensions ?? null) === null;
    const isOtherLength = stored !== undefined && stored.dimensions !== known.dimensions;
    embedders.push({
      name,
      embedder,
      before: earlier ? yield* opened(provider, name, earlier, stored.dimensions) : null,
      change:
        isOtherLength && isFound && embedder.inputs !== "none"
          ? { kind: "full" }
          : reembeddingFor(earlier, settings),
      dimensions: known.dimensions,
      isBinary: settings.binaryQuantized === true,
      slots: new Map(
        known.fragments.flatMap((fragment, slot) => (fragment === null ? [] : [[fragment, slot]])),
      ),
    });
  }
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  return { embedders, removed, rebuilds: isRebuild(reader, embedders, removed) };
}

/** The value for an embedder's name in an object; the name may be `constructor` or `__proto__`. */
export function ownOf<T>(byName: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(byName, name) ? byName[name] : undefined;
}

/** Opens an embedder. */
export function* opened(
  provider: EmbedderProvider,
  name: string,
  settings: EmbedderSettings,
  dimensions?: number,
): Work<Embedder> {
  let embedder: Embedder | null = null;
  yield async () => {
    embedder = await provider.open(name, settings, dimensions);
  };
  return embedder!;
}

function isRebuild(
  { segments, settings }: IndexReader,
  plans: readonly EmbedderPlan[],
  removed: readonly string[],
): boolean {
  const stores = segments.flatMap(({ segment }) => segment.meta.vectors);
  if (stores.some(({ embedder }) => removed.includes(embedder))) return true;
  return plans.some(({ name, change, isBinary }) => {
    const isQuantized = isBinary && ownOf(settings.embedders, name)?.binaryQuantized !== true;
    const hasStore = stores.some((store) => store.embedder === name);
    if (isQuantized && hasStore) return true;
    return change.kind !== "none" && segments.length > 0;
  });
}

/**
 * The state of an embedder after a change: fragments keep their slots, new ones get the lowest free slots.
 */
export function nextState(
  { indexingFragments }: EmbedderSettings,
  before: EmbedderState | undefined,
  dimensions: number,
): EmbedderState {
  const names = Object.keys(indexingFragments ?? {}).sort();
  const fragments = (before?.fragments ?? []).map((name) =>
    name !== null && names.includes(name) ? name : null,
  );
  for (const name of names) {
    if (fragments.includes(name)) continue;
    const free = fragments.indexOf(null);
    if (free < 0) fragments.push(name);
    else fragments[free] = name;
  }
  return { dimensions, fragments };
}

// Decides which vectors one document has for one embedder after a batch: kept ones, those brought by the
// user, or ones still to be embedded. Called by documentvectors.ts, which knows the document.
import type { Prompt } from "../../embedders/embedder.ts";
import { TarsierError } from "../../errors.ts";
import type { DocumentVectors } from "../../segment/vectorformat.ts";
import type { GivenVectors } from "./given.ts";
import type { EmbedderPlan } from "./plan.ts";

/** A text to embed, and the slot of its vector. */
export interface Wish {
  slot: number;
  text: string;
}

export interface Upkeep {
  vectors: DocumentVectors;
  wishes: readonly Wish[];
}

/** How the batch changes a document, as far as one embedder is concerned. */
interface DocumentChange {
  /** The vectors before the batch; null for a new document. */
  old: DocumentVectors | null;
  /** What each piece of the batch says, in order; null where it says nothing. */
  given: readonly (GivenVectors | null)[];
  /** The batch brings the document or a part of it. */
  isTouched: boolean;
  /** For messages. */
  place: string;
  /**
   * Prompts of the document as it was after one of `given`, by place; -1: before the batch. Null when
   * rendering them failed, or there was no document.
   */
  promptsAfter: (place: number) => readonly Prompt[] | null;
  prompts: () => readonly Prompt[];
}

type Need = "none" | "changed" | "always";

/** The vectors that a document keeps, and the texts to embed for it. */
export function keepUp(plan: EmbedderPlan, change: DocumentChange): Upkeep {
  const settled = settle(plan, change);
  const { need, since, vectors } = settled;
  if (need === "none") return { vectors, wishes: [] };
  if (plan.embedder.inputs === "none") return { vectors: ofUser(plan, change, settled), wishes: [] };
  const prompts = change.prompts();
  const old = need === "changed" ? change.promptsAfter(since) : null;
  return plan.embedder.inputs === "text"
    ? ofTemplate(vectors, prompts, old)
    : ofFragments(plan, vectors, prompts, old);
}

/** A document without vectors; the embedder may give it some. */
export function emptyVectors({ name, dimensions, isBinary }: EmbedderPlan): DocumentVectors {
  return {
    embedder: name,
    dimensions,
    isBinary,
    slots: [],
    values: new Float32Array(0),
    isUserProvided: false,
    regenerates: true,
  };
}

/** Place of the first vector that does not have the dimensions of the embedder, -1 when all have. */
export function misfit(list: readonly Float32Array[], { dimensions }: EmbedderPlan): number {
  return list.findIndex(({ length }) => length !== dimensions);
}

/**
 * True for vectors that need not be stored: a document without a place in the store is read as having these.
 */
export function isDefault({ isUserProvided, regenerates, slots }: DocumentVectors): boolean {
  return !isUserProvided && regenerates && slots.length === 0;
}

interface Settled {
  need: Need;
  /** Place of the last one of `given` that has vectors, -1 when none has. */
  since: number;
  vectors: DocumentVectors;
}

function settle(plan: EmbedderPlan, { old, given, place }: DocumentChange): Settled {
  let vectors = old ? { ...old, isBinary: plan.isBinary } : emptyVectors(plan);
  const isFull = plan.change.kind === "full";
  let need: Need = "none";
  if (old === null || (isFull && vectors.regenerates)) need = "always";
  else if (vectors.regenerates && plan.change.kind !== "none") need = "changed";
  let isNew = old === null;
  let since = -1;
  for (const [at, one] of given.entries()) {
    if (one?.vectors) {
      vectors = brought(plan, one.vectors, one.regenerates, place);
      need = "none";
      since = at;
    } else if (one?.regenerates && !vectors.regenerates) {
      vectors = { ...vectors, regenerates: true };
      need = "always";
    } else if (one?.regenerates === false) {
      // For an existing document, this alone changes nothing.
      if (isNew) {
        vectors = { ...vectors, regenerates: false };
        need = "none";
      }
    } else if (vectors.regenerates && need === "none") {
      // The text may no longer be the one for which the user gave vectors.
      need = "changed";
    }
    isNew = false;
  }
  return { need, since, vectors };
}

function brought(
  plan: EmbedderPlan,
  list: readonly Float32Array[],
  regenerates: boolean,
  place: string,
): DocumentVectors {
  const { name, dimensions, isBinary } = plan;
  // Checked before memory is allocated: `dimensions` of an embedder is any number that its user wrote.
  const wrong = misfit(list, plan);
  if (wrong >= 0) {
    throw new TarsierError("invalid_vector_dimensions", {
      place: `${place}, embedding ${wrong}`,
      expected: dimensions,
      found: list[wrong].length,
    });
  }
  const values = new Float32Array(list.length * dimensions);
  list.forEach((vector, i) => {
    values.set(vector, i * dimensions);
  });
  const slots = [...list.keys()];
  return { embedder: name, dimensions, isBinary, slots, values, isUserProvided: true, regenerates };
}

/**
 * Only the user makes new vectors: the old ones may stay only if they stand for the same text. Where the
 * failure modes excuse that there are no new ones, the old ones stay all the same: nothing here could make
 * them anew.
 */
function ofUser(
  plan: EmbedderPlan,
  change: DocumentChange,
  { need, since, vectors }: Settled,
): DocumentVectors {
  // For a new embedder, even a document that the batch leaves alone needs vectors.
  if (!change.isTouched && need !== "always") return vectors;
  const isSame = need === "changed" && areSame(change.prompts(), change.promptsAfter(since));
  if (isSame) return vectors;
  const failure = missing(plan, change.place);
  if (!plan.embedder.excuses?.(failure)) throw failure;
  return need === "changed" ? vectors : emptyVectors(plan);
}

/** If the texts are equal, existing vectors are kept, also those that came from the user. */
function ofTemplate(
  vectors: DocumentVectors,
  prompts: readonly Prompt[],
  old: readonly Prompt[] | null,
): Upkeep {
  const hasSome = vectors.slots.length > 0 || vectors.isUserProvided;
  if (hasSome && areSame(prompts, old)) return { vectors, wishes: [] };
  return { vectors: without(vectors), wishes: prompts.map(({ text }) => ({ slot: 0, text })) };
}

function areSame(prompts: readonly Prompt[], old: readonly Prompt[] | null): boolean {
  return old?.length === prompts.length && prompts.every(({ text }, i) => text === old[i].text);
}

/**
 * Fragments that yield the same text as before keep their vector; vectors from the user are replaced
 * altogether.
 */
function ofFragments(
  plan: EmbedderPlan,
  vectors: DocumentVectors,
  prompts: readonly Prompt[],
  old: readonly Prompt[] | null,
): Upkeep {
  const { change, slots } = plan;
  const changed = change.kind === "fragments" ? change.changed : [];
  const wishes: Wish[] = [];
  const kept: number[] = [];
  for (const { fragment, text } of prompts) {
    const slot = slots.get(fragment!)!;
    const isSame =
      !vectors.isUserProvided &&
      !changed.includes(fragment!) &&
      vectors.slots.includes(slot) &&
      old?.some((prompt) => prompt.fragment === fragment && prompt.text === text);
    if (isSame) kept.push(slot);
    else wishes.push({ slot, text });
  }
  return { vectors: withSlots(vectors, kept), wishes };
}

const without = (vectors: DocumentVectors): DocumentVectors => withSlots(vectors, []);

/** Some of the vectors, now marked as made by the embedder. */
function withSlots(vectors: DocumentVectors, kept: readonly number[]): DocumentVectors {
  const { dimensions } = vectors;
  const slots = vectors.slots.filter((slot) => kept.includes(slot));
  const values = new Float32Array(slots.length * dimensions);
  slots.forEach((slot, i) => {
    const from = vectors.slots.indexOf(slot) * dimensions;
    values.set(vectors.values.subarray(from, from + dimensions), i * dimensions);
  });
  return { ...vectors, isUserProvided: false, slots, values };
}

/** Adds vectors that were made by the embedder. */
export function withEmbedded(
  vectors: DocumentVectors,
  made: readonly { slot: number; vector: Float32Array }[],
  { dimensions }: EmbedderPlan,
): DocumentVectors {
  if (made.length === 0) return vectors;
  const known = vectors.dimensions === dimensions ? vectors : without({ ...vectors, dimensions });
  const all = new Map(
    known.slots.map((slot, i) => [slot, known.values.subarray(i * dimensions, (i + 1) * dimensions)]),
  );
  for (const { slot, vector } of made) all.set(slot, vector);
  const slots = [...all.keys()].sort((a, b) => a - b);
  const values = new Float32Array(slots.length * dimensions);
  slots.forEach((slot, i) => {
    values.set(all.get(slot)!, i * dimensions);
  });
  return { ...known, dimensions, slots, values };
}

function missing({ name }: EmbedderPlan, place: string): TarsierError {
  const reason =
    `${place}: it is of source \`userProvided\`, and this document brings no vectors. ` +
    `Give some in \`_vectors.${name}\`, or write \`"_vectors": {"${name}": null}\` to go without`;
  return new TarsierError("vector_embedding_error", { embedder: name, reason });
}

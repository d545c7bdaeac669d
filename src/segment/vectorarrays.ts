// The small arrays of a vector store while it is written (vectorformat.ts): everything but the rows. Used by
// vectorlist.ts and vectormerge.ts.
import type { StoreGraph } from "./storegraph.ts";
import { align, storeKey, type VectorMeta, vectorLayout } from "./vectorformat.ts";
import type { SegmentWriter } from "./writer.ts";

const LENGTH_FIRST = 64;

export class VectorArrays {
  readonly #meta: Pick<VectorMeta, "embedder" | "dimensions" | "isBinary">;
  readonly #owners = new Numbers();
  readonly #docids = new Numbers();
  readonly #firsts = new Numbers();
  readonly #slots = new Numbers();
  readonly #flags = new Numbers();

  constructor({ embedder, dimensions, isBinary }: Pick<VectorMeta, "embedder" | "dimensions" | "isBinary">) {
    this.#meta = { embedder, dimensions, isBinary };
  }

  get vectors(): number {
    return this.#owners.length;
  }

  get documents(): number {
    return this.#docids.length;
  }

  /** Begins a document; its vectors follow. */
  addDocument(docid: number, flags: number): void {
    this.#docids.add(docid);
    this.#firsts.add(this.vectors);
    this.#flags.add(flags);
  }

  /** Adds a vector of the last document. */
  addVector(slot: number): void {
    this.#owners.add(this.#docids.last);
    this.#slots.add(slot);
  }

  /** Writes what follows the rows, which begin at `at` in the section. */
  writeTo(writer: SegmentWriter, at: number, graph: StoreGraph): VectorMeta {
    const meta = { ...this.#meta, at, documents: this.documents, vectors: this.vectors, graphBytes: 0 };
    this.#firsts.add(this.vectors);
    pad(writer, this.vectors * vectorLayout(meta).rowBytes);
    for (const numbers of [this.#owners, this.#docids, this.#firsts]) append(writer, numbers.words());
    for (const numbers of [this.#slots, this.#flags]) append(writer, Uint8Array.from(numbers.words()));
    const graphBytes = graph.writeTo(writer, meta.isBinary, (bytes) => pad(writer, bytes));
    return { ...meta, graphBytes };
  }
}

/** Orders stores by their keys, so that equal contents give equal files. */
export function inKeyOrder<T extends Pick<VectorMeta, "embedder" | "dimensions" | "isBinary">>(
  stores: Iterable<T>,
): T[] {
  return [...stores].sort((a, b) => (storeKey(a) < storeKey(b) ? -1 : 1));
}

/** A growing list of u32. */
class Numbers {
  #values = new Uint32Array(LENGTH_FIRST);
  length = 0;

  get last(): number {
    return this.#values[this.length - 1];
  }

  add(value: number): void {
    if (this.length === this.#values.length) {
      const grown = new Uint32Array(2 * this.length);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.length++] = value;
  }

  words(): Uint32Array {
    return this.#values.subarray(0, this.length);
  }
}

function append(writer: SegmentWriter, values: Uint32Array | Uint8Array): void {
  writer.append(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  pad(writer, values.byteLength);
}

/** Pads after an array of this many bytes. */
function pad(writer: SegmentWriter, bytes: number): void {
  writer.append(new Uint8Array(align(bytes) - bytes));
}

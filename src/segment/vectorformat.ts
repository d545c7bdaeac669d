// Section `vectors`: what documents have of embedders. One store holds the vectors that one embedder has of
// one length and kind; an embedder whose length was changed has two. Written by vectorlist.ts and
// vectormerge.ts, read by vectorstore.ts, checked by vectorcheck.ts.
//
//   section  store, store, ...
//   store    | row each vector | u32 docid each vector | u32 docid each document
//            | u32 its first vector, one closing | u8 slot each vector | u8 flags each document |
//            | code each vector | graph |         only of a store that is large enough for a graph
//
// Codes are rows of a byte each dimension, which the graph (assembly/graph-format.ts) is walked with; a store
// of bits has no others than its rows.
// Each array begins at a multiple of 16 bytes. Vectors and documents ascend by docid, the vectors of one
// document by slot: the number of the indexing fragment that a vector stands for, else its place. Rows are
// drawn in assembly/vectors.ts. A document has a place here when it has vectors, or says how it wants them.
import { VECTOR_BITS, VECTOR_CODES, VECTOR_FLOATS } from "../core/vectors.ts";

export const FLAG_USER_PROVIDED = 1;
export const FLAG_REGENERATE = 2;
/** Vectors of one document and embedder: slots are bytes. */
export const SLOTS_MAX = 256;

/** Facts of one store. */
export interface VectorMeta {
  embedder: string;
  dimensions: number;
  /** A bit each dimension; else f32. */
  isBinary: boolean;
  /** Place in the section. */
  at: number;
  /** Documents, and vectors of all of them. */
  documents: number;
  vectors: number;
  /** Bytes of its graph; 0: there is none. */
  graphBytes: number;
}

/** What one document has of one embedder. */
export interface DocumentVectors {
  embedder: string;
  dimensions: number;
  isBinary: boolean;
  /** The vectors came from the user. */
  isUserProvided: boolean;
  /** The embedder makes new ones when the document changes. */
  regenerates: boolean;
  /** Of each vector, ascending. */
  slots: readonly number[];
  /** One behind the other; of a binary store 1 and 0. */
  values: Float32Array;
}

/** Places of the arrays from the beginning of the store; `end` is the length of all. */
export interface VectorLayout {
  rowBytes: number;
  owners: number;
  docids: number;
  firsts: number;
  slots: number;
  flags: number;
  codes: number;
  graph: number;
  end: number;
}

export const kindOf = ({ isBinary }: Pick<VectorMeta, "isBinary">): number =>
  isBinary ? VECTOR_BITS : VECTOR_FLOATS;

/** Bytes of a row, as the core's vectorRowBytes tells them. */
export function rowBytesOf({ dimensions, isBinary }: Pick<VectorMeta, "dimensions" | "isBinary">): number {
  return isBinary ? Math.ceil(dimensions / 64) * 8 : dimensions * 4;
}

export function vectorLayout(meta: VectorMeta): VectorLayout {
  const { documents, vectors, graphBytes } = meta;
  const rowBytes = rowBytesOf(meta);
  const owners = align(vectors * rowBytes);
  const docids = owners + align(4 * vectors);
  const firsts = docids + align(4 * documents);
  const slots = firsts + align(4 * (documents + 1));
  const flags = slots + align(vectors);
  const codes = flags + align(documents);
  const graph = codes + align(codesBytes(meta));
  const end = graph + align(graphBytes);
  return { rowBytes, owners, docids, firsts, slots, flags, codes, graph, end };
}

/** Kind of the rows that the graph of a store is walked with. */
export const codesKind = ({ isBinary }: Pick<VectorMeta, "isBinary">): number =>
  isBinary ? VECTOR_BITS : VECTOR_CODES;

/** Bytes of a row of codes, as the core's vectorRowBytes tells them. */
export const codeBytesOf = (dimensions: number): number => align(dimensions + 4);

/** Bytes of the codes of a store. */
function codesBytes({ isBinary, graphBytes, dimensions, vectors }: VectorMeta): number {
  return isBinary || graphBytes === 0 ? 0 : vectors * codeBytesOf(dimensions);
}

/** Two stores of the same key may become one. */
export function storeKey({
  embedder,
  dimensions,
  isBinary,
}: Pick<VectorMeta, "embedder" | "dimensions" | "isBinary">): string {
  return JSON.stringify([embedder, dimensions, isBinary]);
}

export function flagsOf({
  isUserProvided,
  regenerates,
}: Pick<DocumentVectors, "isUserProvided" | "regenerates">): number {
  return (isUserProvided ? FLAG_USER_PROVIDED : 0) | (regenerates ? FLAG_REGENERATE : 0);
}

export const align = (bytes: number): number => Math.ceil(bytes / 16) * 16;

// Section `vectors`: the vectors that documents have for embedders. One store holds all vectors of one
// embedder that have the same length and kind; an embedder whose length was changed has two stores. Written
// by vectorlist.ts and vectormerge.ts, read by vectorstore.ts, checked by vectorcheck.ts.
//
//   section  store, store, ...
//   store    | row each vector | u32 docid each vector | u32 docid each document
//            | u32 its first vector, one closing | u8 slot each vector | u8 flags each document |
//            | code each vector | graph |         only of a store that is large enough for a graph
//
// Codes are rows of one byte per dimension, by which the graph (assembly/graph-format.ts) is walked; in a
// store of bits the rows themselves are the codes. Each array begins at a multiple of 16 bytes. Vectors and
// documents ascend by docid, the vectors of one document by slot: the number of the indexing fragment that a
// vector stands for, otherwise its place. Rows are drawn in assembly/vectors.ts. A document has an entry here
// when it has vectors, or says how it wants them made.
import { VECTOR_BITS, VECTOR_CODES, VECTOR_FLOATS } from "../core/vectors.ts";

export const FLAG_USER_PROVIDED = 1;
export const FLAG_REGENERATE = 2;
/** Most vectors of one document and embedder: slots are bytes. */
export const SLOTS_MAX = 256;

/** Facts of one store. */
export interface VectorMeta {
  embedder: string;
  dimensions: number;
  /** One bit per dimension; otherwise f32. */
  isBinary: boolean;
  /** Place of the store in the section. */
  at: number;
  /** Number of documents; below, number of their vectors. */
  documents: number;
  vectors: number;
  /** Bytes of its graph; 0 when there is none. */
  graphBytes: number;
}

/** The vectors of one document for one embedder. */
export interface DocumentVectors {
  embedder: string;
  dimensions: number;
  isBinary: boolean;
  /** The vectors came from the user. */
  isUserProvided: boolean;
  /** The embedder makes new ones when the document changes. */
  regenerates: boolean;
  /** The slot of each vector, ascending. */
  slots: readonly number[];
  /** One vector after another; in a binary store as 1 and 0. */
  values: Float32Array;
}

/** Places of the arrays, counted from the beginning of the store; `end` is the length of all. */
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

/** Bytes of a row; the same as the core's vectorRowBytes. */
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

/** Kind of the rows by which the graph of a store is walked. */
export const codesKind = ({ isBinary }: Pick<VectorMeta, "isBinary">): number =>
  isBinary ? VECTOR_BITS : VECTOR_CODES;

/** Bytes of a row of codes; the same as the core's vectorRowBytes. */
export const codeBytesOf = (dimensions: number): number => align(dimensions + 4);

/** Bytes of the codes of a store. */
function codesBytes({ isBinary, graphBytes, dimensions, vectors }: VectorMeta): number {
  return isBinary || graphBytes === 0 ? 0 : vectors * codeBytesOf(dimensions);
}

/** Stores with the same key may be merged into one. */
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

// The vectors of the vector benchmark: embeddings of a package catalogue from the folder ../shared/data
// beside the repository, or made-up ones if it does not exist.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { clusteredVectors } from "../test/twins/clusters.ts";

export interface VectorSet {
  name: string;
  dimensions: number;
  /** Of unit length, one after the other. */
  vectors: Float32Array;
  count: number;
  queries: Float32Array[];
  /** The text of each query. */
  texts: string[];
  /** Fields of the documents of the vectors, most important first. */
  fields: string[];
  /** The ten nearest items of each query, by cosine. */
  nearest: number[][];
}

export const NEAREST_LEN = 10;
const SHARED_FOLDER = resolve("../shared/data");
const SHARED_COUNT = 63_666;
const GENERATED_COUNT = 20_000;
const GENERATED_DIMENSIONS = 128;
const GENERATED_QUERIES = 500;

/** `most`: bound of the number of vectors. The set of the folder is used whole or not at all. */
export function loadVectorSet(most = Number.POSITIVE_INFINITY): VectorSet {
  const isThere = existsSync(join(SHARED_FOLDER, "debian-vectors.f16"));
  return isThere && most >= SHARED_COUNT ? loadDebian() : generate(Math.min(most, GENERATED_COUNT));
}

export const vectorOf = ({ vectors, dimensions }: VectorSet, item: number): Float32Array =>
  vectors.subarray(item * dimensions, (item + 1) * dimensions);

function loadDebian(): VectorSet {
  const read = (name: string) => readFileSync(join(SHARED_FOLDER, name));
  const { rows, dimensions, nearest, text: texts } = JSON.parse(read("debian-vectors.json").toString());
  const all = floatsOf(read("debian-queries.f16"));
  const queries = Array.from({ length: all.length / dimensions }, (_, i) =>
    all.subarray(i * dimensions, (i + 1) * dimensions),
  );
  const vectors = floatsOf(read("debian-vectors.f16"));
  const fields = ["name", "synopsis", "description"];
  return { name: "debian", dimensions, vectors, count: rows, queries, texts, fields, nearest };
}

function generate(count: number): VectorSet {
  const all = clusteredVectors(count + GENERATED_QUERIES, GENERATED_DIMENSIONS, 1).map(unit);
  const vectors = new Float32Array(count * GENERATED_DIMENSIONS);
  for (let item = 0; item < count; item++) vectors.set(all[item], item * GENERATED_DIMENSIONS);
  const set = {
    name: "generated",
    dimensions: GENERATED_DIMENSIONS,
    vectors,
    count,
    queries: all.slice(count),
    texts: Array.from({ length: GENERATED_QUERIES }, (_, i) => `word${i % 97} text${i}`),
    fields: ["text"],
  };
  return { ...set, nearest: set.queries.map((query) => exactNearest({ ...set, nearest: [] }, query)) };
}

/** The ten nearest among the items that are allowed. */
export function exactNearest(
  set: VectorSet,
  query: Float32Array,
  allowed: (item: number) => boolean = () => true,
): number[] {
  const best: { item: number; product: number }[] = [];
  for (let item = 0; item < set.count; item++) {
    if (!allowed(item)) continue;
    let product = 0;
    for (let i = 0, at = item * set.dimensions; i < set.dimensions; i++, at++) {
      product += query[i] * set.vectors[at];
    }
    if (best.length === NEAREST_LEN && product <= best[NEAREST_LEN - 1].product) continue;
    best.push({ item, product });
    best.sort((a, b) => b.product - a.product);
    if (best.length > NEAREST_LEN) best.pop();
  }
  return best.map(({ item }) => item);
}

export function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, component) => sum + component * component, 0));
  return vector.map((component) => component / length);
}

/** Little-endian half floats as floats. */
function floatsOf(bytes: Buffer): Float32Array {
  const floats = new Float32Array(bytes.length / 2);
  for (let i = 0; i < floats.length; i++) floats[i] = HALVES[bytes.readUInt16LE(2 * i)];
  return floats;
}

const HALVES = Float32Array.from({ length: 65536 }, (_, half) => {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
});
